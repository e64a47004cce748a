// Attention forward for Hopper (sm_90a): the kernel and its launch. README.md explains it.
#pragma once

#include "../common/check.hpp"
#include "kernel.hpp"
#include "sm90_consumer.cuh"
#include "sm90_producer.cuh"

namespace attention {

__device__ __forceinline__ void probe_clock(ClockProbe* probe, int end) {
    if (probe == nullptr || blockIdx.x != 0)
        return;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(probe->cycles[end])::"memory");
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(probe->nanoseconds[end])::"memory");
}

// `Variant` is a type with the options in its `kOptions`.
template <class Variant>
__global__ void __launch_bounds__(threads(Variant::kOptions), 1)
    sm90_forward(const __grid_constant__ Arguments arguments) {
    constexpr Options kO = Variant::kOptions;
    static_assert(supported(kO));
    extern __shared__ __align__(1024) char tiles[];
    const Shared<kO> shared{tiles};
    // Read from one lane, so that the compiler knows the whole warp takes the same branch.
    const int warpgroup = __shfl_sync(~0U, static_cast<int>(threadIdx.x) / kWarpgroupThreads, 0);
    if (threadIdx.x == 0) {
        if (micro::shared_address(tiles) % 1024 != 0)
            __trap();
        shared.init_barriers();
    }
    __syncthreads();
    if (warpgroup == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(producer_registers(kO)));
        if (threadIdx.x == 0) {
            probe_clock(arguments.probe, 0);
            Producer<kO>(arguments, shared).run();
            probe_clock(arguments.probe, 1);
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(consumer_registers(kO)));
        Consumer<kO>(arguments, shared, warpgroup - 1).run();
    }
}

template <class Variant>
void launch_sm90(const Arguments& arguments, int grid) {
    constexpr Options kO = Variant::kOptions;
    sm90_forward<Variant><<<grid, threads(kO), shared_bytes(kO)>>>(arguments);
    micro::check_launch();
}

inline std::string switches(const Options& o) {
    std::string text = "tile " + std::to_string(tile_rows(o)) + "x" + std::to_string(o.tile_kv) +
                       ", " + std::to_string(o.stages) + " stages";
    text += o.ping_pong ? ", ping-pong" : ", no ping-pong";
    text += o.overlap ? ", overlap" : ", no overlap";
    if (o.output_buffer)
        text += ", O buffer";
    if (o.polynomial_of_16 > 0)
        text += ", cubic exp2 " + std::to_string(o.polynomial_of_16) + " of 16";
    if (o.timeline)
        text += ", timeline on";
    return text;
}

// In the order in which their recorders are numbered.
inline std::vector<std::string> roles(const Options& o) {
    std::vector<std::string> names{"load"};
    for (int w = 0; w < o.consumers; ++w)
        names.push_back("consumer[" + std::to_string(w) + "]");
    return names;
}

template <class Variant>
Kernel sm90_kernel(const char* name) {
    constexpr Options kO = Variant::kOptions;
    return {.name = name,
            .pipeline = "warpline_sm90_fwd",
            .capability = 90,
            .head_dim = kO.head_dim,
            .causal = kO.causal,
            .tile_rows = tile_rows(kO),
            .query_box_rows = kWarpgroupRows,
            .tile_kv = kO.tile_kv,
            .key_box_rows = kO.tile_kv,
            .threads = threads(kO),
            .shared_bytes = shared_bytes(kO),
            .switches = switches(kO),
            .settings = {{"groups", kO.consumers},
                         {"tile_kv", kO.tile_kv},
                         {"kv_stages", kO.stages},
                         {"output_buffer", kO.output_buffer ? 1 : 0},
                         {"ping_pong", kO.ping_pong ? 1 : 0},
                         {"overlap", kO.overlap ? 1 : 0},
                         {"polynomial_of_16", kO.polynomial_of_16}},
            .timeline = kO.timeline,
            .roles = roles(kO),
            .overlap = kO.overlap,
            .launch = launch_sm90<Variant>,
            .function = reinterpret_cast<const void*>(sm90_forward<Variant>)};
}

}  // namespace attention
