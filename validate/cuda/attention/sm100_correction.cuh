// The correction role of the Blackwell kernel: rescales O where a row maximum rose, and normalises
// it at the end.
#pragma once

#include "recorder.cuh"
#include "sm100_shared.cuh"
#include "sm90_softmax.cuh"

namespace attention {

template <Sm100Options kO>
class Sm100Correction {
  public:
    __device__ Sm100Correction(const Arguments& arguments, Sm100Shared<kO> shared, unsigned tmem)
        : a_(arguments),
          shared_(shared),
          tmem_(tmem),
          row_(threadIdx.x % kTileM),
          recorder_(arguments, kCorrectionRole, kSm100Roles, threadIdx.x % kTileM == 0) {
        store_empty_.parities = ~0U;
    }

    __device__ void run() {
        for (int t = 0; t < kQStages; ++t)
            arrive_at_leader<kO>(shared_.p_ready(t));  // the first product overwrites O
        for (int index = first_tile<kO>(); index < a_.tiles; index += tile_stride<kO>(), ++count_) {
            const Tile tile = sm100_tile<kO>(a_, index);
            recorder_.begin_tile(tile.blocks);
            executions_ = 0;
            if (tile.blocks > 0)
                correct(tile);
            for (int t = 0; t < kQStages; ++t)
                finish(t, tile.blocks > 0);
        }
    }

  private:
    static constexpr int kColumns = 16;  // at a time

    __device__ void correct(const Tile& tile) {
        wait_stats(0);
        shared_.stats_empty(0).arrive();
        wait_stats(1);
        for (int i = 1; i < tile.blocks; ++i) {
            for (int t = 0; t < kQStages; ++t) {
                wait_stats(t);
                const float factor = shared_.scale(t, row_);
                if (__any_sync(~0U, factor < 1))
                    rescale(t, factor);
                arrive_at_leader<kO>(shared_.p_ready(t));
                shared_.stats_empty(kQStages - 1 - t).arrive();
            }
        }
        shared_.stats_empty(1).arrive();
    }

    // All earlier products into O are complete: S of this step, which came after them, is.
    __device__ void rescale(int t, float factor) {
        const unsigned columns = own_lanes(o_columns<kO>(tmem_, t));
#pragma unroll 1
        for (int c = 0; c < kO.head_dim; c += kColumns) {
            std::uint32_t words[kColumns];
            recorder_.stamp(Mark::kLoadO, count_, executions_);
            load(words, columns + c);
            recorder_.stamp(Mark::kOLoadedToRescale, count_, executions_);
#pragma unroll
            for (std::uint32_t& word : words)
                word = __float_as_uint(__uint_as_float(word) * factor);
            micro::tcgen05_st_32x32b_x16(columns + c, words);
            recorder_.stamp(Mark::kORescaled, count_, executions_++);
        }
        micro::tmem_wait_store();
        micro::tcgen05_before_sync();
    }

    __device__ void finish(int t, bool any_keys) {
        float factor = 0;
        if (any_keys) {
            wait_stats(t);
            const float sum = shared_.scale(t, row_);
            shared_.stats_empty(t).arrive();
            factor = sum > 0 ? 1 / sum : 0;
            wait_for<kO>(shared_.o_full(t), o_full_.next(t));
            micro::tcgen05_after_sync();
        }
        shared_.store_empty(t).wait(store_empty_.next(t));
        const unsigned columns = own_lanes(o_columns<kO>(tmem_, t));
#pragma unroll 1
        for (int c = 0; c < kO.head_dim; c += kColumns) {
            std::uint32_t words[kColumns] = {};
            recorder_.stamp(Mark::kLoadO, count_, executions_);
            if (any_keys)
                load(words, columns + c);
            recorder_.stamp(Mark::kOLoadedToNormalise, count_, executions_);
            store_row(shared_.o(t), c, words, factor);
            recorder_.stamp(Mark::kONormalised, count_, executions_++);
        }
        micro::fence_async_proxy();
        if (any_keys) {
            micro::tcgen05_before_sync();
            arrive_at_leader<kO>(shared_.p_ready(t));
        }
        shared_.store_full(t).arrive();
    }

    // 16 columns of this thread's row: two 16-byte pieces of the swizzled tile.
    __device__ void store_row(char* tile, int c, const std::uint32_t (&words)[kColumns],
                              float factor) {
        char* const chunk = tile + c / 64 * Sm100Shared<kO>::kChunk;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            std::uint32_t packed[4];
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const int from = half * 8 + 2 * j;
                packed[j] = pack_bf16(__uint_as_float(words[from]) * factor,
                                      __uint_as_float(words[from + 1]) * factor);
            }
            const unsigned byte = c % 64 * 2 + half * 16;
            *reinterpret_cast<uint4*>(chunk + micro::swizzled(row_, byte)) =
                make_uint4(packed[0], packed[1], packed[2], packed[3]);
        }
    }

    static __device__ __forceinline__ void load(std::uint32_t (&words)[kColumns], unsigned from) {
        micro::tcgen05_ld_32x32b_x16(words, from);
        micro::tmem_wait_load();
#pragma unroll
        for (std::uint32_t& word : words)
            asm volatile("" : "+r"(word)::"memory");
    }

    __device__ void wait_stats(int t) {
        micro::named_sync(stats_full(t, static_cast<int>(threadIdx.x) / 32), 64);
        micro::tcgen05_after_sync();
    }

    const Arguments& a_;
    Sm100Shared<kO> shared_;
    unsigned tmem_;
    int row_;
    Recorder<kO.timeline> recorder_;
    Phases o_full_;
    Phases store_empty_;
    int count_ = 0;
    int executions_ = 0;  // of the steps of 16 columns in this tile
};

}  // namespace attention
