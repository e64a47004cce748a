// Which SMs belong to one GPC? A cluster lives in one, so SMs that are ever seen in the same
// cluster do; and how many clusters of each size does the GPU hold at once?
#include "../common/stamp.cuh"

#include <numeric>

namespace {

using namespace micro;

__global__ void where(unsigned* sm, int wait) {
    const long long end = cycle() + wait;
    while (cycle() < end) {
    }
    if (threadIdx.x == 0)
        sm[blockIdx.x] = sm_id();
}

struct Launch {
    cudaLaunchConfig_t config{};
    cudaLaunchAttribute size{};

    Launch(int blocks, int cluster, std::size_t bytes) {
        size.id = cudaLaunchAttributeClusterDimension;
        size.val.clusterDim.x = static_cast<unsigned>(cluster);
        size.val.clusterDim.y = 1;
        size.val.clusterDim.z = 1;
        config.gridDim = static_cast<unsigned>(blocks);
        config.blockDim = 32;
        config.dynamicSmemBytes = bytes;
        config.attrs = &size;
        config.numAttrs = 1;
    }
};

}  // namespace

int main() {
    Bench bench("gpc_layout");
    bench.require({90, 100, 103});
    const int sms = bench.sms();
    // One block an SM.
    const std::size_t bytes = bench.gpu().sharedMemPerBlockOptin;
    check(cudaFuncSetAttribute(where, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(bytes)));
    check(cudaFuncSetAttribute(where, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    std::vector<int> group(sms);
    std::iota(group.begin(), group.end(), 0);
    const auto root = [&](int sm) {
        while (group[sm] != sm)
            sm = group[sm];
        return sm;
    };
    for (const int cluster : {2, 4, 8, 16}) {
        const int blocks = sms / cluster * cluster;
        DeviceArray<unsigned> log(blocks);
        Launch launch(blocks, cluster, bytes);
        for (int r = 0; r < 200; ++r) {
            log.poison();
            check(cudaLaunchKernelEx(&launch.config, where, log.get(), 2000 + 37 * r));
            bench.sample_clock();
            const std::vector<unsigned> host = log.host();
            for (int b = 0; b < blocks; ++b) {
                expect(host[b] < static_cast<unsigned>(sms), "number of an SM");
                group[root(static_cast<int>(host[b]))] =
                    root(static_cast<int>(host[b / cluster * cluster]));
            }
        }
        int most = 0;
        check(cudaOccupancyMaxActiveClusters(&most, where, &launch.config));
        bench.row("clusters_at_once_of_" + std::to_string(cluster), most, "1", 0,
                  "as the driver says; one block an SM");
    }
    std::vector<int> sizes(sms);
    for (int sm = 0; sm < sms; ++sm)
        ++sizes[root(sm)];
    std::sort(sizes.rbegin(), sizes.rend());
    int index = 0;
    for (const int size : sizes) {
        if (size > 0) {
            bench.row("gpc_" + std::to_string(index++) + "_sms", size, "1", 0,
                      "SMs that share clusters; largest first");
        }
    }
    bench.row("gpcs", index, "1", 0, "groups of SMs that share clusters");
}
