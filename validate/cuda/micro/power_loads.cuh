// Loads that keep one unit of every SM busy for as long as they are repeated: what each draws tells
// the energy of its operations.
//
// A load says how many threads it wants, begins with the block's shared memory and a large buffer,
// and does a fixed number of operations a thread in batch(). rest() is what must not be optimized
// away. Values wander (x^2 - 1.9 is chaotic on [-1.9, 1.9]) so that operand bits keep changing.
#pragma once

#include "../common/stamp.cuh"
#include "random_operand.cuh"
#include "wgmma_tiles.cuh"

namespace micro {

struct Surroundings {
    unsigned char* tiles;  // shared memory, 1024-byte aligned
    const uint4* buffer;   // global memory
    std::size_t words;     // of `buffer`
};

__device__ __forceinline__ void wander(float& x) {
    asm volatile("fma.rn.f32 %0, %0, %0, %1;" : "+f"(x) : "f"(-1.9F));
}

// A warp that does nothing, resident.
struct Asleep {
    static constexpr const char* kName = "asleep";
    static constexpr int kThreads = 128;
    static constexpr double kOperations = 0;  // a thread and batch
    static constexpr const char* kUnit = "1/clk";
    __device__ void begin(const Surroundings&) {}
    __device__ void batch() { __nanosleep(20000); }
    __device__ float rest() const { return 1; }
};

enum class OperandA { shared, registers };

// wgmma m64nNk16 bf16, two warpgroups, each busy kDuty percent of the time.
template <int kN, OperandA kA, bool kZero, int kDuty>
struct Products {
    static constexpr int kThreads = 256;
    static constexpr int kRounds = 4 * 256 / kN;
    static constexpr int kGroup = 8;
    static constexpr double kOperations = 2.0 * 64 * kN * 16 * kRounds * kGroup / 128;
    static constexpr const char* kUnit = "FLOP/clk";

    __device__ void begin(const Surroundings& around) {
        auto* elements = reinterpret_cast<__nv_bfloat16*>(around.tiles);
        for (int i = threadIdx.x; i < (kN + 2 * kTileM) * kRowBytes / 2; i += kThreads)
            elements[i] = __float2bfloat16(kZero ? 0.0F : random_operand(i + 1));
        fence_async_proxy();
        __syncthreads();
        const unsigned char* own = around.tiles + (kN + threadIdx.x / 128 * kTileM) * kRowBytes;
        for (int k = 0; k < kSlices; ++k)
            load_fragment<Bf16>(own, k, fragments_[k]);
        a_ = descriptor(own);
        b_ = descriptor(around.tiles);
        for (float& value : d_)
            value = 0;
    }
    __device__ void batch() {
        const long long begin = cycle();
#pragma unroll 1
        for (int i = 0; i < kRounds; ++i) {
            wgmma_fence();
#pragma unroll
            for (int g = 0; g < kGroup; ++g) {
                const int k = g % kSlices;
                if constexpr (kA == OperandA::registers) {
                    Bf16::multiply(d_, fragments_[k], b_ + k * kSliceStep);
                } else {
                    Bf16::multiply(d_, a_ + k * kSliceStep, b_ + k * kSliceStep);
                }
            }
            wgmma_commit();
            wgmma_wait<1>();
        }
        wgmma_wait<0>();
        if constexpr (kDuty < 100) {
            const long long until = begin + (cycle() - begin) * 100 / kDuty;
            while (cycle() < until)
                __nanosleep(200);
        }
    }
    __device__ float rest() const {
        float sum = kZero ? 1 : 0;
        for (const float value : d_)
            sum += fabsf(value);
        return sum;
    }

  private:
    std::uint64_t a_ = 0;
    std::uint64_t b_ = 0;
    std::uint32_t fragments_[kSlices][4];
    float d_[kN / 2];
};

// Chains of one kind of arithmetic: kKind as below.
enum class Arithmetic { fma, fma_ex2, logic, fma_max, fma_convert };

template <Arithmetic kKind>
struct Chains {
    static constexpr int kThreads = 512;
    static constexpr int kChains = 8;
    static constexpr int kSteps = 128;
    static constexpr double kOperations = 1.0 * kChains * kSteps;
    static constexpr const char* kUnit = "links/clk";

    __device__ void begin(const Surroundings&) {
        for (int c = 0; c < kChains; ++c)
            x_[c] =
                1.8F * random_operand(blockIdx.x * kThreads * kChains + threadIdx.x * kChains + c);
    }
    __device__ void batch() {
#pragma unroll 4
        for (int s = 0; s < kSteps; ++s) {
#pragma unroll
            for (int c = 0; c < kChains; ++c)
                link(x_[c], gathered_[c]);
        }
    }
    __device__ float rest() const {
        float sum = 0;
        for (const float x : x_)
            sum += fabsf(x) > 0 ? 1.0F : 0.0F;
        for (const unsigned bits : gathered_)
            sum += static_cast<float>(bits & 1);
        return sum;
    }

  private:
    __device__ static void link(float& x, unsigned& gathered) {
        // What nothing reads would be dropped, so an exclusive or gathers results.
        if constexpr (kKind == Arithmetic::logic) {
            unsigned bits = __float_as_uint(x);
            asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;"
                         : "+r"(bits)
                         : "r"(bits << 5), "r"(bits >> 9));
            x = __uint_as_float(bits);
        } else {
            wander(x);
        }
        if constexpr (kKind == Arithmetic::fma_ex2) {
            float power;
            asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
            gathered ^= __float_as_uint(power);
        } else if constexpr (kKind == Arithmetic::fma_max) {
            float most = __uint_as_float(gathered);
            asm volatile("max.f32 %0, %0, %1;" : "+f"(most) : "f"(x));
            gathered = __float_as_uint(most);
        } else if constexpr (kKind == Arithmetic::fma_convert) {
            unsigned pair;
            asm volatile("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(x), "f"(x));
            gathered ^= pair;
        }
    }

    unsigned gathered_[kChains] = {};
    float x_[kChains];
};

// 128-bit loads from shared memory, without conflicts.
struct SharedLoads {
    static constexpr const char* kName = "shared_loads";
    static constexpr int kThreads = 256;
    static constexpr int kLoads = 256;
    static constexpr double kOperations = 16.0 * kLoads;
    static constexpr const char* kUnit = "B/clk";

    __device__ void begin(const Surroundings& around) {
        auto* words = reinterpret_cast<unsigned*>(around.tiles);
        for (int i = threadIdx.x; i < 8 * kThreads * 4; i += kThreads)
            words[i] = scrambled(i + 1);
        __syncthreads();
        address_ = shared_address(around.tiles) + threadIdx.x * 16;
    }
    __device__ void batch() {
#pragma unroll 8
        for (int i = 0; i < kLoads; ++i) {
            uint4 word;
            asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
                         : "r"(address_ + i % 8 * kThreads * 16));
            sum_ ^= word.x;
        }
    }
    __device__ float rest() const {
        return 1.0F + static_cast<float>(sum_ & 1);
    }

  private:
    unsigned address_ = 0;
    unsigned sum_ = 0;
};

// 128-bit loads over a buffer far larger than L2, past L1.
struct HbmLoads {
    static constexpr const char* kName = "hbm_loads";
    static constexpr int kThreads = 1024;
    static constexpr int kLoads = 16;
    static constexpr double kOperations = 16.0 * kLoads;
    static constexpr const char* kUnit = "B/clk";

    __device__ void begin(const Surroundings& around) {
        buffer_ = around.buffer;
        words_ = around.words;
        at_ = (static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x) % words_;
    }
    __device__ void batch() {
        uint4 word[kLoads];
#pragma unroll
        for (uint4& w : word) {
            asm volatile("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(w.x), "=r"(w.y), "=r"(w.z), "=r"(w.w)
                         : "l"(buffer_ + at_));
            at_ += static_cast<std::size_t>(gridDim.x) * kThreads;
            if (at_ >= words_)
                at_ -= words_;
        }
#pragma unroll
        for (const uint4& w : word)
            sum_ ^= w.x ^ w.w;
    }
    __device__ float rest() const {
        return 1.0F + static_cast<float>(sum_ & 1);
    }

  private:
    const uint4* buffer_ = nullptr;
    std::size_t words_ = 0;
    std::size_t at_ = 0;
    unsigned sum_ = 0;
};

// Bulk copies into shared memory of a buffer that fits in L2: no register or load unit takes part.
struct L2Copies {
    static constexpr const char* kName = "l2_bulk_copies";
    static constexpr int kThreads = 128;
    static constexpr int kStages = 4;
    static constexpr int kCopies = 64;
    static constexpr unsigned kBytes = 16 * 1024;
    static constexpr double kOperations = 1.0 * kBytes * kCopies / kThreads;
    static constexpr const char* kUnit = "B/clk";

    __device__ void begin(const Surroundings& around) {
        around_ = around;
        boxes_ = around.words * sizeof(uint4) / kBytes;
        at_ = blockIdx.x % boxes_;
        barriers_ = reinterpret_cast<Mbarrier*>(around.tiles + kStages * kBytes);
        if (threadIdx.x == 0) {
            for (int i = 0; i < kStages; ++i)
                barriers_[i].init(1);
            fence_mbarrier_init();
        }
        __syncthreads();
    }
    __device__ void batch() {
        if (threadIdx.x != 0)
            return;
        for (int i = 0; i < kCopies + kStages; ++i) {
            if (i >= kStages)
                barriers_[i % kStages].wait(parity_ ^ ((i / kStages + 1) & 1));
            if (i < kCopies)
                copy(i % kStages);
        }
        parity_ ^= kCopies / kStages & 1;
    }
    __device__ float rest() const {
        return 1.0F + static_cast<float>(around_.tiles[threadIdx.x] & 1);
    }

  private:
    __device__ void copy(int stage) {
        barriers_[stage].arrive_expect(kBytes);
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
            "[%3];" ::"r"(shared_address(around_.tiles + stage * kBytes)),
            "l"(around_.buffer + at_ * (kBytes / sizeof(uint4))), "r"(kBytes),
            "r"(barriers_[stage].address())
            : "memory");
        at_ += gridDim.x;
        if (at_ >= boxes_)
            at_ -= boxes_;
    }

    Surroundings around_;
    Mbarrier* barriers_ = nullptr;
    std::size_t boxes_ = 1;
    std::size_t at_ = 0;
    unsigned parity_ = 0;
};

}  // namespace micro
