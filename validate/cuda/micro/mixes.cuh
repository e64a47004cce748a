// Independent streams of several instructions, interleaved in one loop: what a group of them costs
// together shows which share a pipe or an issue slot.
#pragma once

#include "../common/stamp.cuh"
#include "instructions.cuh"

namespace micro {

inline constexpr int kChains = 8;
inline constexpr int kSlots = 16;

// kCount instructions of one kind in each group, spread over kChains independent chains.
template <class Op, int kCount>
struct Part {
    Word a = Op::operand_a();
    Word b = Op::operand_b();
    Pair state[kChains];

    Part() {
        for (int c = 0; c < kChains; ++c)
            state[c] = Op::start(c);
    }
    __device__ void leave_uniform(Word zero) {
        for (Pair& pair : state) {
            pair.x += zero;
            pair.y += zero;
        }
    }
    __device__ void group(int slot) {
#pragma unroll
        for (int j = 0; j < kCount; ++j) {
            const int link = slot * kCount + j;
            Op::link(state[link % kChains], a, b, link / kChains);
        }
    }
    // What every thread's chains must hold after that many iterations.
    void expected(int iterations, Word* to) const {
        for (int c = 0; c < kChains; ++c) {
            Pair chain = Op::start(c);
            for (int i = 0; i < iterations; ++i) {
                for (int j = 0; j < kCount * kSlots / kChains; ++j)
                    Op::host_link(chain, a, b, j);
            }
            to[c] = chain.x;
        }
    }
    static void verify(const Word* got, const Word* want) {
        for (int c = 0; c < kChains; ++c) {
            expect(Op::same(got[c], want[c]), std::string(Op::kName) + " in a mix");
        }
    }
};

template <class... Parts>
struct Mix : Parts... {};

template <class... Parts>
__global__ void __launch_bounds__(512)
    run_mix(int iterations, Mix<Parts...> mix, Stamp* stamps, Word* out) {
    (static_cast<Parts&>(mix).leave_uniform(lane_zero(out)), ...);
    __syncthreads();
    const long long begin = cycle();
#pragma unroll 1
    for (int i = 0; i < iterations; ++i) {
#pragma unroll
        for (int slot = 0; slot < kSlots; ++slot)
            (static_cast<Parts&>(mix).group(slot), ...);
    }
    const long long end = cycle();
    const std::size_t thread = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    Word* to = out + thread * sizeof...(Parts) * kChains;
    const auto save = [&to](const Pair* state) {
        for (int c = 0; c < kChains; ++c)
            *to++ = state[c].x;
    };
    (save(static_cast<Parts&>(mix).state), ...);
    store_stamp(stamps, begin, end);
}

template <class... Parts>
void measure_mix(Bench& bench, const std::string& name) {
    constexpr int kFew = 4;
    constexpr int kMany = 28;
    const int blocks = bench.sms();
    for (const int warps : {4, 8, 16}) {
        const int threads = 32 * warps;
        constexpr std::size_t kPerThread = sizeof...(Parts) * kChains;
        DeviceArray<Word> out(kPerThread * blocks * threads);
        out.poison();
        const Mix<Parts...> mix;
        const Samples cycles =
            bench.slope(blocks, warps, kFew, kMany, [&](int iterations, Stamp* stamps) {
                run_mix<Parts...><<<blocks, threads>>>(iterations, mix, stamps, out.get());
            });
        Word want[kPerThread];
        std::size_t at = 0;
        const auto predict = [&](const auto& part) {
            part.expected(kMany, want + at);
            at += kChains;
        };
        (predict(static_cast<const Parts&>(mix)), ...);
        const std::vector<Word> host = out.host();
        at = 0;
        const auto verify = [&](const auto& part) {
            part.verify(&host[at], want + at % kPerThread);
            at += kChains;
        };
        while (at < host.size())
            (verify(static_cast<const Parts&>(mix)), ...);
        bench.row("mix_" + name + "_w" + std::to_string(warps),
                  map(cycles, [&](double c) { return c / kSlots / (warps / 4.0); }),
                  "clk/group/sub-partition", std::to_string(warps) + " warps on the SM");
    }
}

}  // namespace micro
