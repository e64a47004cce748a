// How much bandwidth do L2 and HBM give for the bytes an SM keeps in flight?
#include "streamed_rows.cuh"

namespace {

using namespace micro;

constexpr int kMaxStages = 32;

// A ring of boxes refilled by one thread as soon as each has landed. Block b cycles through
// `window_rows` rows of its own.
__global__ void stream(int boxes, __grid_constant__ const CUtensorMap map, int stages,
                       unsigned box_rows, unsigned window_rows, Stamp* stamps, unsigned* wrong) {
    extern __shared__ __align__(1024) unsigned char ring[];
    __shared__ Mbarrier full[kMaxStages];
    if (threadIdx.x == 0) {
        for (int s = 0; s < stages; ++s)
            full[s].init(1);
        fence_mbarrier_init();
    }
    __syncthreads();
    const unsigned base = blockIdx.x * window_rows;
    const unsigned window = window_rows / box_rows;
    const unsigned box_bytes = box_rows * kRowBytes;
    const long long begin = cycle();
    if (threadIdx.x == 0) {
        // Counters, because a division would cost more than a copy's issue.
        unsigned source = 0;
        const auto fetch = [&](int stage) {
            full[stage].arrive_expect(box_bytes);
            load_box(ring + stage * box_bytes, &map, 0, base + source * box_rows, full[stage]);
            source = source + 1 == window ? 0 : source + 1;
        };
        for (int i = 0; i < stages; ++i)
            fetch(i);
        int stage = 0;
        unsigned parity = 0;
        for (int i = 0; i < boxes; ++i) {
            full[stage].wait(parity);
            if (i + stages < boxes)
                fetch(stage);
            if (++stage == stages) {
                stage = 0;
                parity ^= 1;
            }
        }
    }
    __syncthreads();
    const long long end = cycle();
    store_stamp(stamps, begin, end);
    // The last boxes to land are still in the ring.
    unsigned bad = 0;
    for (int i = boxes - stages; i < boxes; ++i) {
        full[i % stages].wait(i / stages & 1);
        bad += wrong_words(ring + i % stages * box_bytes, box_rows, base + i % window * box_rows,
                           threadIdx.x, blockDim.x);
    }
    if (bad != 0)
        atomicAdd(wrong, bad);
}

struct Source {
    const char* name;
    unsigned window_rows;      // for each block
    std::size_t bytes_per_sm;  // for each launch
};

void measure(Bench& bench, const StreamedRows& rows, const Source& source, unsigned box_rows,
             int stages, int blocks) {
    const CUtensorMap map = rows.map(box_rows);
    const int box_bytes = static_cast<int>(box_rows) * kRowBytes;
    const int boxes = static_cast<int>(source.bytes_per_sm / box_bytes);
    const int ring_bytes = stages * box_bytes;
    check(cudaFuncSetAttribute(stream, cudaFuncAttributeMaxDynamicSharedMemorySize, ring_bytes));
    DeviceArray<unsigned> wrong(1);
    DeviceArray<Stamp> unused(static_cast<std::size_t>(blocks));
    const auto launch = [&](Stamp* stamps) {
        stream<<<blocks, 32, ring_bytes>>>(boxes, map, stages, box_rows, source.window_rows, stamps,
                                           wrong.get());
    };
    constexpr int kRepeats = 7;
    const double bytes = 1.0 * boxes * box_bytes;
    const Samples cycles = bench.cycles(blocks, 1, launch, kRepeats);
    const Samples times = bench.milliseconds([&] { launch(unused.get()); }, kRepeats);
    expect(wrong.host()[0] == 0, "streamed rows");
    const std::string name = std::string(source.name) + "_read_" + std::to_string(stages) + "x" +
                             std::to_string(box_bytes) + "B_" + std::to_string(blocks) + "sm";
    const std::string note = std::to_string(ring_bytes / 1024) + " KiB in flight for each SM";
    bench.row(name, micro::map(cycles, [=](double c) { return bytes / c; }), "B/clk/SM", note);
    Samples rates;
    for (const double ms : times)
        rates.push_back(bytes * blocks / ms * 1e-9);
    bench.row(name + "_total", rates, "TB/s", note + "; launch included");
}

}  // namespace

int main() {
    Bench bench("bytes_in_flight");
    bench.require({90, 100, 103});
    const StreamedRows rows(std::size_t{1} << 25);  // 4 GiB
    const int sms = bench.sms();
    const Source l2{"l2", 1024, std::size_t{4} << 20};  // 128 KiB for each SM
    const unsigned share = (1U << 25) / sms / 1024 * 1024;
    const Source hbm{"hbm", share, std::size_t{16} << 20};
    for (const Source& source : {l2, hbm}) {
        for (const int stages : {1, 2, 4, 8, 16, 24})
            measure(bench, rows, source, 64, stages, sms);
        for (const int stages : {1, 2, 4, 8, 12})
            measure(bench, rows, source, 128, stages, sms);
        for (const int stages : {1, 2, 4, 6})
            measure(bench, rows, source, 256, stages, sms);
        for (const int stages : {4, 16})
            measure(bench, rows, source, 16, stages, sms);
        for (const int blocks : {sms / 8, sms / 4, sms / 2}) {
            measure(bench, rows, source, 128, 8, blocks);
        }
    }
    // One SM alone reads so little that L2 would hold it: only L2 is asked.
    for (const int stages : {1, 2, 4, 8, 12})
        measure(bench, rows, l2, 128, stages, 1);
}
