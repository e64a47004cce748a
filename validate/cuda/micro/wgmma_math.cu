// Does arithmetic of other warps slow matrix products down, and they that arithmetic? One warpgroup
// multiplies, by wgmma or mma.sync, while the other runs chains of one instruction or of a mix, as
// softmax runs beside a product.
#include "../common/stamp.cuh"
#include "instructions.cuh"
#include "wgmma_tiles.cuh"

namespace {

using namespace micro;

constexpr int kBatch = 32;

// FMA whose three operands are all per-thread registers.
struct FmaRegisters : Fma {
    static constexpr const char* kName = "fma_f32_3reg";
};

// A product that shrinks to zero and stays there, however many links are done.
struct MulDecay : Mul {
    static constexpr const char* kName = "mul_f32";
    static Word operand_a() { return bits(0.5F); }
};

// One score element of a forward softmax: scale and subtract, 2^x, maximum, sum and half a pack.
// Its maximum is a minimum, so that the sum stays bounded.
struct SoftmaxElement : FloatOp {
    static constexpr const char* kName = "softmax_element";
    __host__ __device__ static Pair start(int chain) { return {bits(0.125F * chain), bits(1.0F)}; }
    __device__ static void link(Pair& s, Word a, Word b, int step) {
        Fma::link(s, a, b, step);
        Ex2::link(s, a, b, step);
        asm volatile("min.f32 %0, %0, %1;" : "+r"(s.y) : "r"(s.x));
        asm volatile("add.rn.f32 %0, %0, %1;" : "+r"(s.y) : "r"(s.x));
        if (step % 2 == 1) {
            asm volatile("cvt.rn.bf16x2.f32 %0, %0, %1;" : "+r"(s.y) : "r"(s.x));
        }
    }
    static void host_link(Pair& s, Word a, Word b, int step) {
        Fma::host_link(s, a, b, step);
        Ex2::host_link(s, a, b, step);
    }
    static bool same(Word got, Word want) { return near(real(got), real(want), 1e-4F); }
};

// A maximum on the second word, so that a mix's other parts keep the first.
struct MaxBeside : FloatOp {
    __device__ static void link(Pair& s, Word a, Word b, int step) {
        Pair other{s.y, 0};
        Max::link(other, a, b, step);
        s.y = other.x;
    }
    static void host_link(Pair&, Word, Word, int) {}
};

struct AddBeside : FloatOp {
    __device__ static void link(Pair& s, Word a, Word, int) {
        asm volatile("add.rn.f32 %0, %0, %1;" : "+r"(s.y) : "r"(a));
    }
    static void host_link(Pair&, Word, Word, int) {}
};

// Several instructions as one link.
template <class... Parts>
struct Mix : FloatOp {
    __host__ __device__ static Pair start(int chain) { return {bits(0.125F * chain), bits(1.0F)}; }
    __device__ static void link(Pair& s, Word a, Word b, int step) {
        (Parts::link(s, a, b, step), ...);
    }
    static void host_link(Pair& s, Word a, Word b, int step) {
        (Parts::host_link(s, a, b, step), ...);
    }
    static bool same(Word got, Word want) { return near(real(got), real(want), 1e-4F); }
};
struct MixFmaEx2 : Mix<Fma, Ex2> {
    static constexpr const char* kName = "mix_fma_ex2";
};
struct Mix2FmaEx2 : Mix<Fma, Fma, Ex2> {
    static constexpr const char* kName = "mix_2fma_ex2";
};
struct Mix4FmaEx2 : Mix<Fma, Fma, Fma, Fma, Ex2> {
    static constexpr const char* kName = "mix_4fma_ex2";
};
struct MixMaxEx2 : Mix<MaxBeside, Ex2> {
    static constexpr const char* kName = "mix_max_ex2";
};
struct Mix2MaxEx2 : Mix<MaxBeside, MaxBeside, Ex2> {
    static constexpr const char* kName = "mix_2max_ex2";
};
struct Mix3MaxEx2 : Mix<MaxBeside, MaxBeside, MaxBeside, Ex2> {
    static constexpr const char* kName = "mix_3max_ex2";
};
struct MixFmaMaxEx2 : Mix<Fma, MaxBeside, Ex2> {
    static constexpr const char* kName = "mix_fma_max_ex2";
};
struct MixFmaMax : Mix<Fma, MaxBeside> {
    static constexpr const char* kName = "mix_fma_max";
};
struct MixFma2Max : Mix<Fma, MaxBeside, MaxBeside> {
    static constexpr const char* kName = "mix_fma_2max";
};
struct MixAddMax : Mix<AddBeside, MaxBeside> {
    static constexpr const char* kName = "mix_add_max";
};

enum class Product { none, wgmma, wgmma_registers, mma_sync };

// What m64nNk16 of a wgmma is to one of its warps, by mma.sync.
template <int kN>
__device__ __forceinline__ void multiply_by_warp(float (&d)[kN / 2], const std::uint32_t (&a)[4],
                                                 Word b) {
#pragma unroll
    for (int n = 0; n < kN / 2; n += 4) {
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
            "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(d[n]), "+f"(d[n + 1]), "+f"(d[n + 2]), "+f"(d[n + 3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b), "r"(b));
    }
}

struct Progress {
    long long operations;
    long long cycles;
};

template <int kN, Product kProduct, class Op, int kChains>
__global__ void __launch_bounds__(384, 1)
    beside(int iterations, Word a_word, Word b_word, Stamp* stamps, float* out, Progress* progress,
           Word* ends) {
    extern __shared__ __align__(1024) unsigned char tiles[];
    __shared__ volatile int stop;
    unsigned char* b_tile = tiles;
    unsigned char* a_tile = tiles + kN * kRowBytes;
    fill_tile<Bf16>(b_tile, kN, b_value);
    fill_tile<Bf16>(a_tile, kTileM, a_value);
    if (threadIdx.x == 0)
        stop = 0;
    fence_async_proxy();
    __syncthreads();
    if (threadIdx.x < 128) {
        std::uint32_t fragments[kSlices][4];
        for (int k = 0; k < kSlices; ++k)
            load_fragment<Bf16>(a_tile, k, fragments[k]);
        float d[kN / 2];
        for (float& value : d)
            value = 0;
        const std::uint64_t a = descriptor(a_tile);
        const std::uint64_t b = descriptor(b_tile);
        constexpr int kGroup = 16;
        const long long begin = cycle();
        if constexpr (kProduct == Product::mma_sync) {
#pragma unroll 1
            for (int i = 0; i < iterations; ++i) {
#pragma unroll
                for (int g = 0; g < kGroup; ++g)
                    multiply_by_warp<kN>(d, fragments[g % kSlices], 0);
            }
        } else if constexpr (kProduct != Product::none) {
#pragma unroll 1
            for (int i = 0; i < iterations; ++i) {
                wgmma_fence();
#pragma unroll
                for (int g = 0; g < kGroup; ++g) {
                    const int k = g % kSlices;
                    if constexpr (kProduct == Product::wgmma_registers) {
                        Bf16::multiply(d, fragments[k], b + k * kSliceStep);
                    } else {
                        Bf16::multiply(d, a + k * kSliceStep, b + k * kSliceStep);
                    }
                }
                wgmma_commit();
                wgmma_wait<1>();
            }
            wgmma_wait<0>();
        } else {
            while (cycle() < begin + iterations * (kGroup * 64LL))
                __nanosleep(200);
        }
        const long long end = cycle();
        if (threadIdx.x == 0)
            stop = 1;
        if (threadIdx.x % 32 == 0)
            stamps[blockIdx.x * 4 + threadIdx.x / 32] = {begin, end};
        if (blockIdx.x == 0)
            store_accumulators<kN>(d, out);
    } else {
        if constexpr (std::is_same_v<Op, FmaRegisters>) {
            a_word += lane_zero(stamps);
            b_word += lane_zero(out);
        }
        Pair state[kChains];
        for (int c = 0; c < kChains; ++c) {
            state[c] = Op::start(c);
            state[c].x += lane_zero(ends);
            state[c].y += lane_zero(ends);
        }
        long long done = 0;
        const long long begin = cycle();
        while (true) {
            const int last = stop;  // looked at only after the batch, to hide the load
#pragma unroll
            for (int i = 0; i < kBatch; ++i) {
#pragma unroll
                for (int c = 0; c < kChains; ++c)
                    Op::link(state[c], a_word, b_word, i);
            }
            done += kBatch;
            if (last != 0)
                break;
        }
        const long long end = cycle();
        const std::size_t helper = blockIdx.x * (blockDim.x - 128) + threadIdx.x - 128;
        for (int c = 0; c < kChains; ++c) {
            // The second word counts only as a use: without one its instructions would go.
            ends[helper * kChains + c] = state[c].x + (state[c].y == 0x7fc00001U ? 1 : 0);
        }
        if (threadIdx.x == 128)
            progress[blockIdx.x] = {done, end - begin};
    }
}

template <int kN, Product kProduct, class Op, int kChains>
void measure(Bench& bench, int helpers = 1) {
    const int blocks = bench.sms();
    const auto kernel = beside<kN, kProduct, Op, kChains>;
    constexpr int kBytes = (kN + kTileM) * kRowBytes;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
    DeviceArray<float> out(kTileM * kN);
    DeviceArray<Progress> progress(blocks);
    DeviceArray<Word> ends(static_cast<std::size_t>(blocks) * helpers * 128 * kChains);
    ends.poison();
    constexpr int kFew = 16;
    constexpr int kMany = 80;
    const Samples cycles = bench.slope(
        blocks, 4, kFew, kMany,
        [&](int n, Stamp* stamps) {
            kernel<<<blocks, 128 * (1 + helpers), kBytes>>>(
                n, Op::operand_a(), Op::operand_b(), stamps, out.get(), progress.get(), ends.get());
        },
        7);
    // Every chain has converged or cycles with the batch, so a fixed number of links tells its end.
    Word expected[kChains];
    for (int c = 0; c < kChains; ++c) {
        Pair state = Op::start(c);
        for (int i = 0; i < 64 * kBatch; ++i)
            Op::host_link(state, Op::operand_a(), Op::operand_b(), i);
        expected[c] = state.x;
    }
    const std::vector<Word> host = ends.host();
    for (std::size_t i = 0; i < host.size(); ++i) {
        expect(Op::same(host[i], expected[i % kChains]), std::string(Op::kName) + " beside wgmma");
    }
    const std::string name =
        std::string(Op::kName) + "_x" + std::to_string(kChains) +
        (kProduct == Product::none ? "_without_wgmma"
         : kProduct == Product::mma_sync
             ? "_beside_mma_sync_n" + std::to_string(kN)
             : "_beside_wgmma_n" + std::to_string(kN) +
                   (kProduct == Product::wgmma_registers ? "_rs" : "_ss")) +
        "_helpers" + std::to_string(helpers);
    Samples rate;
    for (const Progress& p : progress.host()) {
        rate.push_back(128.0 * helpers * kChains * static_cast<double>(p.operations) /
                       static_cast<double>(p.cycles));
    }
    bench.row(name + "_rate", rate, "thread-links/clk/SM",
              "chains a thread after the x; helper warpgroups at the end");
    if constexpr (kProduct != Product::none) {
        if constexpr (kProduct != Product::mma_sync)  // whose B is zero
            verify_product<Bf16>(out.host().data(), kN, kMany * 16, 16);
        bench.row(name + "_interval", map(cycles, [](double c) { return c / 16; }), "clk",
                  "interval of m64nNk16 meanwhile");
    }
}

template <class Op, int kChains>
void measure_beside(Bench& bench) {
    for (const int helpers : {1, 2}) {
        measure<64, Product::none, Op, kChains>(bench, helpers);
        measure<128, Product::wgmma, Op, kChains>(bench, helpers);
        measure<128, Product::wgmma_registers, Op, kChains>(bench, helpers);
    }
}

template <class Op, int kChains>
void measure_beside_both(Bench& bench) {
    measure_beside<Op, kChains>(bench);
    for (const int helpers : {1, 2})
        measure<128, Product::mma_sync, Op, kChains>(bench, helpers);
}

template <class... Ops>
void measure_mixes(Bench& bench) {
    (measure_beside_both<Ops, 8>(bench), ...);
}

}  // namespace

int main() {
    Bench bench("wgmma_math");
    bench.require({90});
    measure_beside<Fma, 1>(bench);
    measure_beside<Fma, 2>(bench);
    measure_beside<Fma, 4>(bench);
    measure_beside<Fma, 8>(bench);
    measure_beside<FmaRegisters, 4>(bench);
    measure_beside<MulDecay, 4>(bench);
    measure_beside<MulDecay, 8>(bench);
    measure_beside<MulDecay, 16>(bench);
    measure_beside<Max, 2>(bench);
    measure_beside<Max, 8>(bench);
    measure_beside<PackBf16x2, 8>(bench);
    measure_beside<Ex2, 2>(bench);
    measure_beside<Ex2, 8>(bench);
    measure_beside<FmaHalf2, 8>(bench);
    measure_beside<SoftmaxElement, 4>(bench);
    measure_beside<SoftmaxElement, 8>(bench);
    measure<256, Product::wgmma, SoftmaxElement, 8>(bench, 1);
    measure<256, Product::wgmma, Fma, 8>(bench, 1);
    measure_mixes<MixFmaEx2, Mix2FmaEx2, Mix4FmaEx2, MixMaxEx2, Mix2MaxEx2, Mix3MaxEx2,
                  MixFmaMaxEx2, MixFmaMax, MixFma2Max, MixAddMax>(bench);
    for (const int helpers : {1, 2}) {
        measure<128, Product::mma_sync, Fma, 8>(bench, helpers);
        measure<128, Product::mma_sync, Max, 8>(bench, helpers);
        measure<128, Product::mma_sync, Ex2, 8>(bench, helpers);
    }
}
