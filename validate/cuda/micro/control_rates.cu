// What do the instructions cost that compute nothing: moves between registers, branches, the
// election of a lane?
#include "../common/stamp.cuh"
#include "instructions.cuh"

namespace {

using namespace micro;

constexpr int kUnroll = 32;
constexpr int kFew = 4;
constexpr int kMany = 68;

// Turning a ring of registers by one place: a move a word and one through a spare register. The
// assembler gives every other move to the FMA pipe (IMAD.MOV), as it does in kernels.
constexpr int kRing = 63;
constexpr int kMoves = kRing + 1;

__global__ void __launch_bounds__(512) turn(int iterations, Stamp* stamps, Word* out) {
    Word ring[kRing];
    for (int i = 0; i < kRing; ++i)
        ring[i] = static_cast<Word>(i) * 3 + lane_zero(out);
    __syncthreads();
    const long long begin = cycle();
#pragma unroll 1
    for (int i = 0; i < iterations; ++i) {
        const Word first = ring[0];
#pragma unroll
        for (int j = 0; j + 1 < kRing; ++j)
            ring[j] = ring[j + 1];
        ring[kRing - 1] = first;
        // The compiler must not see through several turns.
#pragma unroll
        for (int j = 0; j < kRing; ++j)
            asm volatile("" : "+r"(ring[j]));
    }
    const long long end = cycle();
    store_stamp(stamps, begin, end);
    Word wrong = 0;
    for (int j = 0; j < kRing; ++j)
        wrong |= ring[j] ^ static_cast<Word>((j + iterations) % kRing) * 3;
    out[blockIdx.x * blockDim.x + threadIdx.x] = wrong;
}

void measure_moves(Bench& bench) {
    const int blocks = bench.sms();
    constexpr int kThreads = 512;
    DeviceArray<Word> out(static_cast<std::size_t>(blocks) * kThreads);
    for (const int warps : {4, 16}) {
        out.poison(0);
        const Samples cycles = bench.slope(blocks, warps, kFew, kMany, [&](int n, Stamp* stamps) {
            turn<<<blocks, 32 * warps>>>(n, stamps, out.get());
        });
        for (const Word wrong : out.host())
            expect(wrong == 0, "turned ring");
        bench.row("mov_b32_rate_w" + std::to_string(warps),
                  map(cycles, [&](double c) { return 32.0 * warps * kMoves / c; }),
                  "thread-instr/clk/SM", "half of them IMAD.MOV; loop control included");
    }
}

enum class Link { kPredicated, kTaken, kNotTaken, kElect };

// One link of each kind adds `step` to x. What is skipped or never reached is long enough to stay
// behind a branch.
template <Link kLink>
__device__ __forceinline__ void link(Word& x, Word step, Word never, Word* out) {
    if constexpr (kLink == Link::kPredicated) {
        asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, %2; @p add.u32 %0, %0, %1; }"
                     : "+r"(x)
                     : "r"(step), "r"(never));
    } else if constexpr (kLink == Link::kTaken) {
        asm volatile(
            "{ .reg .pred p; setp.ne.u32 p, %0, %2; @p bra OVER;\n"
            "bar.sync 1; mad.lo.u32 %0, %0, %1, %2; mad.lo.u32 %0, %0, %1, %1;\n"
            "mad.lo.u32 %0, %0, %2, %2; mad.lo.u32 %0, %0, %1, %2; mad.lo.u32 %0, %0, %1, %1;\n"
            "mad.lo.u32 %0, %0, %2, %2; st.volatile.global.u32 [%3], %0; bar.sync 2;\n"
            "OVER: add.u32 %0, %0, %1; }"
            : "+r"(x)
            : "r"(step), "r"(never), "l"(out)
            : "memory");
    } else if constexpr (kLink == Link::kNotTaken) {
        asm volatile(
            "{ .reg .pred p; setp.eq.u32 p, %0, %2; @p bra COLD;\n"
            "add.u32 %0, %0, %1; bra DONE; COLD: trap; DONE: }"
            : "+r"(x)
            : "r"(step), "r"(never)
            : "memory");
    } else {
        asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; @p add.u32 %0, %0, %1; }"
                     : "+r"(x)
                     : "r"(step)
                     : "memory");
    }
}

template <Link kLink, int kChains>
__global__ void __launch_bounds__(512)
    walk(int iterations, Word step, Word never, Stamp* stamps, Word* out) {
    Word x[kChains];
    for (Word& word : x)
        word = lane_zero(out);
    __syncthreads();
    const long long begin = cycle();
#pragma unroll 1
    for (int i = 0; i < iterations; ++i) {
#pragma unroll
        for (int u = 0; u < kUnroll; ++u) {
#pragma unroll
            for (Word& word : x)
                link<kLink>(word, step, never, out);
        }
    }
    const long long end = cycle();
    store_stamp(stamps, begin, end);
    for (int c = 0; c < kChains; ++c)
        out[(static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x) * kChains + c] = x[c];
}

// Cycles of one link of each chain of each warp. In a warp of 32 lanes only the elected one adds.
template <Link kLink, int kChains>
Samples run(Bench& bench, int threads) {
    const int blocks = bench.sms();
    constexpr Word kStep = 3;
    constexpr Word kNever = 0xffff0001U;  // no sum of the steps
    DeviceArray<Word> out(static_cast<std::size_t>(blocks) * threads * kChains);
    out.poison();
    const Samples cycles =
        bench.slope(blocks, threads / 32, kFew, kMany, [&](int n, Stamp* stamps) {
            walk<kLink, kChains><<<blocks, threads>>>(n, kStep, kNever, stamps, out.get());
        });
    const std::vector<Word> host = out.host();
    for (std::size_t i = 0; i < host.size(); ++i) {
        const std::size_t lane = i / kChains % static_cast<std::size_t>(threads) % 32;
        const bool adds = kLink != Link::kElect || lane == 0;
        expect(host[i] == (adds ? kStep * kUnroll * kMany : 0), "sum of links");
    }
    return map(cycles, [](double c) { return c / kUnroll; });
}

template <Link kLink>
void measure_rate(Bench& bench, const std::string& name, const std::string& note) {
    constexpr int kChains = 4;
    for (const int warps : {1, 4, 16}) {
        bench.row(name + "_interval_w" + std::to_string(warps),
                  map(run<kLink, kChains>(bench, 32 * warps),
                      [&](double c) { return c / kChains / std::max(1.0, warps / 4.0); }),
                  "clk/group/sub-partition", note);
    }
}

}  // namespace

int main() {
    Bench bench("control_rates");
    measure_moves(bench);
    bench.row("setp_predicated_add_latency", run<Link::kPredicated, 1>(bench, 32), "clk",
              "comparison; predicated addition; one warp");
    bench.row("setp_branch_taken_add_latency", run<Link::kTaken, 1>(bench, 32), "clk",
              "comparison; branch over a block; addition; one warp");
    bench.row("setp_branch_not_taken_add_latency", run<Link::kNotTaken, 1>(bench, 32), "clk",
              "as above with the branch not taken");
    measure_rate<Link::kPredicated>(bench, "setp_predicated_add", "two instructions");
    measure_rate<Link::kTaken>(bench, "setp_branch_taken_add", "three instructions");
    measure_rate<Link::kNotTaken>(bench, "setp_branch_not_taken_add", "three instructions");
    measure_rate<Link::kElect>(bench, "elect_predicated_add", "two instructions");
}
