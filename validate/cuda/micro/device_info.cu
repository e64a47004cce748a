// Which GPU, driver and limits the other rows belong to.
#include "../common/bench.hpp"

#include <ctime>

namespace {

int attribute(cudaDeviceAttr which) {
    int value = 0;
    micro::check(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

std::string today() {
    const std::time_t now = std::time(nullptr);
    char text[16] = {};
    std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
    return text;
}

}  // namespace

int main() {
    micro::Bench bench("device_info");
    const cudaDeviceProp& gpu = bench.gpu();
    bench.sample_clock();
    bench.row("compute_capability", gpu.major * 10 + gpu.minor, "1", 0,
              "driver " + bench.nvml().driver_version() + "; " + today());
    bench.row("sms", gpu.multiProcessorCount, "1", 0);
    bench.row("max_sm_clock", attribute(cudaDevAttrClockRate) / 1000.0, "MHz", 0);
    bench.row("l2_size", gpu.l2CacheSize / 1048576.0, "MiB", 0, "as the device reports it");
    bench.row("memory_size", gpu.totalGlobalMem / 1073741824.0, "GiB", 0);
    // Two transfers a clock on every bit of the bus.
    bench.row("memory_peak",
              2e3 * attribute(cudaDevAttrMemoryClockRate) *
                  (attribute(cudaDevAttrGlobalMemoryBusWidth) / 8.0) * 1e-12,
              "TB/s", 0, "memory clock and bus width as the device reports them");
    bench.row("shared_memory_per_sm", gpu.sharedMemPerMultiprocessor / 1024.0, "KiB", 0);
    bench.row("shared_memory_per_block", gpu.sharedMemPerBlockOptin / 1024.0, "KiB", 0);
    bench.row("registers_per_sm", gpu.regsPerMultiprocessor, "1", 0);
    bench.row("threads_per_sm", gpu.maxThreadsPerMultiProcessor, "1", 0);
    bench.row("blocks_per_sm", gpu.maxBlocksPerMultiProcessor, "1", 0);
}
