// Shared memory's latency, its bandwidth by access width and conflict, and the matrix moves.
#include "../common/async.cuh"
#include "../common/stamp.cuh"

namespace {

using namespace micro;

constexpr int kWords = 8192;
constexpr int kUnroll = 8;
constexpr int kStepWords = 512;

__host__ __device__ constexpr unsigned content(unsigned word) {
    return word * 2654435761U + 7;
}

// First word of a thread's accesses: lanes `stride` accesses apart, warps beside each other.
__host__ __device__ constexpr unsigned first_word(int thread, int stride, int width) {
    const int lane = thread % 32;
    const int warp = thread / 32;
    return (lane * stride * width + warp * 32 * width) % 4096;
}

__global__ void chase(int iterations, Stamp* stamps, unsigned* out) {
    __shared__ unsigned ring[64];
    ring[threadIdx.x] = shared_address(&ring[(threadIdx.x + 1) % 64]);
    __syncthreads();
    unsigned at = shared_address(ring);
    const unsigned start = at;
    const long long begin = cycle();
#pragma unroll 16
    for (int i = 0; i < iterations; ++i) {
        asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)::"memory");
    }
    const long long end = cycle();
    store_stamp(stamps, begin, end);
    if (threadIdx.x == 0)
        out[0] = at - start;
}

// Volatile, or the assembler would load once what the loop loads again.
template <int kWidth>
__device__ unsigned load(unsigned address) {
    unsigned v[4] = {};
    if constexpr (kWidth == 1) {
        asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v[0]) : "r"(address) : "memory");
    } else if constexpr (kWidth == 2) {
        asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];"
                     : "=r"(v[0]), "=r"(v[1])
                     : "r"(address)
                     : "memory");
    } else {
        asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                     : "r"(address)
                     : "memory");
    }
    return v[0] + v[1] + v[2] + v[3];
}

template <int kWidth>
__device__ void store(unsigned address, unsigned value) {
    if constexpr (kWidth == 1) {
        asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
    } else if constexpr (kWidth == 2) {
        asm volatile("st.shared.v2.u32 [%0], {%1, %1};" ::"r"(address), "r"(value) : "memory");
    } else {
        asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(address), "r"(value)
                     : "memory");
    }
}

template <int kWidth, bool kStore>
__global__ void __launch_bounds__(1024)
    access(int iterations, int stride, Stamp* stamps, unsigned* out) {
    __shared__ __align__(16) unsigned words[kWords];
    for (unsigned i = threadIdx.x; i < kWords; i += blockDim.x)
        words[i] = content(i);
    __syncthreads();
    const unsigned base = shared_address(words) + first_word(threadIdx.x, stride, kWidth) * 4;
    unsigned sum = 0;
    const long long begin = cycle();
#pragma unroll 1
    for (int i = 0; i < iterations; ++i) {
#pragma unroll
        for (int u = 0; u < kUnroll; ++u) {
            const unsigned address = base + u * kStepWords * 4;
            if constexpr (kStore) {
                store<kWidth>(address, i);
            } else {
                sum += load<kWidth>(address);
            }
        }
    }
    const long long end = cycle();
    store_stamp(stamps, begin, end);
    __syncthreads();
    // Stores are checked by reading back what the last iteration left.
    if constexpr (kStore) {
        for (int u = 0; u < kUnroll; ++u)
            sum += load<kWidth>(base + u * kStepWords * 4);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <int kWidth, bool kStore>
void measure(Bench& bench, int warps, int stride, const std::string& name) {
    const int blocks = bench.sms();
    const int threads = 32 * warps;
    constexpr int kFew = 4;
    constexpr int kMany = 68;
    DeviceArray<unsigned> out(static_cast<std::size_t>(blocks) * threads);
    out.poison();
    const Samples cycles = bench.slope(blocks, warps, kFew, kMany, [&](int n, Stamp* stamps) {
        access<kWidth, kStore><<<blocks, threads>>>(n, stride, stamps, out.get());
    });
    const std::vector<unsigned> host = out.host();
    for (std::size_t i = 0; i < host.size(); ++i) {
        unsigned expected = 0;
        for (int u = 0; u < kUnroll; ++u) {
            for (int w = 0; w < kWidth; ++w) {
                expected += kStore ? kMany - 1
                                   : kMany * content(first_word(i % threads, stride, kWidth) +
                                                     u * kStepWords + w);
            }
        }
        expect(host[i] == expected, name);
    }
    bench.row(
        name, map(cycles, [&](double c) { return 4.0 * kWidth * threads * kUnroll / c; }),
        "B/clk/SM",
        std::to_string(warps) + " warps; lane stride " + std::to_string(stride) + " accesses");
}

// ldmatrix and stmatrix of four 8x8 matrices: each lane names one 16-byte row.
template <bool kStore, bool kTranspose>
__global__ void __launch_bounds__(1024) matrix(int iterations, Stamp* stamps, unsigned* out) {
    __shared__ __align__(16) unsigned words[kWords];
    for (unsigned i = threadIdx.x; i < kWords; i += blockDim.x)
        words[i] = content(i);
    __syncthreads();
    const unsigned base = shared_address(words) + first_word(threadIdx.x, 1, 4) * 4;
    unsigned sum = 0;
    unsigned v[4] = {content(threadIdx.x), 1, 2, 3};
    const long long begin = cycle();
#pragma unroll 1
    for (int i = 0; i < iterations; ++i) {
#pragma unroll
        for (int u = 0; u < kUnroll; ++u) {
            // Stores stay in the warp's own 512 bytes, so that what is there in the end is known.
            const unsigned address = base + (kStore ? 0 : u * kStepWords * 4);
            if constexpr (kStore) {
                asm volatile(
                    "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                        address),
                    "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3])
                    : "memory");
            } else if constexpr (kTranspose) {
                asm volatile(
                    "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                    : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                    : "r"(address)
                    : "memory");
                sum += v[0] + v[1] + v[2] + v[3];
            } else {
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                             : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                             : "r"(address)
                             : "memory");
                sum += v[0] + v[1] + v[2] + v[3];
            }
        }
    }
    const long long end = cycle();
    store_stamp(stamps, begin, end);
    __syncthreads();
    if constexpr (kStore) {
        // Matrix m's row r, as lane 8 m + r addressed it, holds the quads' m-th registers.
        const unsigned mine = first_word(threadIdx.x, 1, 4);
        const unsigned quad = threadIdx.x / 32 * 32 + threadIdx.x % 8 * 4;
        const unsigned m = threadIdx.x % 32 / 8;
        for (unsigned w = 0; w < 4; ++w) {
            sum += words[mine + w] != (m == 0 ? content(quad + w) : m);
        }
    }
    out[threadIdx.x + blockIdx.x * blockDim.x] = sum;
}

// The word a thread receives from matrix m in step u: its lane's pair of row l / 4, or, transposed,
// one half each of two rows.
template <bool kTranspose>
unsigned received(int thread, int m, int u) {
    const int first_row = thread / 32 * 32 + 8 * m;
    const int lane = thread % 32;
    const auto word = [&](int row, int w) {
        return content(first_word(first_row + row, 1, 4) + u * kStepWords + w);
    };
    if (!kTranspose)
        return word(lane / 4, lane % 4);
    const int column = lane / 4;
    const auto half = [&](int row) { return word(row, column / 2) >> column % 2 * 16 & 0xffffU; };
    return half(lane % 4 * 2) | half(lane % 4 * 2 + 1) << 16;
}

template <bool kStore, bool kTranspose>
void measure_matrix(Bench& bench, int warps, const std::string& name) {
    const int blocks = bench.sms();
    const int threads = 32 * warps;
    constexpr int kFew = 4;
    constexpr int kMany = 68;
    DeviceArray<unsigned> out(static_cast<std::size_t>(blocks) * threads);
    out.poison();
    const Samples cycles = bench.slope(blocks, warps, kFew, kMany, [&](int n, Stamp* stamps) {
        matrix<kStore, kTranspose><<<blocks, threads>>>(n, stamps, out.get());
    });
    const std::vector<unsigned> host = out.host();
    for (std::size_t i = 0; i < host.size(); ++i) {
        const int thread = static_cast<int>(i) % threads;
        unsigned expected = 0;
        for (int u = 0; u < kUnroll && !kStore; ++u) {
            for (int m = 0; m < 4; ++m)
                expected += kMany * received<kTranspose>(thread, m, u);
        }
        expect(host[i] == expected, name);
    }
    bench.row(
        name, map(cycles, [&](double c) { return c / kUnroll / warps; }), "clk",
        "SM cycles for each warp instruction of 512 bytes; " + std::to_string(warps) + " warps");
}

// ldmatrix feeding its own address: the content of every row is the row's own address.
__global__ void matrix_chase(int iterations, Stamp* stamps, unsigned* out) {
    __shared__ __align__(16) unsigned words[128];
    unsigned at = shared_address(words) + threadIdx.x * 16;
    for (int w = 0; w < 4; ++w) {
        // Lane l receives word l % 4 of row l / 4: it must be lane l's own address again.
        words[threadIdx.x * 4 + w] = shared_address(words) + (threadIdx.x % 8 * 4 + w) * 16;
    }
    __syncwarp();
    const unsigned start = at;
    unsigned rest[3] = {};
    const long long begin = cycle();
#pragma unroll 16
    for (int i = 0; i < iterations; ++i) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%0];"
                     : "+r"(at), "=r"(rest[0]), "=r"(rest[1]), "=r"(rest[2])::"memory");
    }
    const long long end = cycle();
    store_stamp(stamps, begin, end);
    // The content repeats every eight rows, so all four matrices give the lane its own address.
    out[threadIdx.x] = (at - start) | (rest[0] - start) | (rest[1] - start) | (rest[2] - start);
}

}  // namespace

int main() {
    Bench bench("shared_memory");
    DeviceArray<unsigned> out(64);
    constexpr int kFew = 64;
    constexpr int kMany = 1088;
    bench.row("lds_latency",
              bench.slope(1, 2, kFew, kMany,
                          [&](int n, Stamp* stamps) { chase<<<1, 64>>>(n, stamps, out.get()); }),
              "clk", "dependent 4-byte loads");
    expect(out.host()[0] == 0, "shared memory ring");
    out.poison(0);
    bench.row("ldmatrix_x4_latency",
              bench.slope(1, 1, kFew, kMany,
                          [&](int n, Stamp* s) { matrix_chase<<<1, 32>>>(n, s, out.get()); }),
              "clk", "dependent loads");
    for (int lane = 0; lane < 32; ++lane)
        expect(out.host()[lane] == 0, "ldmatrix ring");
    for (const int warps : {1, 4, 8, 16}) {
        const std::string w = "_w" + std::to_string(warps);
        measure<1, false>(bench, warps, 1, "lds32_bandwidth" + w);
        measure<2, false>(bench, warps, 1, "lds64_bandwidth" + w);
        measure<4, false>(bench, warps, 1, "lds128_bandwidth" + w);
        measure<1, true>(bench, warps, 1, "sts32_bandwidth" + w);
        measure<4, true>(bench, warps, 1, "sts128_bandwidth" + w);
        measure_matrix<false, false>(bench, warps, "ldmatrix_x4_interval" + w);
        measure_matrix<false, true>(bench, warps, "ldmatrix_x4_trans_interval" + w);
        measure_matrix<true, false>(bench, warps, "stmatrix_x4_interval" + w);
        // Lane stride 0: every lane asks for the same bytes.
        measure<1, false>(bench, warps, 0, "lds32_broadcast" + w);
        measure<4, false>(bench, warps, 0, "lds128_broadcast" + w);
    }
    for (const int ways : {2, 4, 8, 16, 32}) {
        measure<1, false>(bench, 16, ways, "lds32_conflict" + std::to_string(ways) + "_bandwidth");
    }
}
