// Does the engine that copies into the shared memory of a neighbouring block serve loads and
// reductions at the same time, or one after the other?
#include "../common/async.cuh"
#include "../common/stamp.cuh"

#include <string>

namespace {

using namespace micro;

constexpr unsigned kPieces = 4;
constexpr unsigned kPieceBytes = 16384;
constexpr unsigned kPieceWords = kPieceBytes / 4;

enum class Beside { nothing, loads, reductions };

__device__ unsigned cluster_rank() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
__device__ void cluster_sync() {
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
}
__device__ unsigned remote_address(unsigned address, unsigned rank) {
    unsigned remote;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(address), "r"(rank));
    return remote;
}

// Two copies to the neighbour in flight.
__device__ void exchange(int iterations, unsigned bytes, unsigned from, unsigned to,
                         Mbarrier* arrived) {
    const unsigned peer = cluster_rank() ^ 1;
    for (int i = 0; i < iterations; ++i) {
        Mbarrier& barrier = arrived[i % 2];
        if (i >= 2)
            barrier.wait((i / 2 - 1) & 1);
        barrier.arrive_expect(bytes);
        asm volatile(
            "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
            " [%0], [%1], %2, [%3];" ::"r"(remote_address(to + i % 2 * bytes, peer)),
            "r"(from + i % 2 * bytes), "r"(bytes), "r"(remote_address(barrier.address(), peer))
            : "memory");
    }
    for (int i = iterations - 2; i < iterations; ++i)
        arrived[i % 2].wait((i / 2) & 1);
}

// Returns the pieces that came in until `done`.
__device__ unsigned load(const float* window, unsigned to, Mbarrier* full, volatile int& done) {
    const auto fetch = [&](unsigned i) {
        full[i % kPieces].arrive_expect(kPieceBytes);
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
            " [%0], [%1], %2, [%3];" ::"r"(to + i % kPieces * kPieceBytes),
            "l"(window + i % kPieces * kPieceWords), "r"(kPieceBytes),
            "r"(full[i % kPieces].address())
            : "memory");
    };
    unsigned issued = 0;
    for (; issued < kPieces; ++issued)
        fetch(issued);
    unsigned landed = 0;
    for (; done == 0; ++landed) {
        full[landed % kPieces].wait(landed / kPieces & 1);
        fetch(issued++);
    }
    for (unsigned i = landed; i < issued; ++i)
        full[i % kPieces].wait(i / kPieces & 1);
    return landed;
}

__device__ unsigned reduce(float* window, unsigned from, volatile int& done) {
    unsigned sent = 0;
    for (; done == 0; ++sent) {
        asm volatile(
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(
                window + sent % kPieces * kPieceWords),
            "r"(from + sent % 2 * kPieceBytes), "r"(kPieceBytes)
            : "memory");
        commit_stores();
        asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
    }
    wait_stores();
    return sent;
}

template <Beside kBeside>
__global__ void __cluster_dims__(2, 1, 1)
    pair(int iterations, unsigned bytes, float* window, unsigned* other, Stamp* stamps) {
    extern __shared__ __align__(1024) unsigned char storage[];
    __shared__ Mbarrier arrived[2];
    __shared__ Mbarrier full[kPieces];
    __shared__ volatile int done;
    if (threadIdx.x == 0) {
        done = 0;
        for (Mbarrier& barrier : arrived)
            barrier.init(1);
        for (Mbarrier& barrier : full)
            barrier.init(1);
        fence_mbarrier_init();
    }
    __syncthreads();
    cluster_sync();
    const unsigned base = shared_address(storage);
    float* own = window + blockIdx.x * kPieces * kPieceWords;
    const long long begin = cycle();
    if (threadIdx.x == 0) {
        exchange(iterations, bytes, base, base + 2 * bytes, arrived);
        done = 1;
    } else if (threadIdx.x == 32 && kBeside == Beside::loads) {
        other[blockIdx.x] = load(own, base + 4 * bytes, full, done);
    } else if (threadIdx.x == 32 && kBeside == Beside::reductions) {
        other[blockIdx.x] = reduce(own, base + 4 * bytes, done);
    }
    store_stamp(stamps, begin, cycle());
    cluster_sync();
}

template <Beside kBeside>
void measure(Bench& bench, unsigned bytes, int blocks, const std::string& what) {
    DeviceArray<float> window(static_cast<std::size_t>(blocks) * kPieces * kPieceWords);
    DeviceArray<unsigned> other(static_cast<std::size_t>(blocks));
    const unsigned shared = 4 * bytes + kPieces * kPieceBytes;
    check(cudaFuncSetAttribute(pair<kBeside>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shared)));
    constexpr int kMany = 512;
    const Samples cycles = bench.cycles(blocks, 2, [&](Stamp* stamps) {
        pair<kBeside><<<blocks, 64, shared>>>(kMany, bytes, window.get(), other.get(), stamps);
    });
    double moved = 0.0;
    for (const unsigned pieces : other.host())
        moved += static_cast<double>(pieces) * kPieceBytes / blocks;
    expect(kBeside == Beside::nothing || moved > 0.0, "what was moved meanwhile");
    const std::string name = "dsmem_bulk_beside_" + what + "_" + std::to_string(bytes) + "B_" +
                             std::to_string(blocks) + "sm";
    bench.row(name, map(cycles, [=](double c) { return 1.0 * kMany * bytes / c; }), "B/clk/SM",
              "into the neighbour, two in flight");
    if (kBeside != Beside::nothing) {
        bench.row(name + "_rate", map(cycles, [=](double c) { return moved / c; }), "B/clk/SM",
                  what + " of 16 KiB meanwhile");
    }
}

}  // namespace

int main() {
    Bench bench("dsmem_beside");
    bench.require({90, 100, 103});
    for (const unsigned bytes : {4096U, 16384U}) {
        for (const int blocks : {2, bench.sms() / 2 * 2}) {
            measure<Beside::nothing>(bench, bytes, blocks, "nothing");
            measure<Beside::loads>(bench, bytes, blocks, "loads");
            measure<Beside::reductions>(bench, bytes, blocks, "reductions");
        }
    }
}
