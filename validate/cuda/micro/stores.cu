// How long do stores and loads take: from shared memory's stores to their completion, the issue of
// global stores and cp.async, the latency of global loads by where the line lies?
#include "../common/async.cuh"
#include "../common/stamp.cuh"

namespace {

using namespace micro;

enum class Store { kNone, kSts32, kSts128, kStmatrix, kStg128 };
enum class Then { kNothing, kLoad, kOverwrite, kFenceAsync, kFenceBlock, kFenceDevice };

constexpr int kFew = 16;
constexpr int kMany = 144;

// Volatile, or the assembler would drop all stores to a place but the last.
template <Store kStore>
__device__ __forceinline__ void store(unsigned shared, uint4* global, uint4& v) {
    if constexpr (kStore == Store::kSts32) {
        asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(shared), "r"(v.x) : "memory");
    } else if constexpr (kStore == Store::kSts128) {
        asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(shared), "r"(v.x),
                     "r"(v.y), "r"(v.z), "r"(v.w)
                     : "memory");
    } else if constexpr (kStore == Store::kStmatrix) {
        asm volatile(
            "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(shared),
            "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
            : "memory");
    } else if constexpr (kStore == Store::kStg128) {
        asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(global), "r"(v.x),
                     "r"(v.y), "r"(v.z), "r"(v.w)
                     : "memory");
    }
}

// One warp stores a number that grows, and waits for it in one of several ways.
template <Store kStore, Then kThen>
__global__ void one_after_another(int iterations, uint4* window, Stamp* stamps, unsigned* out) {
    __shared__ __align__(16) unsigned words[128];
    const unsigned address = shared_address(words) + threadIdx.x * 16;
    const unsigned first_word = shared_address(words) + threadIdx.x * 4;
    uint4* global = window + threadIdx.x;
    // The other words, which the compiler does not know, stay as they are.
    uint4 v = {1, stamps == nullptr ? 1U : 0U, threadIdx.x, blockDim.x};
    unsigned& value = v.x;
    const long long begin = cycle();
#pragma unroll 8
    for (int i = 0; i < iterations; ++i) {
        store<kStore>(address, global, v);
        if constexpr (kThen == Then::kLoad) {
            asm volatile("ld.volatile.shared.u32 %0, [%1];"
                         : "=r"(value)
                         : "r"(kStore == Store::kStmatrix ? first_word : address)
                         : "memory");
        } else if constexpr (kThen == Then::kFenceAsync) {
            fence_async_proxy();
        } else if constexpr (kThen == Then::kFenceBlock) {
            __threadfence_block();
        } else if constexpr (kThen == Then::kFenceDevice) {
            __threadfence();
        }
        asm volatile("add.u32 %0, %0, 1;" : "+r"(value));
    }
    const long long end = cycle();
    store_stamp(stamps, begin, end);
    __syncwarp();
    // stmatrix puts the first word of all lanes into the first eight lanes' rows.
    unsigned last = static_cast<unsigned>(iterations);
    if constexpr (kStore == Store::kStg128) {
        last = *reinterpret_cast<volatile unsigned*>(global);
    } else if constexpr (kStore == Store::kStmatrix) {
        last = *reinterpret_cast<volatile unsigned*>(&words[threadIdx.x]);
    } else if constexpr (kStore != Store::kNone) {
        last = *reinterpret_cast<volatile unsigned*>(&words[threadIdx.x * 4]);
    }
    out[threadIdx.x] = (value - 1 == static_cast<unsigned>(iterations) ? 0 : 1) |
                       (last == static_cast<unsigned>(iterations) ? 0 : 2);
}

template <Store kStore, Then kThen>
Samples period(Bench& bench) {
    DeviceArray<uint4> window(32);
    DeviceArray<unsigned> out(32);
    out.poison();
    Samples cycles = bench.slope(1, 1, kFew, kMany, [&](int n, Stamp* stamps) {
        one_after_another<kStore, kThen><<<1, 32>>>(n, window.get(), stamps, out.get());
    });
    for (const unsigned wrong : out.host())
        expect(wrong == 0, "value stored last");
    return cycles;
}

// What the store adds to the wait that follows it.
template <Store kStore, Then kThen>
void completion(Bench& bench, const std::string& name, const std::string& note) {
    const double bare = median(period<Store::kNone, kThen>(bench));
    bench.row(name, map(period<kStore, kThen>(bench), [&](double c) { return c - bare; }), "clk",
              note + " less the wait alone");
}

template <Store kStore>
void measure_shared(Bench& bench, const std::string& name) {
    bench.row(name + "_overwrite_period", period<kStore, Then::kNothing>(bench), "clk",
              "store; its source is written again; one warp");
    bench.row(name + "_load_period", period<kStore, Then::kLoad>(bench), "clk",
              "store; load of the same word; addition; one warp");
    completion<kStore, Then::kFenceBlock>(bench, name + "_fence_block", "store and fence to block");
    completion<kStore, Then::kFenceAsync>(bench, name + "_fence_async",
                                          "store and fence to the async proxy");
}

// Every warp issues kBurst moves of 512 bytes at once: what one costs to issue.
constexpr int kBurst = 8;
enum class Move { kStore, kCopy, kLoad };

template <Move kMove>
__global__ void __launch_bounds__(512)
    burst(int iterations, uint4* window, Stamp* stamps, unsigned* out) {
    extern __shared__ __align__(16) unsigned char ring[];
    const int thread = threadIdx.x;
    uint4* mine = window + static_cast<std::size_t>(blockIdx.x) * kBurst * blockDim.x + thread;
    const unsigned to = shared_address(ring) + thread * 16;
    unsigned sum = 0;
    long long total = 0;
    uint4 value = {0, stamps == nullptr ? 1U : 0U, threadIdx.x, blockDim.x};
#pragma unroll 1
    for (int i = 0; i < iterations; ++i) {
        value.x = static_cast<unsigned>(i);
        __syncthreads();
        const long long before = cycle();
        uint4 v[kBurst];
#pragma unroll
        for (int u = 0; u < kBurst; ++u) {
            uint4* at = mine + u * blockDim.x;
            if constexpr (kMove == Move::kStore) {
                store<Store::kStg128>(0, at, value);
            } else if constexpr (kMove == Move::kCopy) {
                asm volatile(
                    "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + u * blockDim.x * 16),
                    "l"(at)
                    : "memory");
            } else {
                asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                             : "=r"(v[u].x), "=r"(v[u].y), "=r"(v[u].z), "=r"(v[u].w)
                             : "l"(at)
                             : "memory");
            }
        }
        const long long after = cycle();
        total += after - before;
        if constexpr (kMove == Move::kStore) {
            __threadfence();
        } else if constexpr (kMove == Move::kCopy) {
            asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
        } else {
            for (int u = 0; u < kBurst; ++u)
                sum += v[u].x + v[u].w;
        }
    }
    store_stamp(stamps, 0, total);
    for (int u = 0; u < kBurst; ++u) {
        if constexpr (kMove == Move::kStore) {
            const volatile unsigned* word =
                reinterpret_cast<volatile unsigned*>(mine + u * blockDim.x);
            sum += *word - static_cast<unsigned>(iterations - 1);
        } else if constexpr (kMove == Move::kCopy) {
            sum += *reinterpret_cast<unsigned*>(ring + (u * blockDim.x + thread) * 16) -
                   mine[u * blockDim.x].x;
        } else {
            sum -= iterations * 2U * mine[u * blockDim.x].x;
        }
    }
    if (sum != 0)
        atomicAdd(out, 1);
}

template <Move kMove>
void measure_burst(Bench& bench, const std::string& name, int warps) {
    const int threads = 32 * warps;
    const int bytes = kMove == Move::kCopy ? kBurst * threads * 16 : 0;
    check(cudaFuncSetAttribute(burst<kMove>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               std::max(bytes, 1024)));
    std::vector<uint4> host(static_cast<std::size_t>(kBurst) * threads);
    for (std::size_t i = 0; i < host.size(); ++i) {
        const auto word = static_cast<unsigned>(i * 2654435761U);
        host[i] = {word, word, word, word};
    }
    DeviceArray<uint4> window(host);
    DeviceArray<unsigned> wrong(1);
    const Samples cycles = bench.slope(1, warps, kFew, kMany, [&](int n, Stamp* stamps) {
        burst<kMove><<<1, threads, bytes>>>(n, window.get(), stamps, wrong.get());
    });
    expect(wrong.host()[0] == 0, name);
    bench.row(name + "_issue_w" + std::to_string(warps),
              map(cycles, [&](double c) { return c / kBurst / warps; }), "clk",
              "SM cycles for each warp instruction of 512 bytes; eight at once; one SM");
}

// One lane follows pointers.
template <bool kThroughL1>
__global__ void chase(int steps, const unsigned char* start, Stamp* stamps,
                      unsigned long long* out) {
    if (threadIdx.x != 0)
        return;
    auto at = reinterpret_cast<unsigned long long>(start);
    const long long begin = cycle();
#pragma unroll 8
    for (int i = 0; i < steps; ++i) {
        if constexpr (kThroughL1) {
            asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at)::"memory");
        } else {
            asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at)::"memory");
        }
    }
    const long long end = cycle();
    store_stamp(stamps, begin, end);
    out[0] = at - reinterpret_cast<unsigned long long>(start);
}

__global__ void overwrite(uint4* to, std::size_t count, unsigned value) {
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
         i += step)
        to[i] = {value, value, value, value};
}

// Pointers `stride` bytes apart, the last of which leads back to the first.
struct Ring {
    DeviceArray<unsigned char> memory;
    int steps;

    Ring(int count, std::size_t stride) : memory(count * stride), steps(count) {
        std::vector<unsigned long long> next(count);
        for (int i = 0; i < count; ++i)
            next[i] = reinterpret_cast<unsigned long long>(memory.get()) + (i + 1) % count * stride;
        check(cudaMemcpy2D(memory.get(), stride, next.data(), sizeof next[0], sizeof next[0], count,
                           cudaMemcpyHostToDevice));
    }
};

template <bool kThroughL1>
void measure_chase(Bench& bench, const std::string& name, int steps, std::size_t stride,
                   const std::string& note) {
    const Ring ring(steps, stride);
    DeviceArray<unsigned long long> out(1);
    out.poison();
    // The first of the rounds fills the cache; the difference of one and three has no part of it.
    const Samples cycles = bench.slope(1, 1, steps, 3 * steps, [&](int n, Stamp* stamps) {
        chase<kThroughL1><<<1, 32>>>(n, ring.memory.get(), stamps, out.get());
    });
    expect(out.host()[0] == 0, name);
    bench.row(name, cycles, "clk", note);
}

// Once through lines that were written out of L2 before.
void measure_memory(Bench& bench, const std::string& name, int steps, std::size_t stride,
                    const std::string& note) {
    const Ring ring(steps, stride);
    DeviceArray<unsigned long long> out(1);
    out.poison();
    DeviceArray<uint4> other(std::size_t{256} << 16);  // 256 MiB
    const Samples cycles = bench.cycles(1, 1, [&](Stamp* stamps) {
        overwrite<<<4 * bench.sms(), 256>>>(other.get(), other.size(), 1);
        check_launch();
        chase<false><<<1, 32>>>(steps, ring.memory.get(), stamps, out.get());
    });
    expect(out.host()[0] == 0, name);
    bench.row(name, map(cycles, [&](double c) { return c / steps; }), "clk", note);
}

}  // namespace

int main() {
    Bench bench("stores");
    measure_shared<Store::kSts32>(bench, "sts32");
    measure_shared<Store::kSts128>(bench, "sts128");
    measure_shared<Store::kStmatrix>(bench, "stmatrix_x4");
    bench.row("stg128_overwrite_period", period<Store::kStg128, Then::kNothing>(bench), "clk",
              "store to one place of L2; its source is written again; one warp");
    completion<Store::kStg128, Then::kFenceDevice>(bench, "stg128_fence_device",
                                                   "store and fence to device");
    for (const int warps : {1, 4, 8, 16}) {
        measure_burst<Move::kStore>(bench, "stg128", warps);
        measure_burst<Move::kCopy>(bench, "cp_async16", warps);
        measure_burst<Move::kLoad>(bench, "ldg128", warps);
    }
    measure_chase<true>(bench, "ldg_l1_latency", 128, 128, "dependent 8-byte loads; L1 hits");
    measure_chase<false>(bench, "ldg_l2_latency", 2048, 512, "dependent 8-byte loads; L2 hits");
    measure_memory(bench, "ldg_hbm_latency_near", 1024, 2048,
                   "dependent 8-byte loads within 2 MiB: hardly any address translation");
    measure_memory(bench, "ldg_hbm_latency_far", 512, std::size_t{1028} << 10,
                   "dependent 8-byte loads 1 MiB apart: with address translation");
}
