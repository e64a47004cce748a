// What does a turn cost that one block passes on to the next through a counter in global memory, as
// kernels do that add in a fixed order?
#include "../common/async.cuh"
#include "../common/stamp.cuh"

#include <string>

namespace {

using namespace micro;

constexpr unsigned kMaxBytes = 16384;
constexpr int kCountersApart = 64;  // a counter to itself: 256 bytes

__device__ unsigned read_acquire(const unsigned* counter) {
    unsigned value;
    asm volatile("ld.global.acquire.gpu.b32 %0, [%1];" : "=r"(value) : "l"(counter) : "memory");
    return value;
}

__device__ void add_release(unsigned* counter) {
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
}

__device__ void add_tile(float* to, const void* from, unsigned bytes) {
    asm volatile(
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(to),
        "r"(shared_address(from)), "r"(bytes)
        : "memory");
    commit_stores();
    wait_stores();
}

// Blocks `near` and `far` of each pair give each other the turn; each adds `bytes` in its own. Of
// one pair, block 0 and the last; else neighbours.
__global__ void hand_over(int iterations, unsigned bytes, bool all, unsigned* counters, float* to,
                          Stamp* stamps) {
    extern __shared__ __align__(1024) unsigned char ones[];
    const unsigned last = gridDim.x - 1;
    const bool far = all ? blockIdx.x % 2 == 1 : blockIdx.x == last;
    if (threadIdx.x != 0 || (!all && blockIdx.x != 0 && !far))
        return;
    unsigned* pair = counters + (all ? blockIdx.x / 2 : 0) * 2 * kCountersApart;
    unsigned* mine = pair + (far ? kCountersApart : 0);
    unsigned* theirs = pair + (far ? 0 : kCountersApart);
    float* window = to + blockIdx.x * (kMaxBytes / 4);
    const long long begin = cycle();
    for (int i = 1; i <= iterations; ++i) {
        while (far && read_acquire(theirs) != static_cast<unsigned>(i)) {
        }
        if (bytes > 0)
            add_tile(window, ones, bytes);
        add_release(mine);
        while (!far && read_acquire(theirs) != static_cast<unsigned>(i)) {
        }
    }
    if (all || !far)
        store_stamp(stamps, begin, cycle());
}

enum class Step { kAdd, kAddAndFence, kFence, kRead };

// One warp alone: what its part of a turn takes.
template <Step kStep>
__global__ void step(int iterations, unsigned bytes, unsigned* counters, float* to, Stamp* stamps) {
    extern __shared__ __align__(1024) unsigned char ones[];
    const long long begin = cycle();
    unsigned sum = 0;
    if (threadIdx.x == 0) {
        for (int i = 0; i < iterations; ++i) {
            if constexpr (kStep == Step::kAdd || kStep == Step::kAddAndFence)
                add_tile(to, ones, bytes);
            if constexpr (kStep == Step::kFence || kStep == Step::kAddAndFence)
                __threadfence();
            if constexpr (kStep == Step::kRead)
                sum += read_acquire(counters + sum);
        }
    }
    __syncthreads();
    store_stamp(stamps, begin, cycle() + sum);
}

template <Step kStep>
Samples measure_step(Bench& bench, unsigned bytes) {
    DeviceArray<unsigned> counters(kCountersApart);
    DeviceArray<float> to(kMaxBytes / 4);
    return bench.slope(1, 1, 4, 36, [&](int n, Stamp* stamps) {
        step<kStep><<<1, 32, kMaxBytes>>>(n, bytes, counters.get(), to.get(), stamps);
    });
}

// One way, the addition included.
Samples measure_hand_over(Bench& bench, unsigned bytes, int blocks, bool all) {
    DeviceArray<unsigned> counters(static_cast<std::size_t>(blocks + 1) * kCountersApart);
    DeviceArray<float> to(static_cast<std::size_t>(blocks) * kMaxBytes / 4);
    constexpr int kFew = 8;
    constexpr int kMany = 72;
    const Samples both = bench.slope(all ? blocks : 1, 1, kFew, kMany, [&](int n, Stamp* stamps) {
        check(cudaMemsetAsync(counters.get(), 0, counters.size() * sizeof(unsigned)));
        hand_over<<<blocks, 32, kMaxBytes>>>(n, bytes, all, counters.get(), to.get(), stamps);
    });
    expect(counters.host()[0] == kMany, "turns passed on");
    return map(both, [](double c) { return c / 2; });
}

}  // namespace

int main() {
    Bench bench("turns");
    bench.require({90, 100, 103});
    bench.row("turn_read", measure_step<Step::kRead>(bench, 0), "clk", "ld.acquire, in L2");
    bench.row("turn_fence", measure_step<Step::kFence>(bench, 0), "clk", "nothing outstanding");
    for (const unsigned bytes : {0U, 4096U, 8192U, 16384U}) {
        const std::string size = "_" + std::to_string(bytes) + "B";
        if (bytes > 0) {
            bench.row("turn_add" + size, measure_step<Step::kAdd>(bench, bytes), "clk",
                      "bulk addition until its group is complete");
            bench.row("turn_add_fence" + size, measure_step<Step::kAddAndFence>(bench, bytes),
                      "clk", "the same, then a fence to the GPU");
        }
        Samples pairs;
        for (int peer = 1; peer < bench.sms(); peer += 5) {
            const Samples one = measure_hand_over(bench, bytes, peer + 1, false);
            pairs.push_back(median(one));
        }
        bench.row("turn_hand_over" + size, pairs, "clk",
                  "one way, the addition included; spread over pairs of SMs");
        bench.row("turn_hand_over_all" + size,
                  measure_hand_over(bench, bytes, bench.sms() / 2 * 2, true), "clk",
                  "the same with all SMs in pairs");
    }
}
