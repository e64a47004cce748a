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
        for (int index = blockIdx.x; index < a_.tiles; index += gridDim.x, ++count_) {
            const Tile tile = tile_at<kQStages * kTileM, kTileKv>(a_, index);
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
    }

  private:
    __device__ void load_q(const Tile& tile, int t) {
        shared_.q_empty(t).wait(q_empty_.next(t));
        recorder_.stamp(Mark::kLoadQTile, count_, 0, t);
        load(&a_.q, shared_.q(t), shared_.q_full(t), tile.row + t * kTileM, tile.plane);
        recorder_.stamp(Mark::kLoadQTileIssued, count_, 0, t);
    }
    __device__ void load_k(const Tile& tile, int i) {
        acquire();
        recorder_.stamp(Mark::kLoadK, count_, i);
        load_kv(&a_.k, tile, i);
        recorder_.stamp(Mark::kLoadKIssued, count_, i);
    }
    __device__ void load_v(const Tile& tile, int i) {
        acquire();
        recorder_.stamp(Mark::kLoadV, count_, i);
        load_kv(&a_.v, tile, i);
        recorder_.stamp(Mark::kLoadVIssued, count_, i);
    }
    __device__ void acquire() { shared_.kv_empty(ring_.stage).wait(ring_.parity); }
    // The last block comes first, so that masked ones do.
    __device__ void load_kv(const CUtensorMap* map, const Tile& tile, int i) {
        load(map, shared_.kv(ring_.stage), shared_.kv_full(ring_.stage),
             (tile.blocks - 1 - i) * kTileKv, tile.kv_plane);
        ring_.advance();
    }
    __device__ void load(const CUtensorMap* map, char* to, Mbarrier& full, int row, int plane) {
        full.arrive_expect(tile_bytes(kO));
        for (int chunk = 0; chunk < kO.head_dim / 64; ++chunk) {
            micro::load_box(to + chunk * Sm100Shared<kO>::kChunk, map, chunk * 64, row, plane,
                            full);
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
        for (int index = blockIdx.x; index < a_.tiles; index += gridDim.x, ++count_) {
            const Tile tile = tile_at<kQStages * kTileM, kTileKv>(a_, index);
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
            shared_.q_full(t).wait(q_full_.next(t));
            qk(t, k, 0);
        }
        micro::tcgen05_commit<1>(shared_.kv_empty(k));
        for (int i = 1; i < tile.blocks; ++i) {
            const int v = take();
#pragma unroll 1
            for (int t = 0; t < kQStages; ++t) {
                pv(t, v, i - 1);
                if (t == 0)
                    k = take();
                if (t == kQStages - 1)
                    micro::tcgen05_commit<1>(shared_.kv_empty(v));
                qk(t, k, i);
            }
            micro::tcgen05_commit<1>(shared_.kv_empty(k));
        }
        for (int t = 0; t < kQStages; ++t)
            micro::tcgen05_commit<1>(shared_.q_empty(t));
        const int v = take();
#pragma unroll 1
        for (int t = 0; t < kQStages; ++t) {
            pv(t, v, tile.blocks - 1);
            micro::tcgen05_commit<1>(shared_.o_full(t));
        }
        micro::tcgen05_commit<1>(shared_.kv_empty(v));
    }

    __device__ int take() {
        const int slot = ring_.stage;
        shared_.kv_full(slot).wait(ring_.parity);
        micro::tcgen05_after_sync();
        ring_.advance();
        return slot;
    }

    // S = Q K^T of step i, both by rows.
    __device__ void qk(int t, int slot, int i) {
        constexpr std::uint32_t kInstruction = micro::tcgen05_instruction(kTileM, kTileKv);
        const std::uint64_t q = micro::tcgen05_descriptor(shared_.q(t));
        const std::uint64_t k = micro::tcgen05_descriptor(shared_.kv(slot));
        recorder_.stamp(Mark::kQk, count_, i, t);
#pragma unroll
        for (int slice = 0; slice < kO.head_dim / 16; ++slice) {
            const std::uint64_t step = slice / micro::kSlices * (Sm100Shared<kO>::kChunk / 16) +
                                       slice % micro::kSlices * micro::kSliceStep;
            multiply(s_columns(tmem_, t), q + step, k + step, kInstruction, slice > 0);
        }
        micro::tcgen05_commit<1>(shared_.s_full(t));
        recorder_.stamp(Mark::kQkHandedOver, count_, i, t);
    }

    // O += P V of step i in two parts; V by rows of keys, which the instruction multiplies across.
    __device__ void pv(int t, int slot, int i) {
        constexpr std::uint32_t kTransposeB = 1U << 16;
        constexpr std::uint32_t kInstruction =
            micro::tcgen05_instruction(kTileM, kO.head_dim) | kTransposeB;
        constexpr std::uint64_t kLeading =
            static_cast<std::uint64_t>(Sm100Shared<kO>::kChunk / 16 - 1) << 16;
        const std::uint64_t v = micro::tcgen05_descriptor(shared_.kv(slot)) + kLeading;
        shared_.p_ready(t).wait(p_ready_.next(t));
        micro::tcgen05_after_sync();
        recorder_.stamp(Mark::kPvFirst, count_, i, t);
#pragma unroll
        for (int slice = 0; slice < kTileKv / 16; ++slice) {
            if (slice == kEarlyFragments * kFragment / 16) {
                recorder_.stamp(Mark::kPvFirstIssued, count_, i, t);
                shared_.p_last(t).wait(p_last_.next(t));
                micro::tcgen05_after_sync();
                recorder_.stamp(Mark::kPvLast, count_, i, t);
            }
            multiply(o_columns<kO>(tmem_, t), p_columns(tmem_, t) + slice * 8,
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
    for (int index = blockIdx.x; index < a.tiles; index += gridDim.x, ++count) {
        const Tile tile = tile_at<kQStages * kTileM, kTileKv>(a, index);
        recorder.begin_tile(0);
        for (int t = 0; t < kQStages; ++t) {
            shared.store_full(t).wait(store_full.next(t));
            recorder.stamp(Mark::kStoreO, count, 0, t);
            const int row = tile.row + t * kTileM;
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
