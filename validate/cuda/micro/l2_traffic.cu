// Tiles of keys and values that lie in L2: every SM loads a tile, works for a while and loads the
// next. How much longer does a load take as that while gets shorter and L2 busier?
#include "../common/async.cuh"
#include "../common/stamp.cuh"
#include "../common/tensor_map.hpp"
#include "tile_planes.cuh"

#include <string>

namespace {

using namespace micro;

constexpr int kPlanes = 640;  // 20 MiB, which L2 holds
constexpr int kLoads = 192;

struct Times {
    long long loads;  // issued -> all landed
    long long all;
};

// Which tile an SM loads as its i-th: SMs of a group walk through the planes together, as tiles of
// one head do; groups of one SM each have a walk of their own.
__device__ int plane_of(int i, int group) {
    const int walk = static_cast<int>(blockIdx.x) / group;
    return (walk * 29 + i) % kPlanes;
}

// One thread a block: the copies are the engine's.
__global__ void loads(int boxes, int group, int work, unsigned* arrived,
                      const __grid_constant__ CUtensorMap from, Times* times) {
    extern __shared__ __align__(1024) unsigned char storage[];
    __shared__ Mbarrier full;
    full.init(1);
    fence_mbarrier_init();
    start_together(arrived);
    Times sum{};
    const long long first = cycle();
    for (int i = 0; i < kLoads; ++i) {
        const int plane = plane_of(i, group);
        const long long begin = cycle();
        full.arrive_expect(static_cast<unsigned>(boxes) * kBoxBytes);
        for (int b = 0; b < boxes; ++b) {
            load_box(storage + b * kBoxBytes, &from, b % 2 * kBox, b / 2 % 2 * kBox,
                     (plane + b / kBoxesOfPlane) % kPlanes, full);
        }
        full.wait(i & 1);
        const long long landed = cycle();
        sum.loads += landed - begin;
        work_until(landed + work_of(i * 131 + blockIdx.x * 7919, work));
    }
    sum.all = cycle() - first;
    times[blockIdx.x] = sum;
}

void measure(Bench& bench, const CUtensorMap& from, int boxes, int group, int work) {
    const int blocks = bench.sms();
    DeviceArray<unsigned> arrived(1);
    DeviceArray<Times> times(static_cast<std::size_t>(blocks));
    // All of shared memory: one block an SM.
    const auto bytes = static_cast<int>(bench.gpu().sharedMemPerBlockOptin - 1024);
    check(cudaFuncSetAttribute(loads, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    Samples took, all;
    for (int r = -1; r < Bench::kRepeats / 3; ++r) {
        loads<<<blocks, 1, bytes>>>(boxes, group, work, arrived.get(), from, times.get());
        check_launch();
        bench.sample_clock();
        for (const Times& t : times.host()) {
            if (r < 0)  // the first launch brings the planes into L2
                continue;
            took.push_back(static_cast<double>(t.loads) / kLoads);
            all.push_back(static_cast<double>(t.all) / kLoads);
        }
    }
    const double size = boxes * kBoxBytes;
    const std::string name = std::to_string(boxes * kBoxBytes / 1024) + "KiB_groups_of_" +
                             std::to_string(group) + "_work_" + std::to_string(work);
    const std::string note =
        "a tile's loads from L2 land before its work; SMs of a group walk "
        "through the same tiles";
    bench.row("l2_tile_loads_" + name, took, "clk", note);
    bench.row("l2_tile_traffic_" + name, map(all, [=](double c) { return size / c; }), "B/clk/SM",
              note);
}

}  // namespace

int main() {
    Bench bench("l2_traffic");
    bench.require({90, 100, 103});
    DeviceArray<unsigned char> planes(std::size_t{kPlanes} * kBoxesOfPlane * kBoxBytes);
    const CUtensorMap from = plane_box_map(planes.get(), kColumns, kRows, kPlanes, kBox);
    for (const int group : {1, 16}) {
        for (const int boxes : {2, 4, 8}) {
            for (const int work : {0, 250, 500, 1000, 1500, 2000, 3000, 4000, 8000})
                measure(bench, from, boxes, group, work);
        }
    }
}
