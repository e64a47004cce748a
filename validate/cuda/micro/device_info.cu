// Which GPU, driver and limits the other rows belong to.
#include "../common/bench.hpp"

int main() {
    micro::Bench bench("device_info");
    const cudaDeviceProp& gpu = bench.gpu();
    int boost_khz = 0;
    micro::check(cudaDeviceGetAttribute(&boost_khz, cudaDevAttrClockRate, 0));
    bench.sample_clock();
    bench.row("compute_capability", gpu.major * 10 + gpu.minor, "1", 0,
              "driver " + bench.nvml().driver_version());
    bench.row("sms", gpu.multiProcessorCount, "1", 0);
    bench.row("max_sm_clock", boost_khz / 1000.0, "MHz", 0);
    bench.row("l2_size", gpu.l2CacheSize / 1048576.0, "MiB", 0, "as the device reports it");
    bench.row("memory_size", gpu.totalGlobalMem / 1073741824.0, "GiB", 0);
    bench.row("shared_memory_per_sm", gpu.sharedMemPerMultiprocessor / 1024.0, "KiB", 0);
    bench.row("shared_memory_per_block", gpu.sharedMemPerBlockOptin / 1024.0, "KiB", 0);
    bench.row("registers_per_sm", gpu.regsPerMultiprocessor, "1", 0);
}
