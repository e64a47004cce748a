// The roles of the Blackwell kernel that one thread runs: load and mma; and epilogue, one warp.
#pragma once

#include "recorder.cuh"
#include "sm100_shared.cuh"
#include "sm90_shared.cuh"

namespace attention {

template <Sm100Options kO>
class Sm100Load {
  public:
    __device__ Sm100Load(const Arguments& arguments, Sm100Shared<kO> shared)
        : a_(arguments), shared_(shared), recorder_(arguments, kLoadRole, kSm100Roles, true) {
        ring_.parity = 1;
        q_empty_.parities = ~0U;
    }

    __device__ void run() {
        for (int index = first_tile<kO>(); index < a_.tiles; index += tile_stride<kO>(), ++count_) {
            const Tile tile = sm100_tile<kO>(a_, index);
            recorder_.begin_tile(tile.blocks);
            if (tile.blocks == 0)
                continue;
            load_k(tile, 0);
            for (int t = 0; t < kQStages; ++t)
                load_q(tile, t);
            load_v(tile, 0);
            for (int i = 1; i < tile.blocks; ++i) {
                load_k(tile, i);
                load_v(tile, i);
            }
        }
        if constexpr (kO.ctas == 2)
            wait_for_consumers();
    }

  private:
    // The leader's last products still arrive here: their barriers must outlive them.
    __device__ void wait_for_consumers() {
        for (int slot = 0; slot < Sm100Shared<kO>::kKvStages; ++slot) {
            acquire();
            ring_.advance();
        }
        for (int t = 0; t < kQStages; ++t)
            wait_for<kO>(shared_.q_empty(t), q_empty_.next(t));
    }
    __device__ void load_q(const Tile& tile, int t) {
        wait_for<kO>(shared_.q_empty(t), q_empty_.next(t));
        recorder_.stamp(Mark::kLoadQTile, count_, 0, t);
        expect(shared_.q_full(t), tile_bytes(kO));
        for (int chunk = 0; chunk < kO.head_dim / 64; ++chunk) {
            load(&a_.q, shared_.q(t) + chunk * Sm100Shared<kO>::kChunk, shared_.q_full(t), chunk,
                 stage_row<kO>(tile, t), tile.plane);
        }
        recorder_.stamp(Mark::kLoadQTileIssued, count_, 0, t);
    }
    __device__ void load_k(const Tile& tile, int i) {
        acquire();
        recorder_.stamp(Mark::kLoadK, count_, i);
        // Of a pair, each CTA takes half of the keys.
        constexpr int kKeys = kTileKv / kO.ctas;
        expect(full(), kv_bytes(kO));
        for (int chunk = 0; chunk < kO.head_dim / 64; ++chunk) {
            load(&a_.k, shared_.kv(ring_.stage) + chunk * Sm100Shared<kO>::kKeyChunk, full(), chunk,
                 first_key(tile, i) + pair_rank<kO>() * kKeys, tile.kv_plane);
        }
        ring_.advance();
        recorder_.stamp(Mark::kLoadKIssued, count_, i);
    }
    __device__ void load_v(const Tile& tile, int i) {
        acquire();
        recorder_.stamp(Mark::kLoadV, count_, i);
        // Of a pair, each CTA takes half of the columns.
        constexpr int kChunks = kO.head_dim / 64 / kO.ctas;
        expect(full(), kv_bytes(kO));
        for (int chunk = 0; chunk < kChunks; ++chunk) {
            load(&a_.v, shared_.kv(ring_.stage) + chunk * Sm100Shared<kO>::kChunk, full(),
                 pair_rank<kO>() * kChunks + chunk, first_key(tile, i), tile.kv_plane);
        }
        ring_.advance();
        recorder_.stamp(Mark::kLoadVIssued, count_, i);
    }
    __device__ void acquire() { wait_for<kO>(shared_.kv_empty(ring_.stage), ring_.parity); }
    __device__ Mbarrier& full() { return shared_.kv_full(ring_.stage); }
    // The last block comes first, so that masked ones do.
    static __device__ int first_key(const Tile& tile, int i) {
        return (tile.blocks - 1 - i) * kTileKv;
    }
    // The leader's barrier counts the bytes of both CTAs of a pair. The other's may come first.
    __device__ void expect(Mbarrier& barrier, int bytes) {
        if (pair_rank<kO>() == 0)
            barrier.arrive_expect(bytes * kO.ctas);
    }
    __device__ void load(const CUtensorMap* map, char* to, Mbarrier& barrier, int chunk, int row,
                         int plane) {
        if constexpr (kO.ctas == 1) {
            micro::load_box(to, map, chunk * 64, row, plane, barrier);
        } else {
            micro::load_box_of_pair(to, map, chunk * 64, row, plane, barrier);
        }
    }

    const Arguments& a_;
    Sm100Shared<kO> shared_;
    Recorder<kO.timeline> recorder_;
    RingPosition<Sm100Shared<kO>::kKvStages> ring_;
    Phases q_empty_;
    int count_ = 0;
};

template <Sm100Options kO>
class Sm100Mma {
  public:
    __device__ Sm100Mma(const Arguments& arguments, Sm100Shared<kO> shared, unsigned tmem)
        : a_(arguments),
          shared_(shared),
          tmem_(tmem),
          recorder_(arguments, kMmaRole, kSm100Roles, true) {}

    __device__ void run() {
        for (int index = first_tile<kO>(); index < a_.tiles; index += tile_stride<kO>(), ++count_) {
            const Tile tile = sm100_tile<kO>(a_, index);
            recorder_.begin_tile(tile.blocks);
            if (tile.blocks > 0)
                multiply_tile(tile);
        }
    }

  private:
    __device__ void multiply_tile(const Tile& tile) {
        int k = take();
#pragma unroll 1
        for (int t = 0; t < kQStages; ++t) {
            wait_for<kO>(shared_.q_full(t), q_full_.next(t));
            qk(t, k, 0);
        }
        micro::tcgen05_commit<kO.ctas>(shared_.kv_empty(k));
        for (int i = 1; i < tile.blocks; ++i) {
            const int v = take();
#pragma unroll 1
            for (int t = 0; t < kQStages; ++t) {
                pv(t, v, i - 1);
                if (t == 0)
                    k = take();
                if (t == kQStages - 1)
                    micro::tcgen05_commit<kO.ctas>(shared_.kv_empty(v));
                qk(t, k, i);
            }
            micro::tcgen05_commit<kO.ctas>(shared_.kv_empty(k));
        }
        for (int t = 0; t < kQStages; ++t)
            micro::tcgen05_commit<kO.ctas>(shared_.q_empty(t));
        const int v = take();
#pragma unroll 1
        for (int t = 0; t < kQStages; ++t) {
            pv(t, v, tile.blocks - 1);
            micro::tcgen05_commit<kO.ctas>(shared_.o_full(t));
        }
        micro::tcgen05_commit<kO.ctas>(shared_.kv_empty(v));
    }

    __device__ int take() {
        const int slot = ring_.stage;
        wait_for<kO>(shared_.kv_full(slot), ring_.parity);
        micro::tcgen05_after_sync();
        ring_.advance();
        return slot;
    }

    // S = Q K^T of step i, both by rows.
    __device__ void qk(int t, int slot, int i) {
        constexpr std::uint32_t kInstruction =
            micro::tcgen05_instruction(kTileM * kO.ctas, kTileKv);
        const std::uint64_t q = micro::tcgen05_descriptor(shared_.q(t));
        const std::uint64_t k = micro::tcgen05_descriptor(shared_.kv(slot));
        recorder_.stamp(Mark::kQk, count_, i, t);
#pragma unroll
        for (int slice = 0; slice < kO.head_dim / 16; ++slice) {
            const std::uint64_t column = slice % micro::kSlices * micro::kSliceStep;
            const int chunk = slice / micro::kSlices;
            multiply<kO.ctas>(
                s_columns(tmem_, t), q + chunk * (Sm100Shared<kO>::kChunk / 16) + column,
                k + chunk * (Sm100Shared<kO>::kKeyChunk / 16) + column, kInstruction, slice > 0);
        }
        micro::tcgen05_commit<kO.ctas>(shared_.s_full(t));
        recorder_.stamp(Mark::kQkHandedOver, count_, i, t);
    }

    // O += P V of step i in two parts; V by rows of keys, which the instruction multiplies across.
    __device__ void pv(int t, int slot, int i) {
        constexpr std::uint32_t kTransposeB = 1U << 16;
        constexpr std::uint32_t kInstruction =
            micro::tcgen05_instruction(kTileM * kO.ctas, kO.head_dim) | kTransposeB;
        constexpr std::uint64_t kLeading =
            static_cast<std::uint64_t>(Sm100Shared<kO>::kChunk / 16 - 1) << 16;
        const std::uint64_t v = micro::tcgen05_descriptor(shared_.kv(slot)) + kLeading;
        wait_for<kO>(shared_.p_ready(t), p_ready_.next(t));
        micro::tcgen05_after_sync();
        recorder_.stamp(Mark::kPvFirst, count_, i, t);
#pragma unroll
        for (int slice = 0; slice < kTileKv / 16; ++slice) {
            if (slice == kEarlyFragments * kFragment / 16) {
                recorder_.stamp(Mark::kPvFirstIssued, count_, i, t);
                wait_for<kO>(shared_.p_last(t), p_last_.next(t));
                micro::tcgen05_after_sync();
                recorder_.stamp(Mark::kPvLast, count_, i, t);
            }
            multiply<kO.ctas>(o_columns<kO>(tmem_, t), p_columns(tmem_, t) + slice * 8,
                              v + slice * micro::kRowBytes, kInstruction, i > 0 || slice > 0);
        }
        recorder_.stamp(Mark::kPvLastIssued, count_, i, t);
    }

    const Arguments& a_;
    Sm100Shared<kO> shared_;
    unsigned tmem_;
    Recorder<kO.timeline> recorder_;
    RingPosition<Sm100Shared<kO>::kKvStages> ring_;
    Phases q_full_;
    Phases p_ready_;
    Phases p_last_;
    int count_ = 0;
};

// Writes finished tiles out; the whole warp runs it, its first lane stores.
template <Sm100Options kO>
__device__ void sm100_epilogue(const Arguments& a, Sm100Shared<kO> shared) {
    const bool first = threadIdx.x % 32 == 0;
    Phases store_full;
    Recorder<kO.timeline> recorder(a, kEpilogueRole, kSm100Roles, first);
    int count = 0;
    for (int index = first_tile<kO>(); index < a.tiles; index += tile_stride<kO>(), ++count) {
        const Tile tile = sm100_tile<kO>(a, index);
        recorder.begin_tile(0);
        for (int t = 0; t < kQStages; ++t) {
            shared.store_full(t).wait(store_full.next(t));
            recorder.stamp(Mark::kStoreO, count, 0, t);
            const int row = stage_row<kO>(tile, t);
            for (int chunk = 0; first && row < a.shape.seqlen_q && chunk < kO.head_dim / 64;
                 ++chunk) {
                micro::store_box(&a.o, chunk * 64, row, tile.plane,
                                 shared.o(t) + chunk * Sm100Shared<kO>::kChunk);
            }
            if (first)
                micro::commit_stores();
            recorder.stamp(Mark::kStoreOIssued, count, 0, t);
        }
        for (int t = 0; t < kQStages; ++t) {
            if (first && t == 0)
                asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
            else if (first)
                micro::wait_stores_read();
            __syncwarp();
            shared.store_empty(t).arrive();
        }
    }
}

}  // namespace attention
