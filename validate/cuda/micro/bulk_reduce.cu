// How fast do bulk copies add fp32 tiles into global memory, beside storing them? Blocks write to
// windows of their own, or several of them to one window, as the CTAs of a backward kernel do.
#include "../common/async.cuh"
#include "../common/stamp.cuh"

#include <string>

namespace {

using namespace micro;

constexpr unsigned kWindowBytes = 65536;
constexpr unsigned kMaxBytes = 65536;
constexpr unsigned kLoads = 4;
constexpr unsigned kLoadBytes = 16384;

template <bool kReduce>
__device__ void send(float* to, const void* from, unsigned bytes) {
    if constexpr (kReduce) {
        asm volatile(
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(to),
            "r"(shared_address(from)), "r"(bytes)
            : "memory");
    } else {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                     "r"(shared_address(from)), "r"(bytes)
                     : "memory");
    }
    commit_stores();
}

__device__ float* fill_ones(unsigned bytes) {
    extern __shared__ __align__(1024) unsigned char storage[];
    auto* ones = reinterpret_cast<float*>(storage);
    for (unsigned i = threadIdx.x; i < bytes / 4; i += blockDim.x)
        ones[i] = 1.0F;
    fence_async_proxy();
    __syncthreads();
    return ones;
}

// One tile at a time, waited for: until its source is free (kRead) or until it is written.
template <bool kReduce, bool kRead>
__global__ void alone(int iterations, unsigned bytes, float* to, Stamp* stamps) {
    const float* ones = fill_ones(bytes);
    const long long begin = cycle();
    if (threadIdx.x == 0) {
        for (int i = 0; i < iterations; ++i) {
            send<kReduce>(to, ones, bytes);
            if constexpr (kRead) {
                wait_stores_read();
            } else {
                wait_stores();
            }
        }
        wait_stores();
    }
    __syncthreads();
    store_stamp(stamps, begin, cycle());
}

// Tiles one after the other through the block's window, with two in flight.
template <bool kReduce>
__global__ void stream(int iterations, unsigned bytes, int sharers, float* to, Stamp* stamps) {
    const float* ones = fill_ones(2 * bytes);
    float* window = to + blockIdx.x / sharers * (kWindowBytes / 4);
    const unsigned tiles = kWindowBytes / bytes;
    // Sharers start apart, as blocks do that reach a tile in turn.
    unsigned tile = blockIdx.x % sharers * 5 % tiles;
    const long long begin = cycle();
    if (threadIdx.x == 0) {
        for (int i = 0; i < iterations; ++i) {
            send<kReduce>(window + tile * (bytes / 4), ones + i % 2 * (bytes / 4), bytes);
            asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
            tile = tile + 1 == tiles ? 0 : tile + 1;
        }
        wait_stores();
    }
    __syncthreads();
    store_stamp(stamps, begin, cycle());
}

// Warp 0 sends tiles as above while warp 1 loads others by bulk copies, two of each in flight.
// loaded[block]: bytes that came in while warp 0 was at it.
template <bool kReduce>
__global__ void beside_loads(int iterations, unsigned bytes, float* to, const float* from,
                             unsigned* loaded, Stamp* stamps) {
    const float* ones = fill_ones(2 * bytes);
    extern __shared__ __align__(1024) unsigned char storage[];
    unsigned char* landing = storage + 2 * bytes;
    __shared__ Mbarrier full[kLoads];
    __shared__ volatile int done;
    if (threadIdx.x == 0) {
        done = 0;
        for (Mbarrier& barrier : full)
            barrier.init(1);
        fence_mbarrier_init();
    }
    __syncthreads();
    const unsigned tiles = kWindowBytes / bytes;
    const long long begin = cycle();
    if (threadIdx.x == 0) {
        float* window = to + blockIdx.x * (kWindowBytes / 4);
        for (int i = 0; i < iterations; ++i) {
            send<kReduce>(window + i % tiles * (bytes / 4), ones + i % 2 * (bytes / 4), bytes);
            asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
        }
        wait_stores();
        done = 1;
    } else if (threadIdx.x == 32) {
        const float* window = from + blockIdx.x * (kWindowBytes / 4);
        const auto fetch = [&](unsigned i) {
            Mbarrier& barrier = full[i % kLoads];
            barrier.arrive_expect(kLoadBytes);
            asm volatile(
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                " [%0], [%1], %2, [%3];" ::"r"(shared_address(landing) + i % kLoads * kLoadBytes),
                "l"(window + i % (kWindowBytes / kLoadBytes) * (kLoadBytes / 4)), "r"(kLoadBytes),
                "r"(barrier.address())
                : "memory");
        };
        unsigned issued = 0;
        for (; issued < kLoads; ++issued)
            fetch(issued);
        unsigned landed = 0;
        for (; done == 0; ++landed) {
            full[landed % kLoads].wait(landed / kLoads & 1);
            fetch(issued++);
        }
        for (unsigned i = landed; i < issued; ++i)
            full[i % kLoads].wait(i / kLoads & 1);
        loaded[blockIdx.x] = landed;
    }
    store_stamp(stamps, begin, cycle());
}

template <bool kReduce>
void measure_beside_loads(Bench& bench, unsigned bytes, int blocks) {
    const std::size_t words = static_cast<std::size_t>(blocks) * kWindowBytes / 4;
    DeviceArray<float> to(words);
    DeviceArray<float> from(words);
    DeviceArray<unsigned> loaded(static_cast<std::size_t>(blocks));
    const unsigned shared = 2 * bytes + kLoads * kLoadBytes;
    check(cudaFuncSetAttribute(beside_loads<kReduce>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shared)));
    constexpr int kMany = 1024;
    const Samples cycles = bench.cycles(blocks, 2, [&](Stamp* stamps) {
        beside_loads<kReduce>
            <<<blocks, 64, shared>>>(kMany, bytes, to.get(), from.get(), loaded.get(), stamps);
    });
    double landed = 0.0;
    for (const unsigned boxes : loaded.host())
        landed += static_cast<double>(boxes) * kLoadBytes / blocks;
    const std::string name = std::string(kReduce ? "bulk_reduce" : "bulk_store") + "_beside_load_" +
                             std::to_string(bytes) + "B_" + std::to_string(blocks) + "sm";
    bench.row(name, map(cycles, [=](double c) { return 1.0 * kMany * bytes / c; }), "B/clk/SM",
              "while bulk loads from L2 run at the rate of the next row");
    bench.row(name + "_load", map(cycles, [=](double c) { return landed / c; }), "B/clk/SM",
              "4 x 16 KiB in flight; mean bytes of a block over the time of each");
}

template <bool kReduce, bool kRead>
void measure_latency(Bench& bench, unsigned bytes, const std::string& name) {
    DeviceArray<float> to(kWindowBytes / 4);
    check(cudaFuncSetAttribute(alone<kReduce, kRead>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(kMaxBytes)));
    bench.row(name,
              bench.slope(1, 1, 4, 36,
                          [&](int n, Stamp* stamps) {
                              alone<kReduce, kRead><<<1, 32, bytes>>>(n, bytes, to.get(), stamps);
                          }),
              "clk", kRead ? "until the source is free" : "until it is written");
}

template <bool kReduce>
void measure_stream(Bench& bench, unsigned bytes, int blocks, int sharers) {
    DeviceArray<float> to(static_cast<std::size_t>(blocks) * kWindowBytes / 4);
    check(cudaFuncSetAttribute(stream<kReduce>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(kMaxBytes)));
    constexpr int kFew = 64;
    constexpr int kMany = 576;
    long long sent = 0;
    const Samples cycles = bench.slope(blocks, 1, kFew, kMany, [&](int n, Stamp* stamps) {
        stream<kReduce><<<blocks, 32, 2 * bytes>>>(n, bytes, sharers, to.get(), stamps);
        sent += n;
    });
    double sum = 0.0;
    for (const float value : to.host())
        sum += value;
    if (kReduce) {
        expect(sum == 1.0 * static_cast<double>(sent) * blocks * bytes / 4,
               "sum of what was added");
    }
    const std::string name = std::string(kReduce ? "bulk_reduce" : "bulk_store") + "_stream_" +
                             std::to_string(bytes) + "B_" + std::to_string(blocks) + "sm" +
                             (sharers > 1 ? "_shared" + std::to_string(sharers) : "");
    bench.row(name, map(cycles, [=](double c) { return bytes / c; }), "B/clk/SM",
              "two in flight; L2-resident windows of 64 KiB for " + std::to_string(sharers) +
                  " blocks each");
}

}  // namespace

int main() {
    Bench bench("bulk_reduce");
    bench.require({90, 100, 103});
    for (const unsigned bytes : {1024U, 4096U, 16384U, 32768U}) {
        const std::string size = "_" + std::to_string(bytes) + "B";
        measure_latency<true, true>(bench, bytes, "bulk_reduce_read_latency" + size);
        measure_latency<true, false>(bench, bytes, "bulk_reduce_latency" + size);
        measure_latency<false, true>(bench, bytes, "bulk_store_read_latency" + size);
        measure_latency<false, false>(bench, bytes, "bulk_store_latency" + size);
    }
    for (const unsigned bytes : {4096U, 8192U, 16384U}) {
        for (const int blocks : {1, bench.sms() / 2, bench.sms()}) {
            measure_stream<true>(bench, bytes, blocks, 1);
            measure_stream<false>(bench, bytes, blocks, 1);
        }
        for (const int blocks : {1, bench.sms()}) {
            measure_beside_loads<true>(bench, bytes, blocks);
            measure_beside_loads<false>(bench, bytes, blocks);
        }
        measure_stream<true>(bench, bytes, bench.sms(), 4);
        measure_stream<true>(bench, bytes, bench.sms(), bench.sms());
    }
}
