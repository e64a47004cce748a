// Issue interval and completion latency of wgmma m64nN on bf16 inputs with f32 accumulators.
#include "wgmma_rates.cuh"

int main() {
    micro::Bench bench("wgmma_bf16");
    bench.require({90});
    micro::measure_widths<micro::Bf16, 8, 16, 32, 64, 96, 128, 192, 256>(bench);
}
