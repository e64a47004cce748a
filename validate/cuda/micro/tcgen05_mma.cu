// Issue interval and completion latency of tcgen05.mma on bf16 by shape, operand source and number
// of blocks that work together.
#include "tcgen05_tiles.cuh"

namespace {

using namespace micro;

__device__ void cluster_sync() {
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
}

// One thread issues `depth` instructions on one accumulator, commits and waits.
template <int kM, int kN, int kCtas, bool kATmem>
__global__ void __launch_bounds__(128) batch(int depth, Stamp* stamps, double* sums) {
    extern __shared__ __align__(1024) unsigned char tiles[];
    __shared__ Mbarrier done;
    __shared__ unsigned tmem_base;
    constexpr int kRowsA = kM / kCtas;
    constexpr int kRowsB = kN / kCtas;
    unsigned char* a_tile = tiles;
    unsigned char* b_tile = tiles + 128 * kRowBytes;
    const unsigned rank = kCtas == 1 ? 0 : blockIdx.x % 2;
    fill_bf16_tile(a_tile, kRowsA, false, 0);
    fill_bf16_tile(b_tile, kRowsB, true, static_cast<int>(rank) * kRowsB);
    if (threadIdx.x < 32)
        tmem_allocate<kCtas>(&tmem_base);
    if (threadIdx.x == 0) {
        done.init(1);
        fence_mbarrier_init();
    }
    fence_async_proxy();
    __syncthreads();
    const unsigned tmem = tmem_base;
    prepare_tmem(tmem);
    tcgen05_before_sync();
    if constexpr (kCtas == 1) {
        __syncthreads();
    } else {
        cluster_sync();
    }
    tcgen05_after_sync();

    constexpr std::uint32_t kInstruction = tcgen05_instruction(kM, kN);
    const std::uint64_t a = tcgen05_descriptor(a_tile);
    const std::uint64_t b = tcgen05_descriptor(b_tile);
    const long long begin = cycle();
    if (threadIdx.x == 0 && rank == 0) {
#pragma unroll 8
        for (int i = 0; i < depth; ++i) {
            const unsigned slice = i % kSlices;
            if constexpr (kATmem) {
                tcgen05_mma_ts<kCtas>(tmem, tmem + kAColumn + slice * kTcgenK / 2,
                                      b + slice * kSliceStep, kInstruction);
            } else {
                tcgen05_mma_ss<kCtas>(tmem, a + slice * kSliceStep, b + slice * kSliceStep,
                                      kInstruction);
            }
        }
        tcgen05_commit<kCtas>(done);
    }
    done.wait(0);
    const long long end = cycle();
    tcgen05_after_sync();
    store_stamp(stamps, begin, end);
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum_accumulators(tmem);
    tcgen05_before_sync();
    if constexpr (kCtas == 1) {
        __syncthreads();
    } else {
        cluster_sync();
    }
    if (threadIdx.x < 32)
        tmem_release<kCtas>(tmem);
}

template <int kM, int kN, int kCtas, bool kATmem>
void measure(Bench& bench) {
    const int blocks = bench.sms() / 2 * 2;
    constexpr int kBytes = (128 + 256) * kRowBytes;
    const auto kernel = batch<kM, kN, kCtas, kATmem>;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
    DeviceArray<double> sums(static_cast<std::size_t>(blocks) * 128);
    const auto launch = [&](int depth, Stamp* stamps) {
        cudaLaunchAttribute attribute{};
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim = {kCtas, 1, 1};
        cudaLaunchConfig_t config{};
        config.gridDim = dim3(blocks);
        config.blockDim = dim3(128);
        config.dynamicSmemBytes = kBytes;
        config.attrs = &attribute;
        config.numAttrs = 1;
        check(cudaLaunchKernelEx(&config, kernel, depth, stamps, sums.get()));
    };
    const auto verified = [&](int depth) {
        const std::vector<double> host = sums.host();
        const std::size_t threads = std::size_t{128} * kCtas;
        for (std::size_t first = 0; first < host.size(); first += threads) {
            double sum = 0;
            for (std::size_t t = 0; t < threads; ++t)
                sum += host[first + t];
            expect(sum == expected_sum(kM, kN, depth), "tcgen05.mma sum of accumulators");
        }
    };
    const std::string name = "tcgen05_m" + std::to_string(kM) + "n" + std::to_string(kN) +
                             "k16_bf16_" + (kATmem ? "ts" : "ss") + "_cta" + std::to_string(kCtas);
    const Samples latency = bench.cycles(blocks, 4, [&](Stamp* stamps) { launch(1, stamps); });
    verified(1);
    bench.row(name + "_latency", latency, "clk", "issue; commit; wait; of one instruction alone");
    const Samples interval = bench.slope(blocks, 4, 16, 256, launch);
    verified(256);
    bench.row(name + "_interval", interval, "clk", "from batches of 16 and 256");
}

template <int kM, int kCtas, int... kN>
void measure_widths(Bench& bench) {
    (measure<kM, kN, kCtas, false>(bench), ...);
    (measure<kM, kN, kCtas, true>(bench), ...);
}

}  // namespace

int main() {
    Bench bench("tcgen05_mma");
    bench.require({100, 103});
    measure_widths<64, 1, 8, 16, 32, 64, 128, 256>(bench);
    measure_widths<128, 1, 16, 32, 64, 96, 128, 192, 256>(bench);
    measure_widths<128, 2, 32, 64, 128, 256>(bench);
    measure_widths<256, 2, 32, 64, 96, 128, 192, 256>(bench);
}
