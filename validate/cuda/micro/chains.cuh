// Rate and dependent latency of one instruction, from chains of it.
#pragma once

#include "../common/stamp.cuh"
#include "instructions.cuh"

namespace micro {

inline constexpr int kUnroll = 32;

// kChains independent chains a thread; each loop iteration appends kUnroll links to every chain.
template <class Op, int kChains>
__global__ void __launch_bounds__(1024)
    run_chains(int iterations, Word a, Word b, Stamp* stamps, Word* out) {
    Pair state[kChains];
    for (int c = 0; c < kChains; ++c) {
        state[c] = Op::start(c);
        state[c].x += lane_zero(out);
        state[c].y += lane_zero(out);
    }
    __syncthreads();
    const long long begin = cycle();
#pragma unroll 1
    for (int i = 0; i < iterations; ++i) {
#pragma unroll
        for (int u = 0; u < kUnroll; ++u) {
#pragma unroll
            for (int c = 0; c < kChains; ++c)
                Op::link(state[c], a, b, u);
        }
    }
    const long long end = cycle();
    const std::size_t thread = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    for (int c = 0; c < kChains; ++c)
        out[thread * kChains + c] = state[c].x;
    store_stamp(stamps, begin, end);
}

// Runs the chain on the host, or states the value the device must have reached.
template <class Op, int kChains>
void verify_chains(const std::vector<Word>& out, int iterations, Word a, Word b) {
    Word expected[kChains];
    for (int c = 0; c < kChains; ++c) {
        Pair state = Op::start(c);
        for (int i = 0; i < iterations; ++i) {
            for (int u = 0; u < kUnroll; ++u)
                Op::host_link(state, a, b, u);
        }
        expected[c] = state.x;
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
        expect(Op::same(out[i], expected[i % kChains]), std::string(Op::kName) + " chain");
    }
}

template <class Op>
void measure_instruction(Bench& bench) {
    const Word a = Op::operand_a();
    const Word b = Op::operand_b();
    const int blocks = bench.sms();
    const std::string name = Op::kName;
    constexpr int kFew = 4;
    constexpr int kMany = 36;

    const auto run = [&]<int kChains>(int threads) {
        DeviceArray<Word> out(static_cast<std::size_t>(blocks) * threads * kChains);
        out.poison();
        const Samples cycles =
            bench.slope(blocks, threads / 32, kFew, kMany, [&](int iterations, Stamp* stamps) {
                run_chains<Op, kChains><<<blocks, threads>>>(iterations, a, b, stamps, out.get());
            });
        verify_chains<Op, kChains>(out.host(), kMany, a, b);
        return cycles;
    };

    const Samples one = run.template operator()<1>(32);
    bench.row(name + "_latency", map(one, [](double c) { return c / kUnroll; }), "clk",
              "dependent chain; one warp");
    constexpr int kThreads = 512;
    constexpr int kChains = 8;
    const Samples full = run.template operator()<kChains>(kThreads);
    bench.row(name + "_rate",
              map(full, [](double c) { return 1.0 * kThreads * kChains * kUnroll / c; }),
              "thread-instr/clk/SM", "16 warps; 8 chains a thread");
}

}  // namespace micro
