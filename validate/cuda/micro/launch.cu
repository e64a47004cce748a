// What do launches cost: a kernel, a graph, a block's start, and the gap between two blocks that
// follow each other on an SM?
#include "../common/stamp.cuh"

#include <chrono>
#include <map>

namespace {

using namespace micro;
using Clock = std::chrono::steady_clock;

double microseconds_since(Clock::time_point start) {
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

// Counts its launches and blocks, so that none can go missing.
__global__ void count_blocks(unsigned* counter) {
    if (threadIdx.x == 0)
        atomicAdd(counter, 1);
}

__global__ void count_launches(unsigned* counter) {
    *counter = *counter + 1;
}

// A block that holds its SM alone for a while and notes where and when.
struct Tenancy {
    long long begin;
    long long end;
    unsigned sm;
};

__global__ void tenant(int cycles, Tenancy* log) {
    const long long begin = cycle();
    while (cycle() < begin + cycles) {
    }
    __syncthreads();
    if (threadIdx.x == 0)
        log[blockIdx.x] = {begin, cycle(), sm_id()};
}

void measure_launches(Bench& bench) {
    constexpr int kLaunches = 1000;
    DeviceArray<unsigned> counter(1);
    cudaStream_t stream{};
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    unsigned expected = 0;
    const auto launch = [&] {
        count_launches<<<1, 1, 0, stream>>>(counter.get());
        ++expected;
    };
    Samples enqueue;
    Samples period;
    Samples round_trip;
    for (int r = 0; r <= Bench::kRepeats; ++r) {
        Clock::time_point start = Clock::now();
        for (int i = 0; i < kLaunches; ++i)
            launch();
        const double queued = microseconds_since(start) / kLaunches;
        bench.sample_clock();
        check(cudaStreamSynchronize(stream));
        const double done = microseconds_since(start) / kLaunches;
        start = Clock::now();
        launch();
        check(cudaStreamSynchronize(stream));
        const double trip = microseconds_since(start);
        if (r == 0)
            continue;  // warm-up
        enqueue.push_back(queued);
        period.push_back(done);
        round_trip.push_back(trip);
    }
    check_launch();
    expect(counter.host()[0] == expected, "count of launches");
    bench.row("launch_enqueue", enqueue, "us", "host time; 1000 back to back; the queue fills up");
    bench.row("launch_period", period, "us", "kernel to kernel in one stream; tiny kernel");
    bench.row("launch_round_trip", round_trip, "us", "launch and synchronise; tiny kernel");

    constexpr int kNodes = 500;
    cudaGraph_t graph{};
    cudaGraphExec_t executable{};
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < kNodes; ++i)
        count_launches<<<1, 1, 0, stream>>>(counter.get());
    check(cudaStreamEndCapture(stream, &graph));
    check(cudaGraphInstantiate(&executable, graph, 0));
    cudaEvent_t before{};
    cudaEvent_t after{};
    check(cudaEventCreate(&before));
    check(cudaEventCreate(&after));
    Samples node;
    Samples host;
    for (int r = 0; r <= Bench::kRepeats; ++r) {
        check(cudaEventRecord(before, stream));
        const Clock::time_point start = Clock::now();
        check(cudaGraphLaunch(executable, stream));
        const double queued = microseconds_since(start);
        check(cudaEventRecord(after, stream));
        bench.sample_clock();
        check(cudaStreamSynchronize(stream));
        expected += kNodes;
        float ms = 0;
        check(cudaEventElapsedTime(&ms, before, after));
        if (r == 0)
            continue;
        node.push_back(ms * 1000 / kNodes);
        host.push_back(queued);
    }
    expect(counter.host()[0] == expected, "count of graph nodes");
    bench.row("graph_kernel_period", node, "us", "kernel to kernel inside a graph of 500 in a row");
    bench.row("graph_launch_enqueue", host, "us", "host time of launching that graph");
}

void measure_block_start(Bench& bench) {
    DeviceArray<unsigned> counter(1);
    const int few = bench.sms() * 100;
    const int many = bench.sms() * 1100;
    for (const int threads : {32, 128, 384}) {
        const Samples low =
            bench.milliseconds([&] { count_blocks<<<few, threads>>>(counter.get()); });
        Samples high = bench.milliseconds([&] { count_blocks<<<many, threads>>>(counter.get()); });
        for (std::size_t i = 0; i < high.size(); ++i)
            high[i] = (high[i] - low[i]) * 1e6 / (many - few);
        bench.row("block_start_" + std::to_string(threads) + "_threads", high, "ns",
                  "for each further block of a nearly empty grid; whole GPU");
    }
    const auto launches = static_cast<unsigned>(Bench::kRepeats + 1);
    expect(counter.host()[0] == 3 * launches * static_cast<unsigned>(few + many),
           "count of blocks");
}

void measure_block_gap(Bench& bench, int threads, int shared_bytes) {
    const int waves = 8;
    const int blocks = bench.sms() * waves;
    DeviceArray<Tenancy> log(blocks);
    check(cudaFuncSetAttribute(tenant, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
    Samples gaps;
    for (int r = 0; r < Bench::kRepeats; ++r) {
        log.poison();
        tenant<<<blocks, threads, shared_bytes>>>(20000, log.get());
        check_launch();
        bench.sample_clock();
        std::map<unsigned, std::vector<Tenancy>> by_sm;
        for (const Tenancy& t : log.host()) {
            expect(t.end - t.begin >= 20000, "a block's stay");
            by_sm[t.sm].push_back(t);
        }
        for (auto& [sm, stays] : by_sm) {
            std::sort(stays.begin(), stays.end(),
                      [](const Tenancy& a, const Tenancy& b) { return a.begin < b.begin; });
            for (std::size_t i = 1; i < stays.size(); ++i) {
                expect(stays[i].begin > stays[i - 1].end, "one block at a time on an SM");
                gaps.push_back(static_cast<double>(stays[i].begin - stays[i - 1].end));
            }
        }
    }
    bench.row("block_gap_" + std::to_string(threads) + "_threads", gaps, "clk",
              "last instruction of a block to the first of its successor; one block on an SM");
}

}  // namespace

int main() {
    Bench bench("launch");
    measure_launches(bench);
    measure_block_start(bench);
    const int most = static_cast<int>(bench.gpu().sharedMemPerBlockOptin);
    for (const int threads : {128, 256, 384, 512})
        measure_block_gap(bench, threads, most);
}
