// The load role: one thread keeps the rings of K and V full and brings each warpgroup its queries.
#pragma once

#include "recorder.cuh"
#include "sm90_shared.cuh"

namespace attention {

template <Options kO>
class Producer {
  public:
    __device__ Producer(const Arguments& arguments, Shared<kO> shared)
        : a_(arguments), shared_(shared), recorder_(arguments, 0, kO.consumers + 1, true) {}

    __device__ void run() {
        keys_.parity = values_.parity = 1;
        unsigned q_parity = 1;
        for (int index = blockIdx.x; index < a_.tiles; index += gridDim.x, ++count_) {
            const Tile tile = tile_at<tile_rows(kO), kO.tile_kv>(a_, index);
            if (tile.blocks == 0)
                continue;
            recorder_.begin_tile(tile.blocks);
            // The first keys need not wait for the last tile's output, Q may have to.
            load_k(tile, 0);
            for (int w = 0; w < kO.consumers; ++w)
                load_q(tile, w, q_parity);
            q_parity ^= 1U;
            // In the order in which the consumers want them.
            for (int i = 1; i < tile.blocks; ++i) {
                if (kO.overlap) {
                    load_k(tile, i);
                    load_v(tile, i - 1);
                } else {
                    load_v(tile, i - 1);
                    load_k(tile, i);
                }
            }
            load_v(tile, tile.blocks - 1);
        }
    }

  private:
    __device__ void load_q(const Tile& tile, int w, unsigned parity) {
        recorder_.stamp(Mark::kLoadQ, count_, w);
        shared_.q_empty(w).wait(parity);
        shared_.q_full(w).arrive_expect(query_bytes(kO));
        for (int chunk = 0; chunk < kO.head_dim / kBoxColumns; ++chunk) {
            micro::load_box(shared_.q(w) + chunk * Shared<kO>::kQueryChunk, &a_.q,
                            chunk * kBoxColumns, tile.row + w * kWarpgroupRows, tile.plane,
                            shared_.q_full(w));
        }
        recorder_.stamp(Mark::kLoadQIssued, count_, w);
    }

    __device__ void load_k(const Tile& tile, int i) {
        recorder_.stamp(Mark::kLoadK, count_, i);
        shared_.k_empty(keys_.stage).wait(keys_.parity);
        load_rows(&a_.k, shared_.k(keys_.stage), shared_.k_full(keys_.stage), tile, i);
        keys_.advance();
        recorder_.stamp(Mark::kLoadKIssued, count_, i);
    }

    __device__ void load_v(const Tile& tile, int i) {
        recorder_.stamp(Mark::kLoadV, count_, i);
        shared_.v_empty(values_.stage).wait(values_.parity);
        load_rows(&a_.v, shared_.v(values_.stage), shared_.v_full(values_.stage), tile, i);
        values_.advance();
        recorder_.stamp(Mark::kLoadVIssued, count_, i);
    }

    // Step i works on block blocks - 1 - i: the masked blocks, at the end, come first.
    __device__ void load_rows(const CUtensorMap* map, char* to, Mbarrier& full, const Tile& tile,
                              int i) {
        full.arrive_expect(key_bytes(kO));
        for (int chunk = 0; chunk < kO.head_dim / kBoxColumns; ++chunk) {
            micro::load_box(to + chunk * Shared<kO>::kKeyChunk, map, chunk * kBoxColumns,
                            (tile.blocks - 1 - i) * kO.tile_kv, tile.kv_plane, full);
        }
    }

    const Arguments& a_;
    Shared<kO> shared_;
    Recorder<kO.timeline> recorder_;
    RingPosition<kO.stages> keys_;
    RingPosition<kO.stages> values_;
    int count_ = 0;
};

}  // namespace attention
