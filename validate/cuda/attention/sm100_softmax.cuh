// The softmax role of the Blackwell kernel: four warps a stage, a thread for each row.
#pragma once

#include "../common/exp2.cuh"
#include "recorder.cuh"
#include "sm100_shared.cuh"
#include "sm90_softmax.cuh"

namespace attention {

// Two FMAs, or two additions, in one instruction.
__device__ __forceinline__ void fma_pair(float& x, float& y, float factor, float addend) {
    asm("{ .reg .b64 a, b, c; mov.b64 a, {%0, %1}; mov.b64 b, {%2, %2}; mov.b64 c, {%3, %3};\n"
        "fma.rn.f32x2 a, a, b, c; mov.b64 {%0, %1}, a; }"
        : "+f"(x), "+f"(y)
        : "f"(factor), "f"(addend));
}
__device__ __forceinline__ void add_pair(float& x, float& y, float u, float v) {
    asm("{ .reg .b64 a, b; mov.b64 a, {%0, %1}; mov.b64 b, {%2, %3};\n"
        "add.rn.f32x2 a, a, b; mov.b64 {%0, %1}, a; }"
        : "+f"(x), "+f"(y)
        : "f"(u), "f"(v));
}
__device__ __forceinline__ float max_of_3(float x, float y, float z) {
    float m;
    asm("max.f32 %0, %1, %2, %3;" : "=f"(m) : "f"(x), "f"(y), "f"(z));
    return m;
}

template <Sm100Options kO>
class Sm100Softmax {
  public:
    __device__ Sm100Softmax(const Arguments& arguments, Sm100Shared<kO> shared, unsigned tmem,
                            int stage)
        : a_(arguments),
          shared_(shared),
          tmem_(tmem),
          t_(stage),
          row_(threadIdx.x % kTileM),
          recorder_(arguments, kSoftmaxRole + stage, kSm100Roles, threadIdx.x % kTileM == 0) {
        stats_empty_.parities = ~0U;
    }

    __device__ void run() {
        for (int index = first_tile<kO>(); index < a_.tiles; index += tile_stride<kO>(), ++count_) {
            const Tile tile = sm100_tile<kO>(a_, index);
            recorder_.begin_tile(tile.blocks);
            if (tile.blocks == 0) {
                write_log_sum(tile, kMinusInfinity, 0);
                continue;
            }
            max_ = kMinusInfinity;
            sum_ = 0;
            wait_stats_empty();
            int i = 0;
            for (; i < tile.masked; ++i)
                step<true>(tile, i);
            for (; i < tile.blocks; ++i)
                step<false>(tile, i);
            shared_.scale(t_, row_) = max_ == kMinusInfinity ? 0 : sum_;
            micro::named_arrive(stats_full(t_, warp()), 64);
            write_log_sum(tile, max_, sum_);
        }
    }

  private:
    template <bool kMasked>
    __device__ __forceinline__ void step(const Tile& tile, int i) {
        wait_for<kO>(shared_.s_full(t_), s_full_.next(0));
        micro::tcgen05_after_sync();
        recorder_.stamp(Mark::kLoadS, count_, i);
        load_scores();
        recorder_.stamp(Mark::kSLoaded, count_, i);
        if constexpr (kMasked)
            mask(tile, tile.blocks - 1 - i);
        const float top = row_maximum();
        recorder_.stamp(Mark::kRowMaximum, count_, i);
        const float factor = raise_maximum<kMasked>(top);
        recorder_.stamp(Mark::kDecided, count_, i);
        if (i > 0) {
            shared_.scale(t_, row_) = factor;
            sum_ *= factor;
        }
        micro::tcgen05_before_sync();
        micro::named_arrive(stats_full(t_, warp()), 64);

        const float base = kMasked && max_ == kMinusInfinity ? 0 : max_;
        const float bias = -base * a_.scale_log2;
#pragma unroll
        for (int f = 0; f < kEarlyFragments; ++f)
            fragment(i, f, bias);
        micro::tmem_wait_store();
        micro::tcgen05_before_sync();
        arrive_at_leader<kO>(shared_.p_ready(t_));
#pragma unroll
        for (int f = kEarlyFragments; f < kFragments; ++f)
            fragment(i, f, bias);
        micro::tmem_wait_store();
        micro::tcgen05_before_sync();
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            arrive_at_leader<kO>(shared_.p_last(t_));
        wait_stats_empty();
        recorder_.stamp(Mark::kRowSum, count_, i);
        add_up();
        recorder_.stamp(Mark::kRowSumDone, count_, i);
    }

    __device__ __forceinline__ void load_scores() {
        const unsigned from = own_lanes(s_columns(tmem_, t_));
        std::uint32_t words[kFragments][kFragment];
#pragma unroll
        for (int f = 0; f < kFragments; ++f)
            micro::tcgen05_ld_32x32b_x32(words[f], from + f * kFragment);
        micro::tmem_wait_load();
#pragma unroll
        for (int f = 0; f < kFragments; ++f) {
#pragma unroll
            for (int j = 0; j < kFragment; ++j) {
                // Read only once the load has been waited for.
                asm volatile("" : "+r"(words[f][j])::"memory");
                scores_[f][j] = __uint_as_float(words[f][j]);
            }
        }
    }

    __device__ __forceinline__ void mask(const Tile& tile, int block) {
        const Shape& s = a_.shape;
        const int row = stage_row<kO>(tile, t_) + row_;
        const int seen = kO.causal ? row + s.seqlen_kv - s.seqlen_q + 1 : s.seqlen_kv;
        const int limit = (seen < s.seqlen_kv ? seen : s.seqlen_kv) - block * kTileKv;
#pragma unroll
        for (int f = 0; f < kFragments; ++f) {
#pragma unroll
            for (int j = 0; j < kFragment; ++j) {
                if (f * kFragment + j >= limit)
                    scores_[f][j] = kMinusInfinity;
            }
        }
    }

    // Of the scores and the maximum so far.
    __device__ __forceinline__ float row_maximum() {
        float high[kFragments];
#pragma unroll
        for (int f = 0; f < kFragments; ++f) {
            high[f] = max_of_3(f == 0 ? max_ : kMinusInfinity, scores_[f][0], scores_[f][1]);
#pragma unroll
            for (int j = 2; j < kFragment; j += 2)
                high[f] = max_of_3(high[f], scores_[f][j], scores_[f][j + 1]);
        }
        return max_of_3(fmaxf(high[0], high[1]), high[2], high[3]);
    }

    // Takes the new maximum if it is higher by the threshold; returns what O and the sum are to be
    // multiplied by, 1 where the old one stays.
    template <bool kMayBeEmpty>
    __device__ __forceinline__ float raise_maximum(float top) {
        if ((top - max_) * a_.scale_log2 <= kO.rescale_threshold)
            return 1;
        const float base = kMayBeEmpty && top == kMinusInfinity ? 0 : top;
        const float factor = micro::exp2_special((max_ - base) * a_.scale_log2);
        max_ = top;
        return factor;
    }

    // 32 exponentials, as bf16 into tensor memory.
    __device__ __forceinline__ void fragment(int i, int f, float bias) {
        recorder_.stamp(Mark::kFragment, count_, i * kFragments + f);
        constexpr int kMiddle = kFragments - 2;  // fragments that have emulated exponentials
        constexpr int kShare = kO.emulated / kMiddle;
        const bool emulates = f > 0 && f < kFragments - 1;
        std::uint32_t packed[kFragment / 2];
#pragma unroll
        for (int j = 0; j < kFragment; j += 2) {
            float& x = scores_[f][j];
            float& y = scores_[f][j + 1];
            fma_pair(x, y, a_.scale_log2, bias);
            x = exponential(x, emulates && on_fma_pipe(j, kShare));
            y = exponential(y, emulates && on_fma_pipe(j + 1, kShare));
            packed[j / 2] = pack_bf16(x, y);
        }
        micro::tcgen05_st_32x32b_x16(own_lanes(p_columns(tmem_, t_)) + f * kFragment / 2, packed);
        recorder_.stamp(Mark::kFragmentDone, count_, i * kFragments + f);
    }

    static __device__ __forceinline__ float exponential(float x, bool emulated) {
        return emulated ? micro::exp2_cubic(x) : micro::exp2_special(x);
    }
    static constexpr __device__ bool on_fma_pipe(int j, int share) {
        return (j + 1) * share / kFragment != j * share / kFragment;
    }

    __device__ __forceinline__ void add_up() {
        float x[2] = {sum_, 0};
        float y[2] = {0, 0};
#pragma unroll
        for (int f = 0; f < kFragments; ++f) {
#pragma unroll
            for (int j = 0; j < kFragment; j += 4) {
                add_pair(x[0], y[0], scores_[f][j], scores_[f][j + 1]);
                add_pair(x[1], y[1], scores_[f][j + 2], scores_[f][j + 3]);
            }
        }
        sum_ = (x[0] + y[0]) + (x[1] + y[1]);
    }

    __device__ void write_log_sum(const Tile& tile, float high, float sum) {
        constexpr float kLn2 = 0.69314718F;
        const int row = stage_row<kO>(tile, t_) + row_;
        if (a_.lse == nullptr || row >= a_.shape.seqlen_q)
            return;
        a_.lse[static_cast<long long>(tile.plane) * a_.shape.seqlen_q + row] =
            high == kMinusInfinity ? kMinusInfinity : kLn2 * (high * a_.scale_log2 + log2f(sum));
    }

    __device__ void wait_stats_empty() {
        shared_.stats_empty(t_).wait(stats_empty_.next(0));
    }
    __device__ static int warp() {
        return static_cast<int>(threadIdx.x) / 32;
    }

    const Arguments& a_;
    Sm100Shared<kO> shared_;
    unsigned tmem_;
    int t_;
    int row_;
    Recorder<kO.timeline> recorder_;
    int count_ = 0;
    float max_ = 0;
    float sum_ = 0;
    Phases s_full_;
    Phases stats_empty_;
    float scores_[kFragments][kFragment];
};

}  // namespace attention
