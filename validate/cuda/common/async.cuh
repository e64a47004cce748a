// Barriers in shared memory and the bulk copy engine (compute capability 9.0 and later).
#pragma once

#include <cstdint>
#include <cuda.h>
#include <cuda_runtime.h>

namespace micro {

__device__ __forceinline__ unsigned shared_address(const void* pointer) {
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// Makes ordinary stores to shared memory visible to the tensor cores and the copy engine.
__device__ __forceinline__ void fence_async_proxy() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

class Mbarrier {
  public:
    __device__ void init(unsigned arrivals) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address()), "r"(arrivals)
                     : "memory");
    }
    __device__ void arrive() {
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address()) : "memory");
    }
    // Arrives and raises the number of bytes the copy engine owes this phase.
    __device__ void arrive_expect(unsigned bytes) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address()),
                     "r"(bytes)
                     : "memory");
    }
    // Arrives on the same barrier of another block of the cluster: with earlier writes released to
    // the whole cluster, or with the default release to the own block.
    __device__ void arrive_remote_release(unsigned rank) {
        asm volatile(
            "{ .reg .b32 remote; mapa.shared::cluster.u32 remote, %0, %1;\n"
            "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote]; }" ::"r"(address()),
            "r"(rank)
            : "memory");
    }
    __device__ void arrive_remote(unsigned rank) {
        asm volatile(
            "{ .reg .b32 remote; mapa.shared::cluster.u32 remote, %0, %1;\n"
            "mbarrier.arrive.shared::cluster.b64 _, [remote]; }" ::"r"(address()),
            "r"(rank)
            : "memory");
    }
    [[nodiscard]] __device__ bool try_wait(unsigned parity) {
        unsigned done;
        asm volatile(
            "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
            "selp.u32 %0, 1, 0, p; }"
            : "=r"(done)
            : "r"(address()), "r"(parity)
            : "memory");
        return done != 0;
    }
    __device__ void wait(unsigned parity) {
        while (!try_wait(parity)) {
        }
    }
    // The same, where arrivals of other blocks of the cluster are acquired, too.
    __device__ void wait_cluster(unsigned parity) {
        unsigned done = 0;
        while (done == 0) {
            asm volatile(
                "{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], "
                "%2;\nselp.u32 %0, 1, 0, p; }"
                : "=r"(done)
                : "r"(address()), "r"(parity)
                : "memory");
        }
    }
    [[nodiscard]] __device__ unsigned address() { return shared_address(&word_); }

  private:
    std::uint64_t word_;
};

// Barriers just initialised become visible to the copy engine and to the cluster.
__device__ __forceinline__ void fence_mbarrier_init() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// One box of a two-dimensional tensor, from global to shared memory.
__device__ __forceinline__ void load_box(void* to, const CUtensorMap* map, int column, int row,
                                         Mbarrier& barrier) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        " [%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
        "l"(map), "r"(column), "r"(row), "r"(barrier.address())
        : "memory");
}

// The same from one plane of a three-dimensional tensor.
__device__ __forceinline__ void load_box(void* to, const CUtensorMap* map, int column, int row,
                                         int plane, Mbarrier& barrier) {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        " [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(to)),
        "l"(map), "r"(column), "r"(row), "r"(plane), "r"(barrier.address())
        : "memory");
}

__device__ __forceinline__ void store_box(const CUtensorMap* map, int column, int row, int plane,
                                          const void* from) {
    asm volatile(
        "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3}], [%4];" ::
            "l"(map),
        "r"(column), "r"(row), "r"(plane), "r"(shared_address(from))
        : "memory");
}

__device__ __forceinline__ void store_box(const CUtensorMap* map, int column, int row,
                                          const void* from) {
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(
            map),
        "r"(column), "r"(row), "r"(shared_address(from))
        : "memory");
}

__device__ __forceinline__ void commit_stores() {
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
// Until the writes are visible, or (read) until the source may be overwritten.
__device__ __forceinline__ void wait_stores() {
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
__device__ __forceinline__ void wait_stores_read() {
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

// Named barrier `id` for `threads` threads.
__device__ __forceinline__ void named_sync(int id, int threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
__device__ __forceinline__ void named_arrive(int id, int threads) {
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

}  // namespace micro
