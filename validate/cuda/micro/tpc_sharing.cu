// What do the two SMs of a TPC share on the way to L2? Bulk stores, bulk additions, bulk loads and
// plain stores by one SM, by both SMs of a TPC, by one SM of each TPC and by all; as streams, and
// as bursts of an output tile that all SMs send at once or each at a time of its own.
#include "../common/async.cuh"
#include "../common/stamp.cuh"

#include <string>

namespace {

using namespace micro;

constexpr unsigned kTile = 16384;        // bytes a warp sends at a time
constexpr unsigned kWindow = 4 * kTile;  // what a block writes to, again and again
constexpr int kWarps = 2;

// Blocks come in clusters of two, which share a TPC: how many clusters take part, and whether
// with both blocks.
struct Set {
    const char* name;
    int clusters;
    bool both;
};

enum class Way { bulk_store, bulk_add, bulk_load, plain_store };

__device__ bool takes_part(int clusters, bool both) {
    return blockIdx.x / 2 < clusters && (both || blockIdx.x % 2 == 0);
}

template <Way kWay>
__device__ void send(unsigned char* to, unsigned char* tile, Mbarrier& full, unsigned phase) {
    const bool first = threadIdx.x % 32 == 0;
    if constexpr (kWay == Way::plain_store) {
        for (unsigned i = threadIdx.x % 32; i < kTile / 16; i += 32)
            reinterpret_cast<uint4*>(to)[i] = make_uint4(i, i, i, i);
    } else if constexpr (kWay == Way::bulk_load) {
        if (first) {
            full.arrive_expect(kTile);
            asm volatile(
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                " [%0], [%1], %2, [%3];" ::"r"(shared_address(tile)),
                "l"(to), "r"(kTile), "r"(full.address())
                : "memory");
            full.wait(phase);
        }
    } else if (first) {
        if constexpr (kWay == Way::bulk_add) {
            asm volatile(
                "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(
                    to),
                "r"(shared_address(tile)), "r"(kTile)
                : "memory");
        } else {
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                         "r"(shared_address(tile)), "r"(kTile)
                         : "memory");
        }
        commit_stores();
        wait_stores_read();
    }
    __syncwarp();
}

__device__ unsigned char* prepare(Mbarrier* full) {
    extern __shared__ __align__(1024) unsigned char storage[];
    for (unsigned i = threadIdx.x; i < kWarps * kTile / 4; i += blockDim.x)
        reinterpret_cast<float*>(storage)[i] = 1.0F;
    if (threadIdx.x == 0) {
        for (int i = 0; i < kWarps; ++i)
            full[i].init(1);
        fence_mbarrier_init();
    }
    fence_async_proxy();
    __syncthreads();
    return storage + threadIdx.x / 32 * kTile;
}

// Tile after tile from each warp. Blocks that take no part end at once.
template <Way kWay>
__global__ __cluster_dims__(2) void stream(int tiles, int clusters, bool both, unsigned* arrived,
                                           unsigned char* memory, Stamp* stamps) {
    __shared__ Mbarrier full[kWarps];
    unsigned char* tile = prepare(full);
    start_together(arrived);
    const unsigned warp = threadIdx.x / 32;
    unsigned char* window = memory + std::size_t{blockIdx.x} * kWindow + warp * 2 * kTile;
    const long long begin = cycle();
    if (takes_part(clusters, both)) {
        for (int i = 0; i < tiles; ++i)
            send<kWay>(window + i % 2 * kTile, tile, full[warp], i & 1);
        wait_stores();
    }
    store_stamp(stamps, begin, cycle());
}

// One tile from each warp every `period` clocks, always to lines not written before. waited[block]:
// clocks from a tile's issue until it had left shared memory, summed over bursts, of warp 0.
__global__ __cluster_dims__(2) void bursts(int count, int period, bool in_step, int clusters,
                                           bool both, unsigned* arrived, unsigned char* memory,
                                           long long* waited) {
    __shared__ Mbarrier full[kWarps];
    unsigned char* tile = prepare(full);
    start_together(arrived);
    if (!takes_part(clusters, both))
        return;
    const unsigned warp = threadIdx.x / 32;
    // Multiples of the golden ratio spread evenly over a period.
    const auto share = static_cast<unsigned>(blockIdx.x * 2654435769U) >> 16;
    long long next = cycle() + 2000 + (in_step ? 0 : 1LL * period * share / 65536);
    long long sum = 0;
    for (int i = 0; i < count; ++i, next += period) {
        while (cycle() < next) {
        }
        unsigned char* to =
            memory +
            ((std::size_t{static_cast<unsigned>(i)} * gridDim.x + blockIdx.x) * kWarps + warp) *
                kTile;
        const long long begin = cycle();
        send<Way::bulk_store>(to, tile, full[warp], 0);
        sum += cycle() - begin;
    }
    wait_stores();
    if (threadIdx.x == 0)
        waited[blockIdx.x] = sum;
}

bool in_set(const Set& set, std::size_t block) {
    return static_cast<int>(block) / 2 < set.clusters && (set.both || block % 2 == 0);
}

template <Way kWay>
void measure_stream(Bench& bench, const std::string& name, const Set& set) {
    const int blocks = bench.sms();
    DeviceArray<unsigned char> memory(static_cast<std::size_t>(blocks) * kWindow);
    DeviceArray<unsigned> arrived(1);
    const auto alone = static_cast<int>(bench.gpu().sharedMemPerBlockOptin - 1024);
    check(cudaFuncSetAttribute(stream<kWay>, cudaFuncAttributeMaxDynamicSharedMemorySize, alone));
    constexpr int kFew = 32;
    constexpr int kMany = 288;
    const Samples slopes = bench.slope(blocks, kWarps, kFew, kMany, [&](int n, Stamp* stamps) {
        stream<kWay><<<blocks, kWarps * 32, alone>>>(n, set.clusters, set.both, arrived.get(),
                                                     memory.get(), stamps);
    });
    Samples rates;
    for (std::size_t i = 0; i < slopes.size(); ++i) {
        if (in_set(set, i % static_cast<std::size_t>(blocks)))
            rates.push_back(kWarps * kTile / slopes[i]);
    }
    bench.row(name + "_" + set.name, rates, "B/clk/SM",
              "two warps, 16 KiB at a time, windows of 64 KiB a block in L2");
}

void measure_bursts(Bench& bench, const Set& set, int period, bool in_step) {
    const int blocks = bench.sms();
    constexpr int kBursts = 48;
    DeviceArray<unsigned char> memory(std::size_t{kBursts} * blocks * kWarps * kTile);
    DeviceArray<unsigned> arrived(1);
    DeviceArray<long long> waited(static_cast<std::size_t>(blocks));
    const auto alone = static_cast<int>(bench.gpu().sharedMemPerBlockOptin - 1024);
    check(cudaFuncSetAttribute(bursts, cudaFuncAttributeMaxDynamicSharedMemorySize, alone));
    Samples means;
    for (int r = 0; r < 5; ++r) {
        bursts<<<blocks, kWarps * 32, alone>>>(kBursts, period, in_step, set.clusters, set.both,
                                               arrived.get(), memory.get(), waited.get());
        check_launch();
        bench.sample_clock();
        const std::vector<long long> host = waited.host();
        for (std::size_t block = 0; block < host.size(); ++block) {
            if (in_set(set, block))
                means.push_back(static_cast<double>(host[block]) / kBursts);
        }
    }
    bench.row(
        "store_burst_" + std::to_string(period) + (in_step ? "_in_step_" : "_apart_") + set.name,
        means, "clk",
        "until 16 KiB of each of two warps have left shared memory, to lines not written "
        "before");
}

}  // namespace

int main() {
    Bench bench("tpc_sharing");
    bench.require({90, 100, 103});
    const int tpcs = bench.sms() / 2;
    const Set sets[] = {{"1sm", 1, false},
                        {"1tpc", 1, true},
                        {"2sm", 2, false},
                        {"half_of_tpcs", tpcs / 2, true},
                        {"sm_of_each_tpc", tpcs, false},
                        {"all", tpcs, true}};
    for (const Set& set : sets) {
        measure_stream<Way::bulk_store>(bench, "tpc_bulk_store", set);
        measure_stream<Way::bulk_add>(bench, "tpc_bulk_add", set);
        measure_stream<Way::bulk_load>(bench, "tpc_bulk_load", set);
        measure_stream<Way::plain_store>(bench, "tpc_plain_store", set);
    }
    for (const Set& set : sets) {
        for (const int period : {4000, 10000, 40000}) {
            measure_bursts(bench, set, period, true);
            measure_bursts(bench, set, period, false);
        }
    }
}
