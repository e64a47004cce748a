// Does other use of shared memory slow wgmma down, and wgmma that use? One warpgroup multiplies,
// the other loads, stores or copies.
#include "streamed_rows.cuh"
#include "wgmma_tiles.cuh"

namespace {

using namespace micro;

enum class Helper { kNone, kCopy, kLoad, kStore };

constexpr int kRing = 4;
constexpr unsigned kBoxRows = 128;
constexpr int kBoxBytes = kBoxRows * kRowBytes;
constexpr int kWindow = 8;  // boxes of a block's own, so that copies come from L2
constexpr int kBatch = 16;  // helper operations between looks at the flag

// What the helper got done, and wrong.
struct Progress {
    long long operations;
    long long cycles;
    unsigned wrong;
};

struct Shared {
    unsigned char ring[kRing][kBoxBytes];
    unsigned char tiles[(256 + kTileM) * kRowBytes];
    Mbarrier full[kRing];
    volatile int stop;
};

// Each helper works until the flag, notes the time then, checks its work and returns its count.
// This one copies 16 KiB boxes from L2 as fast as they land.
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
    return landed;
}

__device__ long long load_until(Shared& s, long long* end, unsigned* wrong) {
    const unsigned base = shared_address(s.ring) + threadIdx.x % 128 * 16;
    unsigned sum = 0;
    long long done = 0;
    while (true) {
        const int stop = s.stop;  // looked at only after the batch, to hide the load
#pragma unroll
        for (int i = 0; i < kBatch; ++i) {
            unsigned v[4];
            asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                         : "r"(base + i * 2048)
                         : "memory");
            sum += v[0] ^ v[1] ^ v[2] ^ v[3];
        }
        done += kBatch;
        if (stop != 0)
            break;
    }
    *end = cycle();
    // The ring holds ones and twos such that each 16 bytes XOR to 3.
    *wrong += sum != static_cast<unsigned>(done * 3);
    return done;
}

__device__ long long store_until(Shared& s, long long* end, unsigned* wrong) {
    const unsigned base = shared_address(s.ring) + threadIdx.x % 128 * 16;
    long long done = 0;
    while (true) {
        const int stop = s.stop;  // looked at only after the batch, to hide the load
#pragma unroll
        for (int i = 0; i < kBatch; ++i) {
            asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(base + i * 2048), "r"(1),
                         "r"(static_cast<unsigned>(done)), "r"(3), "r"(4)
                         : "memory");
        }
        done += kBatch;
        if (stop != 0)
            break;
    }
    *end = cycle();
    unsigned last;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(last) : "r"(base + 4) : "memory");
    *wrong += last != static_cast<unsigned>(done - kBatch);
    return done;
}

template <int kN, bool kARegisters, Helper kHelper, bool kMultiply>
__global__ void __launch_bounds__(256, 1)
    contend(int iterations, __grid_constant__ const CUtensorMap map, Stamp* stamps, float* out,
            Progress* progress) {
    extern __shared__ __align__(1024) unsigned char memory[];
    Shared& s = *reinterpret_cast<Shared*>(memory);
    unsigned char* b_tile = s.tiles;
    unsigned char* a_tile = s.tiles + kN * kRowBytes;
    fill_tile<Bf16>(b_tile, kN, b_value);
    fill_tile<Bf16>(a_tile, kTileM, a_value);
    if constexpr (kHelper != Helper::kCopy) {
        unsigned* words = reinterpret_cast<unsigned*>(s.ring);
        for (int i = threadIdx.x; i < kRing * kBoxBytes / 4; i += blockDim.x) {
            words[i] = i % 4 == 0 ? 1 : i % 4 == 1 ? 2 : 5;
        }
    }
    if (threadIdx.x == 0) {
        for (Mbarrier& barrier : s.full)
            barrier.init(1);
        fence_mbarrier_init();
        s.stop = 0;
    }
    fence_async_proxy();
    __syncthreads();

    if (threadIdx.x < 128) {
        std::uint32_t fragments[kSlices][4];
        for (int k = 0; k < kSlices; ++k)
            load_fragment<Bf16>(a_tile, k, fragments[k]);
        float d[kN / 2];
        for (float& value : d)
            value = 0;
        const std::uint64_t a = descriptor(a_tile);
        const std::uint64_t b = descriptor(b_tile);
        constexpr int kGroup = 16;
        const long long begin = cycle();
        if constexpr (kMultiply) {
#pragma unroll 1
            for (int i = 0; i < iterations; ++i) {
                wgmma_fence();
#pragma unroll
                for (int g = 0; g < kGroup; ++g) {
                    const int k = g % kSlices;
                    if constexpr (kARegisters) {
                        Bf16::multiply(d, fragments[k], b + k * kSliceStep);
                    } else {
                        Bf16::multiply(d, a + k * kSliceStep, b + k * kSliceStep);
                    }
                }
                wgmma_commit();
                wgmma_wait<1>();
            }
            wgmma_wait<0>();
        } else {
            while (cycle() < begin + iterations * (kGroup * 32LL))
                __nanosleep(200);
        }
        const long long end = cycle();
        if (threadIdx.x == 0)
            s.stop = 1;
        if (threadIdx.x % 32 == 0)
            stamps[blockIdx.x * 4 + threadIdx.x / 32] = {begin, end};
        if (blockIdx.x == 0)
            store_accumulators<kN>(d, out);
    } else {
        unsigned wrong = 0;
        long long done = 0;
        const long long begin = cycle();
        long long end = begin;
        if constexpr (kHelper == Helper::kCopy) {
            if (threadIdx.x == 128)
                done = copy_until(s, map, &end, &wrong);
        } else if constexpr (kHelper == Helper::kLoad) {
            done = load_until(s, &end, &wrong);
        } else if constexpr (kHelper == Helper::kStore) {
            done = store_until(s, &end, &wrong);
        }
        if (wrong != 0)
            atomicAdd(&progress[blockIdx.x].wrong, wrong);
        if (threadIdx.x == 128) {
            progress[blockIdx.x].operations = done;
            progress[blockIdx.x].cycles = end - begin;
        }
    }
}

// Clock cycles for each instruction (none when not multiplying) and the helper's rate.
template <int kN, bool kARegisters, Helper kHelper, bool kMultiply>
void measure(Bench& bench, const StreamedRows& rows, int blocks) {
    static const char* const kNames[] = {"alone", "copy", "lds128", "sts128"};
    const std::string helper = kNames[static_cast<int>(kHelper)];
    const std::string name = "beside_n" + std::to_string(kN) + (kARegisters ? "_rs_" : "_ss_") +
                             helper + "_" + std::to_string(blocks) + "sm";
    const auto kernel = contend<kN, kARegisters, kHelper, kMultiply>;
    check(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared)));
    const CUtensorMap tensor = rows.map(kBoxRows);
    DeviceArray<float> out(kTileM * kN);
    DeviceArray<Progress> progress(blocks);
    constexpr int kFew = 16;
    constexpr int kMany = 80;
    const Samples cycles = bench.slope(
        blocks, 4, kFew, kMany,
        [&](int n, Stamp* stamps) {
            kernel<<<blocks, 256, sizeof(Shared)>>>(n, tensor, stamps, out.get(), progress.get());
        },
        7);
    if constexpr (kMultiply) {
        verify_product<Bf16>(out.host().data(), kN, kMany * 16, 16);
        bench.row("wgmma_interval_" + name, map(cycles, [](double c) { return c / 16; }), "clk",
                  "beside one helper warpgroup");
    }
    if constexpr (kHelper != Helper::kNone) {
        Samples rate;
        constexpr double kPerOperation = kHelper == Helper::kCopy ? kBoxBytes : 128 * 16;
        for (const Progress& p : progress.host()) {
            expect(p.wrong == 0, "helper of " + name);
            rate.push_back(kPerOperation * static_cast<double>(p.operations) /
                           static_cast<double>(p.cycles));
        }
        bench.row(std::string("helper_rate_") + (kMultiply ? "" : "no_wgmma_") + name, rate,
                  "B/clk/SM",
                  kMultiply ? "one warpgroup beside wgmma" : "one warpgroup; wgmma idle");
    }
}

template <int kN, bool kARegisters>
void measure_multiplier(Bench& bench, const StreamedRows& rows) {
    const int sms = bench.sms();
    measure<kN, kARegisters, Helper::kNone, true>(bench, rows, sms);
    measure<kN, kARegisters, Helper::kCopy, true>(bench, rows, 1);
    measure<kN, kARegisters, Helper::kCopy, true>(bench, rows, sms);
    measure<kN, kARegisters, Helper::kLoad, true>(bench, rows, sms);
    measure<kN, kARegisters, Helper::kStore, true>(bench, rows, sms);
}

}  // namespace

int main() {
    Bench bench("wgmma_contention");
    bench.require({90});
    const StreamedRows rows(static_cast<std::size_t>(bench.sms()) * kWindow * kBoxRows);
    measure<64, false, Helper::kCopy, false>(bench, rows, 1);
    measure<64, false, Helper::kCopy, false>(bench, rows, bench.sms());
    measure<64, false, Helper::kLoad, false>(bench, rows, bench.sms());
    measure<64, false, Helper::kStore, false>(bench, rows, bench.sms());
    measure_multiplier<16, false>(bench, rows);
    measure_multiplier<32, false>(bench, rows);
    measure_multiplier<64, false>(bench, rows);
    measure_multiplier<64, true>(bench, rows);
    measure_multiplier<128, false>(bench, rows);
    measure_multiplier<128, true>(bench, rows);
    measure_multiplier<256, false>(bench, rows);
}
