// Shared memory of the Hopper kernel: tiles, barriers and the position in a ring.
#pragma once

#include "../common/wgmma.cuh"
#include "options.hpp"

namespace attention {

using micro::Mbarrier;

// Tiles are made of chunks of 64 columns, each a stack of 128-byte rows with their 16-byte pieces
// swizzled; every tile begins at a multiple of 1024 bytes.
template <Options kO>
struct Shared {
    static constexpr int kQueryChunk = kWarpgroupRows * micro::kRowBytes;
    static constexpr int kKeyChunk = kO.tile_kv * micro::kRowBytes;

    char* base;

    __device__ char* q(int warpgroup) const { return base + warpgroup * query_bytes(kO); }
    __device__ char* o(int warpgroup) const {
        return kO.output_buffer ? q(kO.consumers + warpgroup) : q(warpgroup);
    }
    __device__ char* k(int stage) const {
        return q(kO.consumers * (kO.output_buffer ? 2 : 1)) + stage * key_bytes(kO);
    }
    __device__ char* v(int stage) const { return k(kO.stages + stage); }

    __device__ Mbarrier& q_full(int warpgroup) const { return barrier(warpgroup); }
    __device__ Mbarrier& q_empty(int warpgroup) const { return barrier(kO.consumers + warpgroup); }
    __device__ Mbarrier& k_full(int stage) const { return ring_barrier(0, stage); }
    __device__ Mbarrier& k_empty(int stage) const { return ring_barrier(1, stage); }
    __device__ Mbarrier& v_full(int stage) const { return ring_barrier(2, stage); }
    __device__ Mbarrier& v_empty(int stage) const { return ring_barrier(3, stage); }

    // By one thread, before the others look.
    __device__ void init_barriers() const {
        for (int w = 0; w < kO.consumers; ++w) {
            q_full(w).init(1);
            // The last product's warps let go of Q; the thread that stored O lets go of its place.
            q_empty(w).init(kO.output_buffer ? 4 : 1);
        }
        for (int stage = 0; stage < kO.stages; ++stage) {
            k_full(stage).init(1);
            k_empty(stage).init(4 * kO.consumers);
            v_full(stage).init(1);
            v_empty(stage).init(4 * kO.consumers);
        }
        micro::fence_mbarrier_init();
    }

  private:
    __device__ Mbarrier& barrier(int index) const {
        return reinterpret_cast<Mbarrier*>(k(2 * kO.stages))[index];
    }
    __device__ Mbarrier& ring_barrier(int kind, int stage) const {
        return barrier(2 * kO.consumers + kind * kO.stages + stage);
    }
};

// Which stage of a ring comes next, and the parity of its phase. A producer starts with parity 1:
// waiting on a fresh barrier's preceding phase returns at once.
template <int kStages>
struct RingPosition {
    int stage = 0;
    unsigned parity = 0;

    __device__ void advance() {
        if (++stage == kStages) {
            stage = 0;
            parity ^= 1U;
        }
    }
};

}  // namespace attention
