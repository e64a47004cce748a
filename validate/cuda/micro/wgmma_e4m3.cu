// Issue interval and completion latency of wgmma m64nN on e4m3 inputs with f32 accumulators.
#include "wgmma_rates.cuh"

int main() {
    micro::Bench bench("wgmma_e4m3");
    bench.require({90});
    micro::measure_widths<micro::E4m3, 8, 16, 32, 64, 96, 128, 192, 256>(bench);
}
