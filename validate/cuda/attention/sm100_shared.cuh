// What the roles of the Blackwell kernel share: tiles and barriers in shared memory, columns of
// tensor memory, and the products.
#pragma once

#include "../common/tcgen05.cuh"
#include "problem.hpp"
#include "sm100_options.hpp"

namespace attention {

using micro::Mbarrier;

// Tiles are chunks of 64 columns, each a stack of 128-byte rows, swizzled.
template <Sm100Options kO>
struct Sm100Shared {
    static constexpr int kKvStages = kv_stages(kO);
    static constexpr int kChunk = kTileM * micro::kRowBytes;  // of Q, V and O
    static constexpr int kKeyChunk = kChunk / kO.ctas;

    char* base;

    __device__ char* q(int t) const { return base + t * tile_bytes(kO); }
    __device__ char* o(int t) const { return q(kQStages + t); }
    __device__ char* kv(int slot) const { return q(2 * kQStages) + slot * kv_bytes(kO); }
    // A row's rescale factor, at the end the sum of its exponentials.
    __device__ float& scale(int t, int row) const {
        return reinterpret_cast<float*>(kv(kKvStages))[t * kTileM + row];
    }

    __device__ Mbarrier& q_full(int t) const { return barrier(0, t); }
    __device__ Mbarrier& q_empty(int t) const { return barrier(1, t); }
    __device__ Mbarrier& s_full(int t) const { return barrier(2, t); }
    __device__ Mbarrier& p_ready(int t) const { return barrier(3, t); }
    __device__ Mbarrier& p_last(int t) const { return barrier(4, t); }
    __device__ Mbarrier& stats_empty(int t) const { return barrier(5, t); }
    __device__ Mbarrier& o_full(int t) const { return barrier(6, t); }
    // store_full of stage 0 and 1, then store_empty.
    __device__ Mbarrier& store_full(int t) const { return barrier(7, t); }
    __device__ Mbarrier& store_empty(int t) const { return barrier(8, t); }
    __device__ Mbarrier& kv_full(int slot) const { return barrier(9, slot); }
    __device__ Mbarrier& kv_empty(int slot) const { return barrier(9, kKvStages + slot); }
    __device__ unsigned& tmem() const {
        return *reinterpret_cast<unsigned*>(&barrier(9, 2 * kKvStages));
    }

    __device__ void init_barriers() const {
        for (int t = 0; t < kQStages; ++t) {
            q_full(t).init(1);
            q_empty(t).init(1);
            s_full(t).init(1);
            p_ready(t).init(2 * 128 * kO.ctas);  // softmax and correction threads
            p_last(t).init(4 * kO.ctas);         // a lane of each softmax warp
            stats_empty(t).init(128);
            o_full(t).init(1);
            store_full(t).init(128);
            store_empty(t).init(32);
        }
        for (int slot = 0; slot < kKvStages; ++slot) {
            kv_full(slot).init(1);
            kv_empty(slot).init(1);
        }
        micro::fence_mbarrier_init();
    }

  private:
    __device__ Mbarrier& barrier(int kind, int index) const {
        return reinterpret_cast<Mbarrier*>(&scale(kQStages, 0))[kind * kQStages + index];
    }
};

// This CTA's place in its pair; the first one issues the products of both.
template <Sm100Options kO>
__device__ __forceinline__ int pair_rank() {
    return kO.ctas == 1 ? 0 : static_cast<int>(blockIdx.x) % kO.ctas;
}
// Tiles of queries are taken by pairs as by single CTAs.
template <Sm100Options kO>
__device__ __forceinline__ int first_tile() {
    return static_cast<int>(blockIdx.x) / kO.ctas;
}
template <Sm100Options kO>
__device__ __forceinline__ int tile_stride() {
    return static_cast<int>(gridDim.x) / kO.ctas;
}
template <Sm100Options kO>
__device__ __forceinline__ Tile sm100_tile(const Arguments& a, int index) {
    return tile_at<kQStages * kTileM * kO.ctas, kTileKv>(a, index);
}
// First query row of stage t here: a product of a pair covers 256 rows, the leader's first.
template <Sm100Options kO>
__device__ __forceinline__ int stage_row(const Tile& tile, int t) {
    return tile.row + (t * kO.ctas + pair_rank<kO>()) * kTileM;
}

// On a barrier where the other CTA of the pair, or products of both, arrive.
template <Sm100Options kO>
__device__ __forceinline__ void wait_for(Mbarrier& barrier, unsigned parity) {
    if constexpr (kO.ctas == 1) {
        barrier.wait(parity);
    } else {
        barrier.wait_cluster(parity);
    }
}
// On the barrier of the CTA that issues products.
template <Sm100Options kO>
__device__ __forceinline__ void arrive_at_leader(Mbarrier& barrier) {
    if constexpr (kO.ctas == 1) {
        barrier.arrive();
    } else {
        barrier.arrive_remote_release(0);
    }
}
// All threads of the CTA, or of both of a pair.
template <Sm100Options kO>
__device__ __forceinline__ void sync_all() {
    if constexpr (kO.ctas == 1) {
        __syncthreads();
    } else {
        asm volatile(
            "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                : "memory");
    }
}

// The softmax warp says to the correction warp of the same rows that a factor is there: a named
// barrier for each stage and warp.
__device__ __forceinline__ int stats_full(int t, int warp) {
    return 1 + 4 * t + warp % 4;
}

// The parity of the next wait at each copy of a barrier, as bits: an array indexed at run time
// would live in local memory. A role that may run ahead begins with ones.
struct Phases {
    unsigned parities = 0;
    __device__ unsigned next(int copy) {
        const unsigned now = parities >> copy & 1U;
        parities ^= 1U << copy;
        return now;
    }
};

// Columns of tensor memory: S of both stages, with P in the upper half of each, then O.
__device__ __forceinline__ unsigned s_columns(unsigned tmem, int t) {
    return tmem + t * kTileKv;
}
__device__ __forceinline__ unsigned p_columns(unsigned tmem, int t) {
    return s_columns(tmem, t) + kTileKv / 2;
}
template <Sm100Options kO>
__device__ __forceinline__ unsigned o_columns(unsigned tmem, int t) {
    return tmem + kQStages * kTileKv + t * kO.head_dim;
}
// A warp reaches the 32 lanes of its place among four.
__device__ __forceinline__ unsigned own_lanes(unsigned columns) {
    return columns + (threadIdx.x / 32 % 4 * 32 << 16);
}

// d = a b or d += a b, 16 deep; a from shared (descriptor) or tensor memory.
template <int kCtas>
__device__ __forceinline__ void multiply(unsigned d, std::uint64_t a, std::uint64_t b,
                                         std::uint32_t instruction, bool accumulate) {
    if constexpr (kCtas == 1) {
        asm volatile(
            "{ .reg .pred p; setp.ne.b32 p, %4, 0;\n"
            "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p; }" ::"r"(d),
            "l"(a), "l"(b), "r"(instruction), "r"(static_cast<unsigned>(accumulate))
            : "memory");
    } else {
        asm volatile(
            "{ .reg .pred p; setp.ne.b32 p, %4, 0;\n"
            "tcgen05.mma.cta_group::2.kind::f16 [%0], %1, %2, %3, p; }" ::"r"(d),
            "l"(a), "l"(b), "r"(instruction), "r"(static_cast<unsigned>(accumulate))
            : "memory");
    }
}
template <int kCtas>
__device__ __forceinline__ void multiply(unsigned d, unsigned a, std::uint64_t b,
                                         std::uint32_t instruction, bool accumulate) {
    if constexpr (kCtas == 1) {
        asm volatile(
            "{ .reg .pred p; setp.ne.b32 p, %4, 0;\n"
            "tcgen05.mma.cta_group::1.kind::f16 [%0], [%1], %2, %3, p; }" ::"r"(d),
            "r"(a), "l"(b), "r"(instruction), "r"(static_cast<unsigned>(accumulate))
            : "memory");
    } else {
        asm volatile(
            "{ .reg .pred p; setp.ne.b32 p, %4, 0;\n"
            "tcgen05.mma.cta_group::2.kind::f16 [%0], [%1], %2, %3, p; }" ::"r"(d),
            "r"(a), "l"(b), "r"(instruction), "r"(static_cast<unsigned>(accumulate))
            : "memory");
    }
}

}  // namespace attention
