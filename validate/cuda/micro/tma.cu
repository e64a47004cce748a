// How fast can one thread issue bulk-tensor copies, and how long does one take from L2 and HBM?
#include "streamed_rows.cuh"

namespace {

using namespace micro;

constexpr int kMaxBoxBytes = 32768;

struct Smem {
    unsigned char box[kMaxBoxBytes];
    Mbarrier barrier;
};

__device__ Smem& shared_box() {
    extern __shared__ __align__(1024) unsigned char memory[];
    return *reinterpret_cast<Smem*>(memory);
}

__device__ void start(Smem& smem) {
    if (threadIdx.x == 0) {
        smem.barrier.init(1);
        fence_mbarrier_init();
    }
    __syncthreads();
}

// All copies of the launch in one phase, so that issuing is all the loop does.
__global__ void issue(int iterations, __grid_constant__ const CUtensorMap map, unsigned box_rows,
                      Stamp* stamps, unsigned* wrong) {
    Smem& smem = shared_box();
    start(smem);
    if (threadIdx.x == 0) {
        smem.barrier.arrive_expect(iterations * box_rows * kRowBytes);
    }
    const long long begin = cycle();
    if (threadIdx.x == 0) {
        for (int i = 0; i < iterations; ++i)
            load_box(smem.box, &map, 0, 0, smem.barrier);
    }
    const long long end = cycle();
    smem.barrier.wait(0);
    store_stamp(stamps, begin, end);
    atomicAdd(wrong, wrong_words(smem.box, box_rows, 0, threadIdx.x, blockDim.x));
}

// One copy at a time; `spacing` rows between one copy's source and the next.
__global__ void round_trip(int iterations, __grid_constant__ const CUtensorMap map,
                           unsigned box_rows, unsigned first_row, unsigned spacing, Stamp* stamps,
                           unsigned* wrong) {
    Smem& smem = shared_box();
    start(smem);
    const long long begin = cycle();
    for (int i = 0; i < iterations; ++i) {
        if (threadIdx.x == 0) {
            smem.barrier.arrive_expect(box_rows * kRowBytes);
            load_box(smem.box, &map, 0, first_row + i * spacing, smem.barrier);
        }
        smem.barrier.wait(i & 1);
    }
    const long long end = cycle();
    store_stamp(stamps, begin, end);
    atomicAdd(wrong, wrong_words(smem.box, box_rows, first_row + (iterations - 1) * spacing,
                                 threadIdx.x, blockDim.x));
}

// Stores back what a load brought, each waited for: until visible, or until the source is free.
template <bool kUntilRead>
__global__ void store(int iterations, __grid_constant__ const CUtensorMap map, unsigned box_rows,
                      Stamp* stamps, unsigned* wrong) {
    Smem& smem = shared_box();
    start(smem);
    if (threadIdx.x == 0) {
        smem.barrier.arrive_expect(box_rows * kRowBytes);
        load_box(smem.box, &map, 0, 0, smem.barrier);
    }
    smem.barrier.wait(0);
    const long long begin = cycle();
    if (threadIdx.x == 0) {
        for (int i = 0; i < iterations; ++i) {
            store_box(&map, 0, 0, smem.box);
            commit_stores();
            if constexpr (kUntilRead) {
                wait_stores_read();
            } else {
                wait_stores();
            }
        }
    }
    const long long end = cycle();
    wait_stores();
    store_stamp(stamps, begin, end);
    atomicAdd(wrong, wrong_words(smem.box, box_rows, 0, threadIdx.x, blockDim.x));
}

}  // namespace

int main() {
    Bench bench("tma");
    bench.require({90, 100, 103});
    const StreamedRows rows(std::size_t{1} << 25);  // 4 GiB, far more than L2
    DeviceArray<unsigned> wrong(1);
    constexpr int kBytes = sizeof(Smem);
    for (const auto kernel : {&store<false>, &store<true>, &issue}) {
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
    }
    check(cudaFuncSetAttribute(round_trip, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));

    // Rows no launch has read yet, from the start of the matrix, which filling it pushed out of L2.
    unsigned fresh = 1U << 16;
    for (const unsigned box_rows : {8U, 32U, 64U, 128U, 256U}) {
        const CUtensorMap map = rows.map(box_rows);
        const std::string size = "_" + std::to_string(box_rows * kRowBytes) + "B";
        const auto verified = [&](const std::string& what) {
            expect(wrong.host()[0] == 0, what + size);
        };
        bench.row("tma_issue_interval" + size,
                  bench.slope(1, 1, 2, 10,
                              [&](int n, Stamp* stamps) {
                                  issue<<<1, 32, kBytes>>>(n, map, box_rows, stamps, wrong.get());
                              }),
                  "clk", "one thread; first ten copies; one mbarrier phase");
        verified("tma issue");
        if (box_rows * kRowBytes * 42 < 1 << 20) {
            bench.row("tma_issue_interval_sustained" + size,
                      bench.slope(1, 1, 10, 42,
                                  [&](int n, Stamp* stamps) {
                                      issue<<<1, 32, kBytes>>>(n, map, box_rows, stamps,
                                                               wrong.get());
                                  }),
                      "clk", "one thread; copies 11 to 42; data from L2");
            verified("tma issue");
        }
        bench.row("tma_latency_l2" + size,
                  bench.slope(1, 1, 4, 36,
                              [&](int n, Stamp* stamps) {
                                  round_trip<<<1, 32, kBytes>>>(n, map, box_rows, 0, 0, stamps,
                                                                wrong.get());
                              }),
                  "clk", "expect; issue; wait; one SM");
        verified("tma latency");
        constexpr unsigned kSpacing = 1024;
        bench.row("tma_latency_hbm" + size,
                  bench.slope(1, 1, 4, 36,
                              [&](int n, Stamp* stamps) {
                                  round_trip<<<1, 32, kBytes>>>(n, map, box_rows, fresh, kSpacing,
                                                                stamps, wrong.get());
                                  fresh += n * kSpacing;
                              }),
                  "clk", "as from L2; sources 128 KiB apart and never read before");
        verified("tma latency");
        bench.row("tma_store_latency" + size,
                  bench.slope(1, 1, 4, 36,
                              [&](int n, Stamp* stamps) {
                                  store<false>
                                      <<<1, 32, kBytes>>>(n, map, box_rows, stamps, wrong.get());
                              }),
                  "clk", "store; commit; wait until written");
        verified("tma store");
        bench.row("tma_store_read_latency" + size,
                  bench.slope(1, 1, 4, 36,
                              [&](int n, Stamp* stamps) {
                                  store<true>
                                      <<<1, 32, kBytes>>>(n, map, box_rows, stamps, wrong.get());
                              }),
                  "clk", "store; commit; wait until the source is free");
        verified("tma store");
    }
}
