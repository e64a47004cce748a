// Latency and bandwidth of moves into and out of tensor memory, alone and beside multiplication;
// the cost of commit and wait, of allocation, and of copies from shared memory.
#include "tcgen05_tiles.cuh"

#include <algorithm>

namespace {

using namespace micro;

constexpr int kN = 256;

// Moves that are timed together: eight, or as many loads as have registers of their own.
template <int kWidth, bool kStore, bool kWait>
constexpr int kBatch = kStore || kWait ? 8 : std::min(8, 128 / kWidth);

struct Shared {
    unsigned char a[128 * kRowBytes];
    unsigned char b[kN * kRowBytes];
    Mbarrier done;
    Mbarrier batch;
    unsigned tmem;
    volatile int stop;
};

__device__ Shared& start() {
    extern __shared__ __align__(1024) unsigned char memory[];
    Shared& s = *reinterpret_cast<Shared*>(memory);
    fill_bf16_tile(s.a, 128, false, 0);
    fill_bf16_tile(s.b, kN, true, 0);
    if (threadIdx.x < 32)
        tmem_allocate<1>(&s.tmem);
    if (threadIdx.x == 0) {
        s.done.init(1);
        s.batch.init(1);
        fence_mbarrier_init();
        s.stop = 0;
    }
    fence_async_proxy();
    __syncthreads();
    if (threadIdx.x < 128)
        prepare_tmem(s.tmem);
    tcgen05_before_sync();
    __syncthreads();
    tcgen05_after_sync();
    return s;
}

__device__ void finish(Shared& s) {
    tcgen05_before_sync();
    __syncthreads();
    if (threadIdx.x < 32)
        tmem_release<1>(s.tmem);
}

// kWidth registers a thread: so many columns of 32 lanes, or (k16Lanes, 64 registers) 128 columns
// of 16 lanes.
template <int kWidth, bool k16Lanes>
__device__ void load(std::uint32_t (&r)[kWidth], unsigned at) {
    static_assert(!k16Lanes || kWidth == 64);
    if constexpr (k16Lanes)
        tcgen05_ld_16x256b_x16(r, at);
    if constexpr (kWidth == 8)
        tcgen05_ld_32x32b_x8(r, at);
    if constexpr (kWidth == 16)
        tcgen05_ld_32x32b_x16(r, at);
    if constexpr (kWidth == 32)
        tcgen05_ld_32x32b_x32(r, at);
    if constexpr (kWidth == 64 && !k16Lanes)
        tcgen05_ld_32x32b_x64(r, at);
}

template <int kWidth, bool k16Lanes>
__device__ void store(unsigned at, const std::uint32_t (&r)[kWidth]) {
    if constexpr (k16Lanes)
        tcgen05_st_16x256b_x16(at, r);
    if constexpr (kWidth == 8)
        tcgen05_st_32x32b_x8(at, r);
    if constexpr (kWidth == 16)
        tcgen05_st_32x32b_x16(at, r);
    if constexpr (kWidth == 32)
        tcgen05_st_32x32b_x32(at, r);
    if constexpr (kWidth == 64 && !k16Lanes)
        tcgen05_st_32x32b_x64(at, r);
}

// A batch of loads, each with a use, and the waits between or behind them. All read the same words:
// an even number of them leaves nothing of the exclusive or.
template <int kWidth, bool kWait, bool k16Lanes>
__device__ __forceinline__ std::uint32_t load_batch(unsigned at) {
    constexpr int kLoads = kBatch<kWidth, false, kWait>;
    static_assert(kLoads % 2 == 0);
    std::uint32_t seen = 0;
    if constexpr (kWait) {
#pragma unroll
        for (int u = 0; u < kLoads; ++u) {
            std::uint32_t r[kWidth];
            load<kWidth, k16Lanes>(r, at);
            tmem_wait_load();
            seen ^= tmem_loaded(r[0]);
        }
    } else {
        std::uint32_t r[kLoads][kWidth];
#pragma unroll
        for (int u = 0; u < kLoads; ++u)
            load<kWidth, k16Lanes>(r[u], at);
        tmem_wait_load();
#pragma unroll
        for (int u = 0; u < kLoads; ++u)
            seen ^= tmem_loaded(r[u][0]);
    }
    return seen;
}

template <int kWidth, bool kWait, bool k16Lanes>
__device__ __forceinline__ void store_batch(unsigned at, const std::uint32_t (&r)[kWidth]) {
#pragma unroll
    for (int u = 0; u < kBatch<kWidth, true, kWait>; ++u) {
        store<kWidth, k16Lanes>(at, r);
        if constexpr (kWait)
            tmem_wait_store();
    }
    tmem_wait_store();
}

// The mover warps work on columns of their own, beside accumulators and A; with
// kMultiply the warp after them keeps the tensor unit busy meanwhile. `kWait` waits after every
// move, which makes it a latency; otherwise after each batch.
template <int kWidth, bool kStore, bool kWait, bool kMultiply, bool k16Lanes>
__global__ void __launch_bounds__(288)
    move(int iterations, int movers, Stamp* stamps, unsigned* wrong, long long* multiplied) {
    Shared& s = start();
    const unsigned tmem = s.tmem;
    const int warp = threadIdx.x / 32;
    const unsigned lanes = warp % 4 * 32;
    const unsigned at = tmem_at(tmem, lanes, 384);
    if (warp < movers) {
        std::uint32_t r[kWidth];
        for (int i = 0; i < kWidth; ++i)
            r[i] = threadIdx.x * 64 + i;
        store<kWidth, k16Lanes>(at, r);
        tmem_wait_store();
    }
    __syncthreads();
    const long long begin = cycle();
    long long end = begin;
    if (warp < movers) {
        std::uint32_t r[kWidth];
        for (int i = 0; i < kWidth; ++i)
            r[i] = threadIdx.x * 64 + i;
        unsigned bad = 0;
#pragma unroll 1
        for (int i = 0; i < iterations; ++i) {
            if constexpr (kStore) {
                store_batch<kWidth, kWait, k16Lanes>(at, r);
            } else {
                bad += load_batch<kWidth, kWait, k16Lanes>(at) != 0;
            }
        }
        end = cycle();
        load<kWidth, k16Lanes>(r, at);
        tmem_wait_load();
        // Warps that share lanes wrote the same columns; either's values are right.
        for (int i = 0; i < kWidth; ++i)
            bad += r[i] % 8192 != (threadIdx.x % 128) * 64 + i;
        if (bad != 0)
            atomicAdd(wrong, bad);
    }
    if constexpr (kMultiply) {
        if (warp == movers && threadIdx.x % 32 == 0) {
            constexpr std::uint32_t kInstruction = tcgen05_instruction(128, kN);
            long long count = 0;
            unsigned parity = 0;
            const long long first = cycle();
            while (s.stop < movers) {
                for (int i = 0; i < 16; ++i) {
                    tcgen05_mma_ss<1>(tmem, tcgen05_descriptor(s.a), tcgen05_descriptor(s.b),
                                      kInstruction);
                }
                tcgen05_commit<1>(s.batch);
                s.batch.wait(parity);
                parity ^= 1;
                count += 16;
            }
            multiplied[blockIdx.x] = (cycle() - first) / count;
        }
        if (warp < movers && threadIdx.x % 32 == 0)
            atomicAdd(const_cast<int*>(&s.stop), 1);
    }
    store_stamp(stamps, begin, end + (warp < movers ? 0 : 1));
    finish(s);
}

enum class Step { kCommitWait, kCopy, kCopySixteen };

// Round trips of the issuing thread: commit with nothing before it, or after copies.
template <Step kStep>
__global__ void __launch_bounds__(128) round_trip(int iterations, Stamp* stamps, unsigned* wrong) {
    Shared& s = start();
    const std::uint64_t from = tcgen05_descriptor(s.a);
    const long long begin = cycle();
    if (threadIdx.x == 0) {
        for (int i = 0; i < iterations; ++i) {
            constexpr int kCopies = kStep == Step::kCommitWait ? 0 : kStep == Step::kCopy ? 1 : 16;
            for (int c = 0; c < kCopies; ++c)
                tcgen05_copy(tmem_at(s.tmem, 0, 384), from);
            tcgen05_commit<1>(s.done);
            s.done.wait(i & 1);
        }
    }
    __syncthreads();
    const long long end = cycle();
    tcgen05_after_sync();
    store_stamp(stamps, begin, end);
    if constexpr (kStep != Step::kCommitWait) {
        // The first K slice of A: every lane holds the same eight words.
        std::uint32_t r[8];
        tcgen05_ld_32x32b_x8(r, tmem_at(s.tmem, threadIdx.x / 32 * 32, 384));
        tmem_wait_load();
        unsigned bad = 0;
        for (int i = 0; i < 8; ++i) {
            const __nv_bfloat162 pair(__float2bfloat16(static_cast<float>(tcgen_a(2 * i))),
                                      __float2bfloat16(static_cast<float>(tcgen_a(2 * i + 1))));
            bad += r[i] != *reinterpret_cast<const std::uint32_t*>(&pair);
        }
        if (bad != 0)
            atomicAdd(wrong, bad);
    }
    finish(s);
}

__global__ void __launch_bounds__(32) allocate(int iterations, Stamp* stamps, unsigned* wrong) {
    __shared__ unsigned tmem;
    unsigned bad = 0;
    const long long begin = cycle();
    for (int i = 0; i < iterations; ++i) {
        tmem_allocate<1>(&tmem);
        __syncwarp();
        bad += (tmem & 0xffffU) != 0;
        tmem_release<1>(tmem);
        __syncwarp();
    }
    const long long end = cycle();
    store_stamp(stamps, begin, end);
    if (bad != 0)
        atomicAdd(wrong, bad);
}

template <int kWidth, bool kStore, bool kWait, bool kMultiply, bool k16Lanes>
void measure_move(Bench& bench, int movers) {
    const int blocks = bench.sms();
    const auto kernel = move<kWidth, kStore, kWait, kMultiply, k16Lanes>;
    check(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared)));
    DeviceArray<unsigned> wrong(1);
    DeviceArray<long long> multiplied(blocks);
    const int warps = movers + (kMultiply ? 1 : 0);
    // The accumulators are prepared by four warps whatever the number of movers.
    const int launched = std::max(warps, 4);
    Samples cycles = bench.slope(blocks, launched, 16, 144, [&](int n, Stamp* stamps) {
        kernel<<<blocks, 32 * launched, sizeof(Shared)>>>(n, movers, stamps, wrong.get(),
                                                          multiplied.get());
    });
    expect(wrong.host()[0] == 0, "tensor memory move");
    constexpr int kMoves = kBatch<kWidth, kStore, kWait>;
    const std::string name = std::string(kStore ? "tcgen05_st" : "tcgen05_ld") +
                             (k16Lanes ? "_16x256b_x16" : "_32x32b_x" + std::to_string(kWidth)) +
                             (kWait ? "_latency" : "_bandwidth") + "_w" + std::to_string(movers) +
                             (kMultiply ? "_beside_mma" : "");
    if constexpr (kWait) {
        bench.row(name, map(cycles, [](double c) { return c / kMoves; }), "clk", "move and wait");
    } else {
        bench.row(name, map(cycles, [&](double c) { return 128.0 * kWidth * kMoves * movers / c; }),
                  "B/clk/SM", std::to_string(kMoves) + " moves to a wait");
    }
    if constexpr (kMultiply) {
        Samples interval;
        for (const long long c : multiplied.host())
            interval.push_back(static_cast<double>(c));
        bench.row(name + "_mma_interval", interval, "clk", "m128n256k16; commit and wait every 16");
    }
}

template <int kWidth, bool kStore, bool k16Lanes = false>
void measure_width(Bench& bench) {
    measure_move<kWidth, kStore, true, false, k16Lanes>(bench, 1);
    for (const int movers : {1, 4, 8}) {
        measure_move<kWidth, kStore, false, false, k16Lanes>(bench, movers);
        measure_move<kWidth, kStore, false, true, k16Lanes>(bench, movers);
    }
}

void measure_steps(Bench& bench) {
    DeviceArray<unsigned> wrong(1);
    const auto steps = [&](auto kernel, const std::string& name, const std::string& note) {
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   sizeof(Shared)));
        bench.row(name,
                  bench.slope(1, 4, 16, 144,
                              [&](int n, Stamp* stamps) {
                                  kernel<<<1, 128, sizeof(Shared)>>>(n, stamps, wrong.get());
                              }),
                  "clk", note);
        expect(wrong.host()[0] == 0, name);
    };
    steps(round_trip<Step::kCommitWait>, "tcgen05_commit_wait", "nothing to wait for");
    steps(round_trip<Step::kCopy>, "tcgen05_cp_128x256b_latency", "copy; commit; wait");
    steps(round_trip<Step::kCopySixteen>, "tcgen05_cp_128x256b_x16", "16 copies; commit; wait");
    bench.row(
        "tcgen05_alloc_dealloc",
        bench.slope(1, 1, 16, 144,
                    [&](int n, Stamp* stamps) { allocate<<<1, 32>>>(n, stamps, wrong.get()); }),
        "clk", "all 512 columns");
    expect(wrong.host()[0] == 0, "allocation");
}

}  // namespace

int main() {
    Bench bench("tcgen05_moves");
    bench.require({100, 103});
    measure_steps(bench);
    measure_width<8, false>(bench);
    measure_width<16, false>(bench);
    measure_width<32, false>(bench);
    measure_width<64, false>(bench);
    measure_width<8, true>(bench);
    measure_width<16, true>(bench);
    measure_width<32, true>(bench);
    measure_width<64, true>(bench);
    measure_width<64, false, true>(bench);
    measure_width<64, true, true>(bench);
}
