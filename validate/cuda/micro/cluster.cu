// What do blocks of one cluster pay to meet, to signal and to read each other's shared memory?
#include "../common/async.cuh"
#include "../common/stamp.cuh"

namespace {

using namespace micro;

__device__ unsigned cluster_rank() {
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
__device__ unsigned cluster_size() {
    unsigned size;
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    return size;
}
__device__ unsigned remote_address(unsigned address, unsigned rank) {
    unsigned remote;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(address), "r"(rank));
    return remote;
}
__device__ void cluster_sync() {
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
}

template <bool kRelaxed>
__global__ void cluster_barrier(int iterations, Stamp* stamps, unsigned* out) {
    unsigned count = 0;
    cluster_sync();
    const long long begin = cycle();
    for (int i = 0; i < iterations; ++i) {
        if constexpr (kRelaxed) {
            asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::
                             : "memory");
        } else {
            cluster_sync();
        }
        ++count;
    }
    const long long end = cycle();
    store_stamp(stamps, begin, end);
    if (threadIdx.x == 0)
        out[blockIdx.x] = count;
}

// One lane of rank 0 follows a ring of addresses in rank `target`'s shared memory.
__global__ void remote_chase(int iterations, unsigned target, Stamp* stamps, unsigned* out) {
    constexpr int kLength = 64;
    __shared__ unsigned ring[kLength * 32];
    if (threadIdx.x < kLength) {
        const unsigned next = (threadIdx.x + 1) % kLength;
        const unsigned local = shared_address(&ring[next * 32]);
        ring[threadIdx.x * 32] = remote_address(local, cluster_rank());
    }
    __syncthreads();
    cluster_sync();
    unsigned at = remote_address(shared_address(ring), target);
    const unsigned start = at;
    const long long begin = cycle();
    if (cluster_rank() == 0 && threadIdx.x == 0) {
#pragma unroll 16
        for (int i = 0; i < iterations; ++i) {
            asm volatile("ld.shared::cluster.u32 %0, [%0];" : "+r"(at)::"memory");
        }
    }
    const long long end = cycle();
    cluster_sync();
    store_stamp(stamps, begin, end + 1);
    if (cluster_rank() == 0 && threadIdx.x == 0)
        out[0] = at - start;
}

// Rank 0 and rank `target` signal each other through mbarriers.
template <bool kRelease>
__global__ void remote_ping_pong(int iterations, unsigned target, Stamp* stamps, unsigned* out) {
    __shared__ Mbarrier barrier;
    if (threadIdx.x == 0) {
        barrier.init(1);
        fence_mbarrier_init();
    }
    __syncthreads();
    cluster_sync();
    const unsigned rank = cluster_rank();
    unsigned count = 0;
    const long long begin = cycle();
    if (threadIdx.x == 0 && (rank == 0 || rank == target)) {
        for (int i = 0; i < iterations; ++i) {
            if (rank != 0)
                barrier.wait(i & 1);
            if constexpr (kRelease) {
                barrier.arrive_remote_release(rank == 0 ? target : 0);
            } else {
                barrier.arrive_remote(rank == 0 ? target : 0);
            }
            if (rank == 0)
                barrier.wait(i & 1);
            ++count;
        }
    }
    const long long end = cycle();
    cluster_sync();
    store_stamp(stamps, begin, end + 1);
    if (rank == 0 && threadIdx.x == 0)
        out[0] = count;
}

// Every block reads the whole buffer of its right neighbour, 16 bytes a thread.
constexpr int kBufferWords = 8192;

__global__ void __launch_bounds__(1024) remote_loads(int iterations, Stamp* stamps, unsigned* out) {
    __shared__ __align__(16) unsigned buffer[kBufferWords];
    for (int i = threadIdx.x; i < kBufferWords; i += blockDim.x)
        buffer[i] = i * 2654435761U;
    cluster_sync();
    const unsigned from =
        remote_address(shared_address(buffer), (cluster_rank() + 1) % cluster_size());
    unsigned sum = 0;
    const long long begin = cycle();
    for (int i = 0; i < iterations; ++i) {
#pragma unroll 4
        for (unsigned word = threadIdx.x * 4; word < kBufferWords; word += blockDim.x * 4) {
            unsigned v[4];
            asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                         : "r"(from + word * 4)
                         : "memory");
            sum += v[0] + v[1] + v[2] + v[3];
        }
    }
    const long long end = cycle();
    cluster_sync();
    store_stamp(stamps, begin, end);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Every block copies its buffer into its right neighbour's, by the copy engine, in four pieces
// that are all in flight together.
constexpr int kPieces = 4;
constexpr int kPieceBytes = 16384;

__global__ void __launch_bounds__(128) bulk_push(int iterations, Stamp* stamps, unsigned* out) {
    extern __shared__ __align__(128) unsigned char memory[];
    __shared__ Mbarrier arrived[kPieces];
    unsigned* source = reinterpret_cast<unsigned*>(memory);
    unsigned* target = source + kPieces * kPieceBytes / 4;
    for (int i = threadIdx.x; i < kPieces * kPieceBytes / 4; i += blockDim.x) {
        source[i] = i ^ (blockIdx.x << 20);
        target[i] = 0;
    }
    if (threadIdx.x == 0) {
        for (Mbarrier& barrier : arrived)
            barrier.init(1);
        fence_mbarrier_init();
    }
    fence_async_proxy();
    __syncthreads();
    cluster_sync();
    const unsigned right = (cluster_rank() + 1) % cluster_size();
    const long long begin = cycle();
    if (threadIdx.x == 0) {
        for (int i = 0; i < iterations * kPieces; ++i) {
            const int piece = i % kPieces;
            if (i >= kPieces)
                arrived[piece].wait((i / kPieces - 1) & 1);
            arrived[piece].arrive_expect(kPieceBytes);
            asm volatile(
                "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
                " [%0], [%1], %2, [%3];" ::"r"(
                    remote_address(shared_address(target) + piece * kPieceBytes, right)),
                "r"(shared_address(source) + piece * kPieceBytes), "r"(kPieceBytes),
                "r"(remote_address(arrived[piece].address(), right))
                : "memory");
        }
        for (Mbarrier& barrier : arrived)
            barrier.wait((iterations - 1) & 1);
    }
    __syncthreads();
    const long long end = cycle();
    cluster_sync();
    store_stamp(stamps, begin, end);
    const unsigned left_block =
        blockIdx.x - cluster_rank() + (cluster_rank() + cluster_size() - 1) % cluster_size();
    unsigned wrong = 0;
    for (int i = threadIdx.x; i < kPieces * kPieceBytes / 4; i += blockDim.x) {
        wrong += target[i] != (i ^ (left_block << 20));
    }
    atomicAdd(&out[blockIdx.x], wrong);
}

template <class Kernel, class... Arguments>
void launch(Kernel kernel, int blocks, int threads, int size, int bytes, Arguments... arguments) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {static_cast<unsigned>(size), 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = bytes;
    config.attrs = &attribute;
    config.numAttrs = 1;
    check(cudaLaunchKernelEx(&config, kernel, arguments...));
}

void measure(Bench& bench, int size) {
    const std::string suffix = "_cluster" + std::to_string(size);
    constexpr int kFew = 16;
    constexpr int kMany = 144;
    const auto barrier = [&](auto kernel, const std::string& name) {
        DeviceArray<unsigned> out(size);
        const Samples cycles = bench.slope(size, 4, kFew, kMany, [&](int n, Stamp* stamps) {
            launch(kernel, size, 128, size, 0, n, stamps, out.get());
        });
        for (const unsigned count : out.host())
            expect(count == kMany, name);
        bench.row(name + suffix, cycles, "clk", "128 threads a block");
    };
    barrier(cluster_barrier<false>, "cluster_barrier_release_acquire");
    barrier(cluster_barrier<true>, "cluster_barrier_relaxed");
    // Rank 0's samples only: the other blocks just wait.
    const auto first_of_cluster = [&](const Samples& all) {
        Samples mine;
        for (std::size_t i = 0; i < all.size(); i += size)
            mine.push_back(all[i]);
        return mine;
    };
    DeviceArray<unsigned> out(1);
    for (int target = 1; target < size; target *= 2) {
        const std::string to = suffix + "_rank" + std::to_string(target);
        const Samples load = bench.slope(size, 2, 64, 576, [&](int n, Stamp* stamps) {
            launch(remote_chase, size, 64, size, 0, n, target, stamps, out.get());
        });
        expect(out.host()[0] == 0, "remote ring");
        bench.row("dsmem_load_latency" + to, first_of_cluster(load), "clk", "rank 0 to that rank");
        const auto handover = [&](auto kernel, const std::string& name, const std::string& note) {
            const Samples signal = bench.slope(size, 1, kFew, kMany, [&](int n, Stamp* stamps) {
                launch(kernel, size, 32, size, 0, n, target, stamps, out.get());
            });
            expect(out.host()[0] == kMany, "remote ping-pong");
            bench.row(name + to, map(first_of_cluster(signal), [](double c) { return c / 2; }),
                      "clk", "one way; " + note);
        };
        handover(remote_ping_pong<false>, "remote_mbarrier_handover", "default semantics");
        handover(remote_ping_pong<true>, "remote_mbarrier_release_handover", "release.cluster");
    }
}

void measure_bandwidth(Bench& bench, int size, int clusters) {
    const std::string suffix = "_cluster" + std::to_string(size) + "_x" + std::to_string(clusters);
    const int blocks = size * clusters;
    constexpr int kThreads = 1024;
    DeviceArray<unsigned> sums(static_cast<std::size_t>(blocks) * kThreads);
    constexpr int kFew = 2;
    constexpr int kMany = 18;
    const Samples loads =
        bench.slope(blocks, kThreads / 32, kFew, kMany, [&](int n, Stamp* stamps) {
            launch(remote_loads, blocks, kThreads, size, 0, n, stamps, sums.get());
        });
    unsigned expected = 0;
    for (unsigned i = 0; i < kBufferWords; ++i)
        expected += i * 2654435761U;
    unsigned got = 0;
    const std::vector<unsigned> host = sums.host();
    for (int t = 0; t < kThreads; ++t)
        got += host[t];
    expect(got == expected * kMany, "remote loads");
    const auto rate = [](double bytes) { return [=](double c) { return bytes / c; }; };
    bench.row("dsmem_load_bandwidth" + suffix, map(loads, rate(kBufferWords * 4.0)), "B/clk/SM",
              "ld.shared::cluster.v4; every block reads its neighbour");
    DeviceArray<unsigned> wrong(blocks);
    const Samples push = bench.slope(blocks, 4, kFew, kMany, [&](int n, Stamp* stamps) {
        launch(bulk_push, blocks, 128, size, 2 * kPieces * kPieceBytes, n, stamps, wrong.get());
    });
    for (const unsigned count : wrong.host())
        expect(count == 0, "bulk push");
    bench.row("dsmem_bulk_bandwidth" + suffix, map(push, rate(1.0 * kPieces * kPieceBytes)),
              "B/clk/SM", "cp.async.bulk into the neighbour; 4 x 16 KiB in flight");
}

}  // namespace

int main() {
    Bench bench("cluster");
    bench.require({90, 100, 103});
    for (const int size : {2, 4, 8, 16})
        measure(bench, size);
    measure_bandwidth(bench, 2, 1);
    measure_bandwidth(bench, 2, bench.sms() / 2);
    measure_bandwidth(bench, 4, bench.sms() / 4 * 3 / 4);
}
