// Do fills by the copy engine, or stores of other warps, slow tcgen05.mma's operand reads down?
#include "streamed_rows.cuh"
#include "tcgen05_tiles.cuh"

namespace {

using namespace micro;

enum class Helper { kNone, kCopy, kStore };

constexpr int kRing = 4;
constexpr unsigned kBoxRows = 128;
constexpr int kBoxBytes = kBoxRows * kRowBytes;
constexpr int kWindow = 8;  // boxes of a block's own, so that copies come from L2
constexpr int kBatch = 16;

struct Progress {
    long long bytes;
    long long cycles;
    unsigned wrong;
};

struct Shared {
    unsigned char ring[kRing][kBoxBytes];
    unsigned char a[128 * kRowBytes];
    unsigned char b[256 * kRowBytes];
    Mbarrier full[kRing];
    Mbarrier done;
    unsigned tmem;
    volatile int stop;
};

// Each helper works until the flag, notes the time then, checks its work and returns its bytes.
__device__ long long copy_until(Shared& s, const CUtensorMap& map, long long* end,
                                unsigned* wrong) {
    const int base = blockIdx.x * kWindow;
    const auto fetch = [&](long long i) {
        Mbarrier& full = s.full[i % kRing];
        full.arrive_expect(kBoxBytes);
        load_box(s.ring[i % kRing], &map, 0, (base + static_cast<int>(i % kWindow)) * kBoxRows,
                 full);
    };
    for (int i = 0; i < kRing; ++i)
        fetch(i);
    long long landed = 0;
    while (s.stop == 0) {
        s.full[landed % kRing].wait(landed / kRing & 1);
        fetch(landed + kRing);
        ++landed;
    }
    *end = cycle();
    for (long long i = landed; i < landed + kRing; ++i) {
        s.full[i % kRing].wait(i / kRing & 1);
        *wrong += wrong_words(s.ring[i % kRing], kBoxRows,
                              (base + static_cast<int>(i % kWindow)) * kBoxRows, 0, 1);
    }
    return landed * kBoxBytes;
}

__device__ long long store_until(Shared& s, long long* end, unsigned* wrong) {
    const unsigned base = shared_address(s.ring) + threadIdx.x % 128 * 16;
    unsigned turn = 0;
    while (true) {
        const int stop = s.stop;  // looked at only after the batch, to hide the load
#pragma unroll
        for (int i = 0; i < kBatch; ++i) {
            asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(base + i * 2048),
                         "r"(turn)
                         : "memory");
        }
        ++turn;
        if (stop != 0)
            break;
    }
    *end = cycle();
    unsigned last;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(last) : "r"(base) : "memory");
    *wrong += last != turn - 1;
    return static_cast<long long>(turn) * kBatch * 128 * 16;
}

template <int kN, bool kATmem, Helper kHelper>
__global__ void __launch_bounds__(256, 1)
    contend(int depth, __grid_constant__ const CUtensorMap map, Stamp* stamps, double* sums,
            Progress* progress) {
    extern __shared__ __align__(1024) unsigned char memory[];
    Shared& s = *reinterpret_cast<Shared*>(memory);
    fill_bf16_tile(s.a, 128, false, 0);
    fill_bf16_tile(s.b, kN, true, 0);
    if (threadIdx.x < 32)
        tmem_allocate<1>(&s.tmem);
    if (threadIdx.x == 0) {
        for (Mbarrier& barrier : s.full)
            barrier.init(1);
        s.done.init(1);
        fence_mbarrier_init();
        s.stop = 0;
    }
    fence_async_proxy();
    __syncthreads();
    const unsigned tmem = s.tmem;
    if (threadIdx.x < 128)
        prepare_tmem(tmem);
    tcgen05_before_sync();
    __syncthreads();
    tcgen05_after_sync();
    if (threadIdx.x < 128) {
        const long long begin = cycle();
        if (threadIdx.x == 0) {
            constexpr std::uint32_t kInstruction = tcgen05_instruction(128, kN);
            const std::uint64_t a = tcgen05_descriptor(s.a);
            const std::uint64_t b = tcgen05_descriptor(s.b);
#pragma unroll 8
            for (int i = 0; i < depth; ++i) {
                const unsigned slice = i % kSlices;
                if constexpr (kATmem) {
                    tcgen05_mma_ts<1>(tmem, tmem + kAColumn + slice * kTcgenK / 2,
                                      b + slice * kSliceStep, kInstruction);
                } else {
                    tcgen05_mma_ss<1>(tmem, a + slice * kSliceStep, b + slice * kSliceStep,
                                      kInstruction);
                }
            }
            tcgen05_commit<1>(s.done);
        }
        s.done.wait(0);
        const long long end = cycle();
        tcgen05_after_sync();
        if (threadIdx.x == 0)
            s.stop = 1;
        if (threadIdx.x % 32 == 0)
            stamps[blockIdx.x * 4 + threadIdx.x / 32] = {begin, end};
        sums[blockIdx.x * 128 + threadIdx.x] = sum_accumulators(tmem);
    } else {
        unsigned wrong = 0;
        long long bytes = 0;
        const long long begin = cycle();
        long long end = begin;
        if constexpr (kHelper == Helper::kCopy) {
            if (threadIdx.x == 128)
                bytes = copy_until(s, map, &end, &wrong);
        } else if constexpr (kHelper == Helper::kStore) {
            bytes = store_until(s, &end, &wrong);
        }
        if (wrong != 0)
            atomicAdd(&progress[blockIdx.x].wrong, wrong);
        if (threadIdx.x == 128) {
            progress[blockIdx.x].bytes = bytes;
            progress[blockIdx.x].cycles = end - begin;
        }
    }
    tcgen05_before_sync();
    __syncthreads();
    if (threadIdx.x < 32)
        tmem_release<1>(tmem);
}

template <int kN, bool kATmem, Helper kHelper>
void measure(Bench& bench, const StreamedRows& rows) {
    static const char* const kNames[] = {"alone", "copy", "sts128"};
    const std::string name = "n" + std::to_string(kN) + (kATmem ? "_ts_" : "_ss_") + "beside_" +
                             kNames[static_cast<int>(kHelper)];
    const int blocks = bench.sms();
    const auto kernel = contend<kN, kATmem, kHelper>;
    check(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared)));
    const CUtensorMap tensor = rows.map(kBoxRows);
    DeviceArray<double> sums(static_cast<std::size_t>(blocks) * 128);
    DeviceArray<Progress> progress(blocks);
    constexpr int kFew = 256;
    constexpr int kMany = 1280;
    const Samples interval = bench.slope(blocks, 4, kFew, kMany, [&](int depth, Stamp* stamps) {
        kernel<<<blocks, 256, sizeof(Shared)>>>(depth, tensor, stamps, sums.get(), progress.get());
    });
    const std::vector<double> host = sums.host();
    for (std::size_t first = 0; first < host.size(); first += 128) {
        double sum = 0;
        for (std::size_t t = 0; t < 128; ++t)
            sum += host[first + t];
        expect(sum == expected_sum(128, kN, kMany), "sum of accumulators of " + name);
    }
    bench.row("tcgen05_interval_" + name, interval, "clk", "m128 k16 bf16; one block");
    if constexpr (kHelper != Helper::kNone) {
        Samples rate;
        for (const Progress& p : progress.host()) {
            expect(p.wrong == 0, "helper of " + name);
            rate.push_back(static_cast<double>(p.bytes) / static_cast<double>(p.cycles));
        }
        bench.row("helper_rate_" + name, rate, "B/clk/SM", "beside tcgen05.mma");
    }
}

template <int kN, bool kATmem>
void measure_all(Bench& bench, const StreamedRows& rows) {
    measure<kN, kATmem, Helper::kNone>(bench, rows);
    measure<kN, kATmem, Helper::kCopy>(bench, rows);
    measure<kN, kATmem, Helper::kStore>(bench, rows);
}

}  // namespace

int main() {
    Bench bench("tcgen05_contention");
    bench.require({100, 103});
    const StreamedRows rows(static_cast<std::size_t>(bench.sms()) * kWindow * kBoxRows);
    measure_all<64, false>(bench, rows);
    measure_all<64, true>(bench, rows);
    measure_all<128, false>(bench, rows);
    measure_all<128, true>(bench, rows);
    measure_all<256, false>(bench, rows);
}
