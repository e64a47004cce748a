// What does it cost to hand over through a barrier inside a block: mbarrier, named barrier, and
// the fences and register reallocation that stand beside them?
#include "../common/async.cuh"
#include "../common/stamp.cuh"

namespace {

using namespace micro;

constexpr int kFew = 16;
constexpr int kMany = 272;

// One warp arrives with one lane and all its lanes wait.
__global__ void mbarrier_self(int iterations, Stamp* stamps, unsigned* out) {
    __shared__ Mbarrier barrier;
    if (threadIdx.x == 0)
        barrier.init(1);
    __syncthreads();
    unsigned phases = 0;
    const long long begin = cycle();
    for (int i = 0; i < iterations; ++i) {
        if (threadIdx.x == 0)
            barrier.arrive();
        barrier.wait(i & 1);
        ++phases;
    }
    const long long end = cycle();
    store_stamp(stamps, begin, end);
    out[threadIdx.x] = phases;
}

// `kSide` threads arrive, `kSide` others wait, and back. With kCount the sides count in plain
// shared memory, which comes out right only if the barriers order them; that form verifies, the
// other is timed.
template <int kSide, bool kElect, bool kCount>
__global__ void mbarrier_ping_pong(int iterations, Stamp* stamps, unsigned* out) {
    __shared__ Mbarrier barrier[2];
    __shared__ unsigned counter;
    if (threadIdx.x == 0) {
        barrier[0].init(kElect ? 1 : kSide);
        barrier[1].init(kElect ? 1 : kSide);
        counter = 0;
    }
    __syncthreads();
    const int side = threadIdx.x / kSide;
    const bool arrives = !kElect || threadIdx.x % kSide == 0;
    const bool counts = kCount && threadIdx.x % kSide == 0;
    const long long begin = cycle();
    for (int i = 0; i < iterations; ++i) {
        if (side == 1)
            barrier[0].wait(i & 1);
        if (counts)
            counter = counter + 1;
        if (arrives)
            barrier[side].arrive();
        if (side == 0)
            barrier[1].wait(i & 1);
    }
    const long long end = cycle();
    store_stamp(stamps, begin, end);
    __syncthreads();
    out[threadIdx.x] = kCount ? counter : 2 * iterations;
}

// Two warpgroups in turn, through named barriers, as attention kernels order their softmax.
template <bool kCount>
__global__ void named_ping_pong(int iterations, Stamp* stamps, unsigned* out) {
    __shared__ unsigned counter;
    if (threadIdx.x == 0)
        counter = 0;
    __syncthreads();
    const int side = threadIdx.x / 128;
    const long long begin = cycle();
    for (int i = 0; i < iterations; ++i) {
        if (side == 1)
            named_sync(1, 256);
        if (kCount && threadIdx.x % 128 == 0)
            counter = counter + 1;
        named_arrive(1 + side, 256);
        if (side == 0)
            named_sync(2, 256);
    }
    const long long end = cycle();
    store_stamp(stamps, begin, end);
    __syncthreads();
    out[threadIdx.x] = kCount ? counter : 2 * iterations;
}

template <bool kCount>
__global__ void named_all(int iterations, Stamp* stamps, unsigned* out) {
    __shared__ unsigned turns;
    if (threadIdx.x == 0)
        turns = 0;
    __syncthreads();
    const int warps = blockDim.x / 32;
    const long long begin = cycle();
    for (int i = 0; i < iterations; ++i) {
        // Each warp in turn counts: any barrier that lets a warp through early loses counts.
        if (kCount && threadIdx.x == i % warps * 32)
            turns = turns + 1;
        named_sync(1, warps * 32);
    }
    const long long end = cycle();
    store_stamp(stamps, begin, end);
    __syncthreads();
    out[threadIdx.x] = kCount ? turns : iterations;
}

enum class Step {
    kSyncWarp,
    kFenceBlock,
    kFenceDevice,
    kFenceAsyncProxy,
    kMbarrierArrive,
    kMbarrierTest,
};

template <Step kStep>
__global__ void single_step(int iterations, Stamp* stamps, unsigned* out) {
    __shared__ Mbarrier barrier;
    if (threadIdx.x == 0)
        barrier.init(1);
    __syncthreads();
    unsigned count = 0;
    const long long begin = cycle();
    for (int i = 0; i < iterations; ++i) {
        if constexpr (kStep == Step::kSyncWarp)
            __syncwarp();
        if constexpr (kStep == Step::kFenceBlock)
            __threadfence_block();
        if constexpr (kStep == Step::kFenceDevice)
            __threadfence();
        if constexpr (kStep == Step::kFenceAsyncProxy)
            fence_async_proxy();
        if constexpr (kStep == Step::kMbarrierArrive) {
            if (threadIdx.x % 32 == 0)
                barrier.arrive();
        }
        // The phase before the first is over: the test succeeds, and the next one waits for it.
        if constexpr (kStep == Step::kMbarrierTest) {
            if (!barrier.try_wait(1))
                break;
        }
        ++count;
    }
    const long long end = cycle();
    store_stamp(stamps, begin, end);
    out[threadIdx.x] = count;
}

// The register file is allotted for 168 a thread; one warpgroup gives some up and takes them back.
// With every warpgroup doing it, the difference is what one warp's costs.
template <bool kAll>
__global__ void __launch_bounds__(384, 1) reallocate(int iterations, Stamp* stamps, unsigned* out) {
    const int side = threadIdx.x / 128;
    unsigned count = 0;
    long long give = 0;
    long long take = 0;
    const long long begin = cycle();
    if (kAll || side == 0) {
        for (int i = 0; i < iterations; ++i) {
            // Together, so that they meet.
            if constexpr (kAll)
                __syncthreads();
            const long long before = cycle();
            asm volatile("setmaxnreg.dec.sync.aligned.u32 40;" ::: "memory");
            const long long between = cycle();
            asm volatile("setmaxnreg.inc.sync.aligned.u32 168;" ::: "memory");
            const long long after = cycle();
            give += between - before;
            take += after - between;
            ++count;
        }
    }
    const long long end = cycle();
    // The other warpgroups hold their registers until the end.
    __syncthreads();
    store_stamp(stamps, begin, end + (side == 0 ? 0 : 1));
    if (threadIdx.x == 0) {
        out[0] = count;
        out[1] = static_cast<unsigned>(give);
        out[2] = static_cast<unsigned>(take);
    }
}

template <class Kernel>
Samples run(Bench& bench, Kernel kernel, int threads, unsigned counts_per_iteration,
            const std::string& what) {
    DeviceArray<unsigned> out(threads);
    out.poison();
    Samples cycles = bench.slope(1, threads / 32, kFew, kMany, [&](int iterations, Stamp* stamps) {
        kernel<<<1, threads>>>(iterations, stamps, out.get());
    });
    for (const unsigned value : out.host()) {
        expect(value == counts_per_iteration * kMany, what);
    }
    return cycles;
}

// SM cycles that one step of a warp takes when 16 warps do nothing else.
template <Step kStep>
void measure_shared_step(Bench& bench, const std::string& name) {
    constexpr int kWarps = 16;
    bench.row(name + "_w16",
              map(run(bench, single_step<kStep>, 32 * kWarps, 1, name),
                  [](double c) { return c / kWarps; }),
              "clk", "SM cycles for each warp's; 16 warps; loop control included");
}

template <bool kAll>
void measure_reallocation(Bench& bench, const std::string& suffix) {
    Samples give;
    Samples take;
    DeviceArray<unsigned> out(3);
    for (int r = 0; r < Bench::kRepeats; ++r) {
        bench.cycles(
            1, 12, [&](Stamp* stamps) { reallocate<kAll><<<1, 384>>>(kMany, stamps, out.get()); },
            1);
        const std::vector<unsigned> host = out.host();
        expect(host[0] == kMany, "register reallocation count");
        give.push_back(1.0 * host[1] / kMany);
        take.push_back(1.0 * host[2] / kMany);
    }
    bench.row("setmaxnreg_dec" + suffix, give, "clk", "168 to 40; includes one clock read");
    bench.row("setmaxnreg_inc" + suffix, take, "clk",
              "40 to 168 with registers free; includes a clock read");
}

// Times the bare form after the counting form has proved that the barriers order the sides.
template <class Kernel>
Samples run_proved(Bench& bench, Kernel bare, Kernel counting, int threads, unsigned counts,
                   const std::string& what) {
    run(bench, counting, threads, counts, what);
    return run(bench, bare, threads, counts, what);
}

template <int kSide, bool kElect>
Samples mbarrier_handover(Bench& bench) {
    const Samples cycles =
        run_proved(bench, mbarrier_ping_pong<kSide, kElect, false>,
                   mbarrier_ping_pong<kSide, kElect, true>, 2 * kSide, 2, "mbarrier ping-pong");
    return map(cycles, [](double c) { return c / 2; });
}

}  // namespace

int main() {
    Bench bench("barriers");
    bench.row("mbarrier_arrive_wait", run(bench, mbarrier_self, 32, 1, "mbarrier_self"), "clk",
              "one lane arrives; its warp waits");
    bench.row("mbarrier_handover_2_warps", mbarrier_handover<32, true>(bench), "clk",
              "one way; one elected arrival");
    bench.row("mbarrier_handover_2_warpgroups", mbarrier_handover<128, true>(bench), "clk",
              "one way; one elected arrival; 128 waiters");
    bench.row("mbarrier_handover_128_arrivals", mbarrier_handover<128, false>(bench), "clk",
              "one way; 128 arrivals; 128 waiters");
    bench.row("named_barrier_handover_2_warpgroups",
              map(run_proved(bench, named_ping_pong<false>, named_ping_pong<true>, 256, 2,
                             "named ping-pong"),
                  [](double c) { return c / 2; }),
              "clk", "one way; bar.arrive to bar.sync");
    for (const int warps : {1, 2, 4, 8, 12, 16}) {
        bench.row(
            "named_barrier_sync_" + std::to_string(warps) + "_warps",
            run_proved(bench, named_all<false>, named_all<true>, 32 * warps, 1, "named barrier"),
            "clk");
    }
    bench.row("syncwarp", run(bench, single_step<Step::kSyncWarp>, 32, 1, "syncwarp"), "clk");
    bench.row("fence_block", run(bench, single_step<Step::kFenceBlock>, 32, 1, "fence"), "clk",
              "one warp; nothing outstanding");
    bench.row("fence_device", run(bench, single_step<Step::kFenceDevice>, 32, 1, "fence"), "clk",
              "one warp; nothing outstanding");
    bench.row("fence_proxy_async", run(bench, single_step<Step::kFenceAsyncProxy>, 32, 1, "fence"),
              "clk", "one warp; shared::cta");
    bench.row("mbarrier_arrive_issue",
              run(bench, single_step<Step::kMbarrierArrive>, 32, 1, "arrive"), "clk",
              "back-to-back arrivals of one lane");
    bench.row("mbarrier_test", run(bench, single_step<Step::kMbarrierTest>, 32, 1, "test"), "clk",
              "test that succeeds; branch on it; one warp");
    measure_shared_step<Step::kSyncWarp>(bench, "syncwarp");
    measure_shared_step<Step::kFenceBlock>(bench, "fence_block");
    measure_shared_step<Step::kFenceDevice>(bench, "fence_device");
    measure_shared_step<Step::kFenceAsyncProxy>(bench, "fence_proxy_async");
    measure_shared_step<Step::kMbarrierArrive>(bench, "mbarrier_arrive_issue");
    measure_shared_step<Step::kMbarrierTest>(bench, "mbarrier_test");
    if (bench.gpu().major == 9 || bench.gpu().major == 10) {
        measure_reallocation<false>(bench, "");
        measure_reallocation<true>(bench, "_3_warpgroups");
    }
}
