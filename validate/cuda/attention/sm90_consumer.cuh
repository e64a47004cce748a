// The compute role: one warpgroup takes 64 query rows through all their blocks of keys.
#pragma once

#include "recorder.cuh"
#include "sm90_shared.cuh"
#include "sm90_softmax.cuh"
#include "wgmma_attention.cuh"

namespace attention {

// Descriptor of a V tile: rows of keys, multiplied across them (the instruction's K dimension runs
// over rows). `chunk_bytes` from one 64 columns to the next, 1024 bytes from 8 rows to the next.
__device__ __forceinline__ std::uint64_t row_major_descriptor(const void* tile, int chunk_bytes) {
    constexpr std::uint64_t kLeadingOne = std::uint64_t{1} << 16;
    const auto leading = static_cast<std::uint64_t>(chunk_bytes / 16) << 16;
    return micro::descriptor(tile) - kLeadingOne + leading;
}

template <Options kO>
class Consumer {
  public:
    __device__ Consumer(const Arguments& arguments, Shared<kO> shared, int warpgroup)
        : a_(arguments),
          shared_(shared),
          w_(warpgroup),
          thread_(threadIdx.x % kWarpgroupThreads),
          recorder_(arguments, 1 + warpgroup, kO.consumers + 1,
                    threadIdx.x % kWarpgroupThreads == 0),
          softmax_(arguments.scale_log2) {}

    __device__ void run() {
        if (w_ == kO.consumers - 1)
            pass_turn();  // the first warpgroup begins
        unsigned q_parity = 0;
        stamp(Mark::kCost, 0);
        stamp(Mark::kCost, 1);
        for (int index = blockIdx.x; index < a_.tiles; index += gridDim.x, ++count_) {
            const Tile tile = tile_at<tile_rows(kO), kO.tile_kv>(a_, index);
            recorder_.begin_tile(tile.blocks);
            stamp(Mark::kTile, 0);
            softmax_.restart();
#pragma unroll
            for (float& value : output_)
                value = 0;
            if (tile.blocks > 0) {
                stamp(Mark::kQWait, 0);
                shared_.q_full(w_).wait(q_parity);
                stamp(Mark::kQReady, 0);
                q_parity ^= 1U;
                if constexpr (kO.overlap)
                    overlapped(tile);
                else
                    in_sequence(tile);
            }
            finish(tile);
        }
        if (w_ == 0)
            take_turn();  // leaves the barrier as it was found
        if (thread_ == 0)
            micro::wait_stores_read();
    }

  private:
    static constexpr int kScores = kO.tile_kv / 2;
    static constexpr int kOutputs = kO.head_dim / 2;

    // QK of a step is issued together with PV of the step before; the softmax then runs under PV.
    __device__ __forceinline__ void overlapped(const Tile& tile) {
        first_scores(tile);
        convert();
        int i = 1;
        for (; i < tile.masked; ++i)
            overlapped_step<true>(tile, i);
        for (; i < tile.blocks; ++i)
            overlapped_step<false>(tile, i);
        release_q();
        stamp(Mark::kVWait, i - 1);
        wait_v(i - 1);
        multiply_values(i - 1);
        micro::wgmma_wait<0>();
        pin(output_);
        release_v(i - 1);
    }

    template <bool kMasked>
    __device__ __forceinline__ void overlapped_step(const Tile& tile, int i) {
        wait_k(i);
        take_turn();
        multiply_keys(i);
        wait_v(i - 1);
        multiply_values(i - 1);
        pass_turn();
        micro::wgmma_wait<1>();
        pin(scores_);
        release_k(i);
        exponentials<kMasked>(tile, i);
        micro::wgmma_wait<0>();
        pin(output_);
        pin(scores_);
        release_v(i - 1);
        convert();
        rescale();
        if constexpr (kO.timeline)
            pin(output_);
        stamp(Mark::kRescaled, i);
    }

    // Each step's QK, softmax and PV one after the other; only other warpgroups fill the gaps.
    __device__ __forceinline__ void in_sequence(const Tile& tile) {
        first_scores(tile);
        int i = 0;
        while (true) {
            convert();
            rescale();
            stamp(Mark::kRescaled, i);
            stamp(Mark::kVWait, i);
            wait_v(i);
            multiply_values(i);
            micro::wgmma_wait<0>();
            pin(output_);
            release_v(i);
            if (++i == tile.blocks)
                break;
            wait_k(i);
            take_turn();
            multiply_keys(i);
            micro::wgmma_wait<0>();
            pass_turn();
            pin(scores_);
            release_k(i);
            if (i < tile.masked)
                exponentials<true>(tile, i);
            else
                exponentials<false>(tile, i);
        }
        release_q();
    }

    __device__ __forceinline__ void first_scores(const Tile& tile) {
        wait_k(0);
        multiply_keys(0);
        micro::wgmma_wait<0>();
        pin(scores_);
        release_k(0);
        if (tile.masked > 0)
            exponentials<true>(tile, 0);
        else
            exponentials<false>(tile, 0);
    }

    // scores = Q K^T, left in flight.
    __device__ __forceinline__ void multiply_keys(int i) {
        stamp(Mark::kTurn, i);
        const std::uint64_t q = micro::descriptor(shared_.q(w_));
        const std::uint64_t k = micro::descriptor(shared_.k(keys_.stage));
        micro::wgmma_fence();
        begin_scores(scores_, q, k);
#pragma unroll
        for (int slice = 1; slice < kO.head_dim / 16; ++slice) {
            const int chunk = slice / micro::kSlices;
            const std::uint64_t within = slice % micro::kSlices * micro::kSliceStep;
            add_scores(scores_, q + chunk * (Shared<kO>::kQueryChunk / 16) + within,
                       k + chunk * (Shared<kO>::kKeyChunk / 16) + within);
        }
        micro::wgmma_commit();
        stamp(Mark::kQkIssued, i);
    }

    // output += P V, left in flight.
    __device__ __forceinline__ void multiply_values(int i) {
        constexpr std::uint64_t k16Rows = 16 * micro::kRowBytes / 16;
        const std::uint64_t v =
            row_major_descriptor(shared_.v(values_.stage), Shared<kO>::kKeyChunk);
        micro::wgmma_fence();
#pragma unroll
        for (int slice = 0; slice < kO.tile_kv / 16; ++slice)
            add_outputs(output_, probabilities_[slice], v + slice * k16Rows);
        micro::wgmma_commit();
        stamp(Mark::kPvIssued, i);
    }

    template <bool kMasked>
    __device__ __forceinline__ void exponentials(const Tile& tile, int i) {
        if constexpr (kMasked)
            mask(tile, tile.blocks - 1 - i);
        softmax_.template update<kMasked>(scores_);
        if constexpr (kO.timeline)
            pin(scores_);
        stamp(Mark::kSoftmaxDone, i);
    }

    __device__ __forceinline__ void mask(const Tile& tile, int block) {
        const Shape& s = a_.shape;
        const int column = block * kO.tile_kv + 2 * (thread_ % 4);
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            const int seen =
                kO.causal ? row(tile) + 8 * h + s.seqlen_kv - s.seqlen_q + 1 : s.seqlen_kv;
            const int limit = (seen < s.seqlen_kv ? seen : s.seqlen_kv) - column;
#pragma unroll
            for (int j = 2 * h; j < kScores; j += 4) {
                for (int k = 0; k < 2; ++k) {
                    if (2 * (j - 2 * h) + k >= limit)
                        scores_[j + k] = kMinusInfinity;
                }
            }
        }
    }

    // A operands of the PV instructions: accumulators of 16 columns are in their places already.
    __device__ __forceinline__ void convert() {
#pragma unroll
        for (int i = 0; i < kScores; i += 2)
            probabilities_[i / 8][i / 2 % 4] = pack_bf16(scores_[i], scores_[i + 1]);
    }

    __device__ __forceinline__ void rescale() {
#pragma unroll
        for (int i = 0; i < kOutputs; ++i)
            output_[i] *= softmax_.rescale(i / 2 % 2);
    }

    __device__ __forceinline__ void finish(const Tile& tile) {
        stamp(Mark::kAllDone, 0);
        const float factor[2] = {softmax_.normaliser(0), softmax_.normaliser(1)};
#pragma unroll
        for (int i = 0; i < kOutputs; ++i)
            output_[i] *= factor[i / 2 % 2];
        if (a_.lse != nullptr && thread_ % 4 == 0) {
            for (int h = 0; h < 2; ++h) {
                if (row(tile) + 8 * h < a_.shape.seqlen_q) {
                    a_.lse[static_cast<long long>(tile.plane) * a_.shape.seqlen_q + row(tile) +
                           8 * h] = softmax_.log_sum(h);
                }
            }
        }
        stamp(Mark::kNormalised, 0);
        store(tile);
        stamp(Mark::kStored, 0);
    }

    // Through shared memory, from where the copy engine leaves out rows past the end.
    __device__ __forceinline__ void store(const Tile& tile) {
        const int all = 1 + kO.consumers + w_;
        if (kO.output_buffer && thread_ == 0)
            micro::wait_stores_read();  // of the tile before
        micro::named_sync(all, kWarpgroupThreads);
        char* const to = shared_.o(w_);
        const int r = thread_ / 32 * 16 + thread_ % 32 / 4;
#pragma unroll
        for (int i = 0; i < kOutputs; i += 2) {
            const int column = i / 4 * 8 + thread_ % 4 * 2;
            const unsigned at = column / kBoxColumns * Shared<kO>::kQueryChunk +
                                micro::swizzled(r + i / 2 % 2 * 8, column % kBoxColumns * 2);
            *reinterpret_cast<std::uint32_t*>(to + at) = pack_bf16(output_[i], output_[i + 1]);
        }
        micro::fence_async_proxy();
        micro::named_sync(all, kWarpgroupThreads);
        if (thread_ != 0)
            return;
        const int first = tile.row + w_ * kWarpgroupRows;
        if (first < a_.shape.seqlen_q) {
            for (int chunk = 0; chunk < kO.head_dim / kBoxColumns; ++chunk) {
                micro::store_box(&a_.o, chunk * kBoxColumns, first, tile.plane,
                                 to + chunk * Shared<kO>::kQueryChunk);
            }
        }
        micro::commit_stores();
        if (!kO.output_buffer) {
            micro::wait_stores_read();
            if (tile.blocks > 0)
                shared_.q_empty(w_).arrive();
        }
    }

    __device__ void wait_k(int i) {
        stamp(Mark::kKWait, i);
        shared_.k_full(keys_.stage).wait(keys_.parity);
        stamp(Mark::kKReady, i);
    }
    __device__ void wait_v(int i) {
        shared_.v_full(values_.stage).wait(values_.parity);
        stamp(Mark::kVReady, i);
    }
    __device__ void release_k(int i) {
        stamp(Mark::kQkDone, i);
        if (thread_ % 32 == 0)
            shared_.k_empty(keys_.stage).arrive();
        keys_.advance();
    }
    __device__ void release_v(int i) {
        stamp(Mark::kPvDone, i);
        if (thread_ % 32 == 0)
            shared_.v_empty(values_.stage).arrive();
        values_.advance();
    }
    __device__ void release_q() {
        if (kO.output_buffer && thread_ % 32 == 0)
            shared_.q_empty(w_).arrive();
    }

    // A named barrier for each warpgroup: its owner waits there until its predecessor arrives.
    __device__ void take_turn() {
        if constexpr (kO.ping_pong)
            micro::named_sync(1 + w_, 2 * kWarpgroupThreads);
    }
    __device__ void pass_turn() {
        if constexpr (kO.ping_pong)
            micro::named_arrive(1 + (w_ + 1) % kO.consumers, 2 * kWarpgroupThreads);
    }
    __device__ int row(const Tile& tile) const {
        return tile.row + w_ * kWarpgroupRows + thread_ / 32 * 16 + thread_ % 32 / 4;
    }
    __device__ void stamp(Mark mark, int i) {
        recorder_.stamp(mark, count_, i);
    }

    const Arguments& a_;
    Shared<kO> shared_;
    int w_;
    int thread_;
    Recorder<kO.timeline> recorder_;
    Softmax<kO> softmax_;
    RingPosition<kO.stages> keys_;
    RingPosition<kO.stages> values_;
    int count_ = 0;
    float scores_[kScores];
    float output_[kOutputs];
    std::uint32_t probabilities_[kO.tile_kv / 16][4];
};

}  // namespace attention
