// Which warp of a sub-partition issues when several could? Warps that each could fill a unit alone
// start together and note the clock as they go: do they advance side by side, or one after the
// other? Also: how many sub-partitions are there?
#include "../common/stamp.cuh"
#include "instructions.cuh"

namespace {

using namespace micro;

constexpr int kChains = 8;
constexpr int kBetween = 4;  // links of every chain between two looks at the clock
constexpr int kLooks = 64;
constexpr int kSubPartitions = 4;

struct Trace {
    long long begin;
    int at[kLooks];  // the lower half of the clock

    [[nodiscard]] long long time(int look) const {
        return begin + static_cast<int>(at[look] - static_cast<int>(begin));
    }
};

// Warps 0, 4, 8... of a block share a sub-partition; the others leave at once. Warp w * 4 starts
// `stagger` clk after the one before it.
template <class Op>
__global__ void __launch_bounds__(512)
    compete(Word a, Word b, int stagger, Trace* traces, Word* out) {
    const int warp = threadIdx.x / 32;
    __shared__ long long start;
    Pair state[kChains];
    for (int c = 0; c < kChains; ++c) {
        state[c] = Op::start(c);
        state[c].x += lane_zero(out);
        state[c].y += lane_zero(out);
    }
    int at[kLooks];
    long long begin = 0;
    // The first round brings the code into the caches.
#pragma unroll 1
    for (int round = 0; round < 2; ++round) {
        __syncthreads();
        if (threadIdx.x == 0)
            start = cycle() + 2000;
        __syncthreads();
        if (warp % kSubPartitions != 0)
            continue;
        const long long mine = start + warp / kSubPartitions * stagger;
        while (cycle() < mine) {
        }
        begin = cycle();
#pragma unroll
        for (int look = 0; look < kLooks; ++look) {
#pragma unroll
            for (int u = 0; u < kBetween; ++u) {
#pragma unroll
                for (int c = 0; c < kChains; ++c)
                    Op::link(state[c], a, b, u);
            }
            asm volatile("mov.u32 %0, %%clock;" : "=r"(at[look])::"memory");
        }
    }
    if (warp % kSubPartitions != 0)
        return;
    const int warps = blockDim.x / 32 / kSubPartitions;
    const int index = blockIdx.x * warps + warp / kSubPartitions;
    if (threadIdx.x % 32 == 0) {
        traces[index].begin = begin;
        for (int look = 0; look < kLooks; ++look)
            traces[index].at[look] = at[look];
    }
    for (int c = 0; c < kChains; ++c)
        out[(index * 32 + threadIdx.x % 32) * kChains + c] = state[c].x;
}

// The share of its work that a warp has done at that time of the SM's clock.
double progress(const Trace& trace, long long time) {
    int done = 0;
    while (done < kLooks && trace.time(done) <= time)
        ++done;
    return static_cast<double>(done) / kLooks;
}

long long end_of(const Trace& trace) {
    return trace.time(kLooks - 1);
}

template <class Op>
void verify(const std::vector<Word>& out, Word a, Word b) {
    for (int c = 0; c < kChains; ++c) {
        Pair state = Op::start(c);
        for (int i = 0; i < 2 * kLooks; ++i) {
            for (int u = 0; u < kBetween; ++u)
                Op::host_link(state, a, b, u);
        }
        for (std::size_t i = static_cast<std::size_t>(c); i < out.size(); i += kChains)
            expect(Op::same(out[i], state.x), std::string(Op::kName) + " of competing warps");
    }
}

template <class Op>
void measure(Bench& bench, int warps, int stagger) {
    const int blocks = bench.sms();
    const Word a = Op::operand_a();
    const Word b = Op::operand_b();
    DeviceArray<Trace> traces(static_cast<std::size_t>(blocks) * warps);
    DeviceArray<Word> out(static_cast<std::size_t>(blocks) * warps * 32 * kChains);
    Samples last;      // progress of the slowest when the fastest is done
    Samples lowest;    // of warp 0 when the fastest is done
    Samples interval;  // clk for an instruction of any of them while all work
    for (int r = 0; r < Bench::kRepeats; ++r) {
        traces.poison();
        out.poison();
        compete<Op>
            <<<blocks, 32 * kSubPartitions * warps>>>(a, b, stagger, traces.get(), out.get());
        check_launch();
        bench.sample_clock();
        verify<Op>(out.host(), a, b);
        const std::vector<Trace> host = traces.host();
        for (auto block = host.begin(); block != host.end(); block += warps) {
            const auto block_end = block + warps;
            const auto sooner = [](const Trace& x, const Trace& y) {
                return end_of(x) < end_of(y);
            };
            const long long first = end_of(*std::min_element(block, block_end, sooner));
            const long long all = end_of(*std::max_element(block, block_end, sooner));
            double least = 1;
            for (auto trace = block; trace != block_end; ++trace)
                least = std::min(least, progress(*trace, first));
            last.push_back(least);
            lowest.push_back(progress(*block, first));
            interval.push_back(static_cast<double>(all - block->begin) /
                               (1.0 * warps * kLooks * kBetween * kChains));
        }
    }
    const std::string name = std::string("arbitration_") + Op::kName + "_" + std::to_string(warps) +
                             "_warps" + (stagger == 0 ? "" : "_staggered");
    bench.row(
        name + "_slowest", last, "1",
        "share that the slowest has done when the first is done; near 1: they take turns; near 0: "
        "one goes first");
    bench.row(name + "_lowest", lowest, "1", "the same of the lowest warp");
    bench.row(name + "_interval", interval, "clk",
              "SM cycles for each instruction; clock reads included");
}

template <int kWarps>
__global__ void __launch_bounds__(512) fill_unit(int iterations, Word a, Stamp* stamps, Word* out) {
    Word x[kChains];
    for (int c = 0; c < kChains; ++c)
        x[c] = bits(0.125F * c) + lane_zero(out);
    __syncthreads();
    const long long begin = cycle();
#pragma unroll 1
    for (int i = 0; i < iterations; ++i) {
#pragma unroll
        for (Word& word : x) {
            Pair pair{word, 0};
            Ex2::link(pair, a, a, 0);
            word = pair.x;
        }
    }
    const long long end = cycle();
    store_stamp(stamps, begin, end);
    for (int c = 0; c < kChains; ++c)
        out[(static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x) * kChains + c] = x[c];
}

template <int kWarps>
double rate(Bench& bench) {
    const int blocks = bench.sms();
    DeviceArray<Word> out(static_cast<std::size_t>(blocks) * kWarps * 32 * kChains);
    out.poison();
    const Samples cycles = bench.slope(blocks, kWarps, 64, 576, [&](int n, Stamp* stamps) {
        fill_unit<kWarps><<<blocks, 32 * kWarps>>>(n, 0, stamps, out.get());
    });
    for (const Word word : out.host())
        expect(near(real(word), 0.6411857F, 1e-4F), "2^-x in its limit");
    return kWarps * kChains / median(cycles);
}

}  // namespace

int main() {
    Bench bench("issue_arbitration");
    for (const int warps : {2, 3, 4}) {
        measure<Fma>(bench, warps, 0);
        measure<Max>(bench, warps, 0);
        measure<Ex2>(bench, warps, 0);
    }
    measure<Fma>(bench, 2, 300);
    measure<Max>(bench, 2, 300);
    measure<Ex2>(bench, 2, 1000);
    // One warp lives on one sub-partition: how often its rate fits into the SM's is their number.
    bench.row("sub_partitions", rate<16>(bench) / rate<1>(bench), "1", 0.05,
              "rate of ex2 by 16 warps over that by one");
}
