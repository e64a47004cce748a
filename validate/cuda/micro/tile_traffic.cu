// Short tiles as an attention kernel has them: loads from HBM, some time at work, a store of the
// output; all SMs at it, out of step, and no two tiles in the same lines. How much longer do loads
// and stores take as that time gets shorter and HBM busier?
#include "../common/async.cuh"
#include "../common/stamp.cuh"
#include "../common/tensor_map.hpp"
#include "tile_planes.cuh"

#include <string>

namespace {

using namespace micro;

constexpr int kTiles = 48;

struct Times {
    long long loads;   // first load issued -> all landed
    long long stores;  // stores issued -> shared memory is free
    long long all;
};

// One thread a block: the copies are the engine's.
__global__ void tiles(int planes, int work, bool store, unsigned* arrived,
                      const __grid_constant__ CUtensorMap from,
                      const __grid_constant__ CUtensorMap to, Times* times) {
    extern __shared__ __align__(1024) unsigned char storage[];
    __shared__ Mbarrier full;
    full.init(1);
    fence_mbarrier_init();
    start_together(arrived);
    Times sum{};
    const long long first = cycle();
    for (int i = 0; i < kTiles; ++i) {
        const int tile = i * static_cast<int>(gridDim.x) + static_cast<int>(blockIdx.x);
        const long long begin = cycle();
        full.arrive_expect(static_cast<unsigned>(planes) * kPlaneBytes);
        for (int b = 0; b < planes * kBoxesOfPlane; ++b) {
            load_box(storage + b * kBoxBytes, &from, b % 2 * kBox, b / 2 % 2 * kBox,
                     tile * planes + b / kBoxesOfPlane, full);
        }
        full.wait(i & 1);
        const long long landed = cycle();
        work_until(landed + work_of(tile, work));
        const long long out = cycle();
        if (store) {
            for (int b = 0; b < kBoxesOfPlane; ++b)
                store_box(&to, b % 2 * kBox, b / 2 * kBox, tile, storage + b * kBoxBytes);
            commit_stores();
            wait_stores_read();
        }
        sum.loads += landed - begin;
        sum.stores += cycle() - out;
    }
    wait_stores();
    sum.all = cycle() - first;
    times[blockIdx.x] = sum;
}

void measure(Bench& bench, int planes, int work, bool store) {
    const int blocks = bench.sms();
    const std::size_t count = std::size_t{kTiles} * blocks;
    DeviceArray<unsigned char> from(count * planes * kPlaneBytes);
    DeviceArray<unsigned char> to(count * kPlaneBytes);
    DeviceArray<unsigned> arrived(1);
    DeviceArray<Times> times(static_cast<std::size_t>(blocks));
    const CUtensorMap from_map = plane_box_map(from.get(), kColumns, kRows, count * planes, kBox);
    const CUtensorMap to_map = plane_box_map(to.get(), kColumns, kRows, count, kBox);
    // All of shared memory: one block an SM.
    const auto bytes = static_cast<int>(bench.gpu().sharedMemPerBlockOptin - 1024);
    check(cudaFuncSetAttribute(tiles, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    Samples loads, stores, all;
    for (int r = 0; r < Bench::kRepeats / 3; ++r) {
        tiles<<<blocks, 1, bytes>>>(planes, work, store, arrived.get(), from_map, to_map,
                                    times.get());
        check_launch();
        bench.sample_clock();
        for (const Times& t : times.host()) {
            loads.push_back(static_cast<double>(t.loads) / kTiles);
            stores.push_back(static_cast<double>(t.stores) / kTiles);
            all.push_back(static_cast<double>(t.all) / kTiles);
        }
    }
    const std::string name = std::to_string(planes * kPlaneBytes / 1024) + "KiB_" +
                             (store ? "stored_" : "") + "work_" + std::to_string(work);
    const std::string note = "a tile's loads from HBM land before its work" +
                             std::string(store ? "; 32 KiB are stored after it" : "");
    bench.row("tile_loads_" + name, loads, "clk", note);
    if (store)
        bench.row("tile_stores_" + name, stores, "clk", note);
    const unsigned moved = (planes + (store ? 1 : 0)) * kPlaneBytes;
    bench.row("tile_traffic_" + name, map(all, [=](double c) { return moved / c; }), "B/clk/SM",
              note);
}

}  // namespace

int main() {
    Bench bench("tile_traffic");
    bench.require({90, 100, 103});
    for (const int planes : {1, 3}) {
        for (const bool store : {false, true}) {
            for (const int work : {1000, 2000, 4000, 6000, 8000, 12000, 16000, 32000})
                measure(bench, planes, work, store);
        }
    }
}
