// Blackwell's tensor unit (sm_100a, sm_103a): tensor memory, descriptors, multiply, commit.
#pragma once

#include "async.cuh"
#include "tcgen05_forms.cuh"
#include "wgmma_layout.cuh"

namespace micro {

inline constexpr int kTmemColumns = 512;

// Whole-warp calls; with kCtas = 2 by one warp of each block of the pair.
template <int kCtas>
__device__ __forceinline__ void tmem_allocate(unsigned* to) {
    if constexpr (kCtas == 1) {
        asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(
                         shared_address(to)),
                     "r"(kTmemColumns)
                     : "memory");
    } else {
        asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(
                         shared_address(to)),
                     "r"(kTmemColumns)
                     : "memory");
    }
}

template <int kCtas>
__device__ __forceinline__ void tmem_release(unsigned tmem) {
    if constexpr (kCtas == 1) {
        asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(tmem),
                     "r"(kTmemColumns));
    } else {
        asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, %1;" ::"r"(tmem),
                     "r"(kTmemColumns));
    }
}

__device__ __forceinline__ void tmem_wait_load() {
    asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
}
// A use of a loaded register that stays behind the wait before it. The assembler drops a load whose
// registers nobody reads, so every timed load needs one.
__device__ __forceinline__ std::uint32_t tmem_loaded(std::uint32_t& value) {
    asm volatile("" : "+r"(value)::"memory");
    return value;
}
__device__ __forceinline__ void tmem_wait_store() {
    asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void tcgen05_before_sync() {
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
}
__device__ __forceinline__ void tcgen05_after_sync() {
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

// Tensor memory address of (lane, column) in an allocation.
__device__ __forceinline__ unsigned tmem_at(unsigned base, unsigned lane, unsigned column) {
    return base + (lane << 16) + column;
}

// A tile of 128-byte rows in the 128-byte swizzle, starting on a multiple of 1024 bytes.
__device__ __forceinline__ std::uint64_t tcgen05_descriptor(const void* tile) {
    constexpr std::uint64_t kStrideOf8Rows = 8 * kRowBytes / 16;
    constexpr std::uint64_t kVersion = 1;
    constexpr std::uint64_t kSwizzle128 = 2;
    const std::uint64_t start = (shared_address(tile) & 0x3ffffU) >> 4;
    return start | std::uint64_t{1} << 16 | kStrideOf8Rows << 32 | kVersion << 46 |
           kSwizzle128 << 61;
}

// bf16 inputs, both K-major, f32 accumulators.
constexpr std::uint32_t tcgen05_instruction(int m, int n) {
    constexpr std::uint32_t kF32 = 1;
    constexpr std::uint32_t kBf16 = 1;
    return kF32 << 4 | kBf16 << 7 | kBf16 << 10 | static_cast<std::uint32_t>(n >> 3) << 17 |
           static_cast<std::uint32_t>(m >> 4) << 24;
}

// d += a * b, 16 deep, a from shared memory.
template <int kCtas>
__device__ __forceinline__ void tcgen05_mma_ss(unsigned d, std::uint64_t a, std::uint64_t b,
                                               std::uint32_t instruction) {
    if constexpr (kCtas == 1) {
        asm volatile(
            "{ .reg .pred p; setp.ne.b32 p, 1, 0;\n"
            "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p; }" ::"r"(d),
            "l"(a), "l"(b), "r"(instruction)
            : "memory");
    } else {
        asm volatile(
            "{ .reg .pred p; setp.ne.b32 p, 1, 0;\n"
            "tcgen05.mma.cta_group::2.kind::f16 [%0], %1, %2, %3, p; }" ::"r"(d),
            "l"(a), "l"(b), "r"(instruction)
            : "memory");
    }
}

// The same with a from tensor memory.
template <int kCtas>
__device__ __forceinline__ void tcgen05_mma_ts(unsigned d, unsigned a, std::uint64_t b,
                                               std::uint32_t instruction) {
    if constexpr (kCtas == 1) {
        asm volatile(
            "{ .reg .pred p; setp.ne.b32 p, 1, 0;\n"
            "tcgen05.mma.cta_group::1.kind::f16 [%0], [%1], %2, %3, p; }" ::"r"(d),
            "r"(a), "l"(b), "r"(instruction)
            : "memory");
    } else {
        asm volatile(
            "{ .reg .pred p; setp.ne.b32 p, 1, 0;\n"
            "tcgen05.mma.cta_group::2.kind::f16 [%0], [%1], %2, %3, p; }" ::"r"(d),
            "r"(a), "l"(b), "r"(instruction)
            : "memory");
    }
}

// The barrier (of both blocks of a pair) completes when all earlier work of this thread has.
template <int kCtas>
__device__ __forceinline__ void tcgen05_commit(Mbarrier& barrier) {
    if constexpr (kCtas == 1) {
        asm volatile(
            "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(
                barrier.address())
            : "memory");
    } else {
        asm volatile(
            "{ .reg .b16 both; mov.b16 both, 3;\n"
            "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster."
            "b64"
            " [%0], both; }" ::"r"(barrier.address())
            : "memory");
    }
}

// One box into this block's shared memory; the barrier of the pair's first block, at the same place
// as `barrier` here, counts the bytes.
__device__ __forceinline__ void load_box_of_pair(void* to, const CUtensorMap* map, int column,
                                                 int row, int plane, Mbarrier& barrier) {
    asm volatile(
        "{ .reg .b32 leaders; mapa.shared::cluster.u32 leaders, %5, 0;\n"
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        ".cta_group::2 [%0], [%1, {%2, %3, %4}], [leaders]; }" ::"r"(shared_address(to)),
        "l"(map), "r"(column), "r"(row), "r"(plane), "r"(barrier.address())
        : "memory");
}

// 128 rows of 32 bytes from shared to tensor memory.
__device__ __forceinline__ void tcgen05_copy(unsigned to, std::uint64_t from) {
    asm volatile("tcgen05.cp.cta_group::1.128x256b [%0], %1;" ::"r"(to), "l"(from) : "memory");
}

}  // namespace micro
