// How long does a load wait at the shared-memory port for what others do there? One warp loads,
// each load's address depending on the one before, beside a warp whose accesses take 1 to 32 port
// cycles each, or beside wgmma that reads its operands.
#include "../common/stamp.cuh"
#include "wgmma_tiles.cuh"

namespace {

using namespace micro;

enum class Beside { kNothing, kLoads, kStores, kWgmma };

constexpr int kUnroll = 16;
constexpr int kThreads = 256;  // a warpgroup beside, and one of which the first warp loads

struct Shared {
    unsigned char tiles[(256 + kTileM) * kRowBytes];
    unsigned words[32 * 32];
    unsigned ring[32];
    volatile int stop;
};

// `ways` lanes of each group of that many share a bank: the access takes as many port cycles.
template <bool kStore>
__device__ unsigned disturb(Shared& s, int ways) {
    const unsigned lane = threadIdx.x % 32;
    const unsigned word = lane % ways * 32 + lane / ways;
    const unsigned address = shared_address(s.words) + word * 4;
    unsigned sum = 0;
    while (s.stop == 0) {
#pragma unroll
        for (int i = 0; i < kUnroll; ++i) {
            if constexpr (kStore) {
                asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(address), "r"(word)
                             : "memory");
            } else {
                unsigned got;
                asm volatile("ld.volatile.shared.u32 %0, [%1];"
                             : "=r"(got)
                             : "r"(address)
                             : "memory");
                sum |= got ^ word;
            }
        }
    }
    return sum | (s.words[word] ^ word);
}

template <int kN, Beside kBeside>
__global__ void __launch_bounds__(kThreads, 1)
    wait_at_port(int iterations, int ways, int warps, int groups, Stamp* stamps, unsigned* out,
                 float* product) {
    extern __shared__ __align__(1024) unsigned char memory[];
    Shared& s = *reinterpret_cast<Shared*>(memory);
    fill_tile<Bf16>(s.tiles, kN, b_value);
    fill_tile<Bf16>(s.tiles + kN * kRowBytes, kTileM, a_value);
    for (unsigned i = threadIdx.x; i < 32 * 32; i += blockDim.x)
        s.words[i] = i;
    if (threadIdx.x < 32)
        s.ring[threadIdx.x] = shared_address(&s.ring[(threadIdx.x + 1) % 32]);
    if (threadIdx.x == 0)
        s.stop = 0;
    fence_async_proxy();
    __syncthreads();
    const int warp = threadIdx.x / 32;
    if (warp < 4) {
        unsigned wrong = 0;
        if constexpr (kBeside == Beside::kWgmma) {
            float d[kN / 2];
            for (float& value : d)
                value = 0;
            const std::uint64_t a = descriptor(s.tiles + kN * kRowBytes);
            const std::uint64_t b = descriptor(s.tiles);
#pragma unroll 1
            for (int i = 0; i < groups; ++i) {
                wgmma_fence();
#pragma unroll
                for (int g = 0; g < kUnroll; ++g) {
                    const int k = g % kSlices;
                    Bf16::multiply(d, a + k * kSliceStep, b + k * kSliceStep);
                }
                wgmma_commit();
                wgmma_wait<1>();
            }
            wgmma_wait<0>();
            // The loads must be over by now, or some ran beside nothing.
            wrong = s.stop == 0 ? 4 : 0;
            if (blockIdx.x == 0)
                store_accumulators<kN>(d, product);
        } else if constexpr (kBeside == Beside::kLoads) {
            if (warp < warps)
                wrong = disturb<false>(s, ways);
        } else if constexpr (kBeside == Beside::kStores) {
            if (warp < warps)
                wrong = disturb<true>(s, ways);
        }
        if (wrong != 0)
            atomicOr(out, kBeside == Beside::kWgmma ? wrong : 1);
        return;
    }
    if (warp != 4)
        return;
    unsigned at = shared_address(&s.ring[threadIdx.x % 32]);
    const unsigned start = at;
    // Whatever is beside is under way.
    const long long ready = cycle() + 5000;
    while (cycle() < ready) {
    }
    const long long begin = cycle();
#pragma unroll 1
    for (int i = 0; i < iterations; ++i) {
#pragma unroll
        for (int u = 0; u < kUnroll; ++u)
            asm volatile("ld.volatile.shared.u32 %0, [%0];" : "+r"(at)::"memory");
    }
    const long long end = cycle();
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
        s.stop = 1;
        stamps[blockIdx.x] = {begin, end};
    }
    if (at != start)
        atomicOr(out, 2);
}

template <int kN, Beside kBeside>
void measure(Bench& bench, const std::string& name, int ways, int warps, const std::string& note) {
    const int blocks = bench.sms();
    const auto kernel = wait_at_port<kN, kBeside>;
    check(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared)));
    DeviceArray<unsigned> out(1);
    DeviceArray<float> product(kTileM * kN);
    // Loads of 100 clk would still be over before the products.
    const auto groups = [](int n) { return (20000 + n * kUnroll * 100) / (kUnroll * kN / 2); };
    // Whole turns of the ring of 32 words.
    constexpr int kMany = 288;
    const Samples cycles = bench.slope(blocks, 1, 32, kMany, [&](int n, Stamp* stamps) {
        kernel<<<blocks, kThreads, sizeof(Shared)>>>(n, ways, warps, groups(n), stamps, out.get(),
                                                     product.get());
    });
    expect(out.host()[0] == 0,
           name + " (1: value beside, 2: value loaded, 4: wgmma was over first)");
    if constexpr (kBeside == Beside::kWgmma)
        verify_product<Bf16>(product.host().data(), kN, groups(kMany) * kUnroll, kUnroll);
    bench.row("lds_latency_beside_" + name, map(cycles, [](double c) { return c / kUnroll; }),
              "clk", note);
}

}  // namespace

int main() {
    Bench bench("smem_arbitration");
    bench.require({90});
    measure<64, Beside::kNothing>(bench, "nothing", 1, 0, "dependent 4-byte loads");
    for (const int ways : {1, 2, 4, 8, 16, 32}) {
        for (const int warps : {1, 4}) {
            const std::string what = "_" + std::to_string(ways) + "way_w" + std::to_string(warps);
            const std::string note = std::to_string(warps) + " warps whose accesses take " +
                                     std::to_string(ways) + " port cycles";
            measure<64, Beside::kLoads>(bench, "loads" + what, ways, warps, note);
            measure<64, Beside::kStores>(bench, "stores" + what, ways, warps, note);
        }
    }
    measure<64, Beside::kWgmma>(bench, "wgmma_n64_ss", 1, 4, "port used by wgmma all the time");
    measure<128, Beside::kWgmma>(bench, "wgmma_n128_ss", 1, 4,
                                 "port used by wgmma for three quarters");
    measure<256, Beside::kWgmma>(bench, "wgmma_n256_ss", 1, 4,
                                 "port used by wgmma for five eighths");
}
