// Attention forward for Blackwell (sm_100a, sm_103a), structured as pipelines/fa4_fwd.yaml with two
// query tiles, in one CTA or a pair of CTAs. It compiles and has not run: see README.md.
#pragma once

#include "../common/check.hpp"
#include "kernel.hpp"
#include "sm100_correction.cuh"
#include "sm100_issuers.cuh"
#include "sm100_softmax.cuh"

namespace attention {

template <int kRegisters>
__device__ __forceinline__ void more_registers() {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
template <int kRegisters>
__device__ __forceinline__ void fewer_registers() {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters));
}

// Warps 0 to 3 and 4 to 7: softmax of stage 0 and 1; 8 to 11: correction; 12: mma; 13: epilogue;
// 14: load; 15 idles. Of a pair, only the first CTA has an mma role. `Variant` is a type with the
// options in its `kOptions`.
template <class Variant>
__global__ void __launch_bounds__(kSm100Threads, 1)
    sm100_forward(const __grid_constant__ Arguments arguments) {
    constexpr Sm100Options kO = Variant::kOptions;
    static_assert(supported(kO));
    extern __shared__ __align__(1024) char tiles[];
    const Sm100Shared<kO> shared{tiles};
    const int warp = __shfl_sync(~0U, static_cast<int>(threadIdx.x) / 32, 0);
    if (warp == 12)
        micro::tmem_allocate<kO.ctas>(&shared.tmem());
    if (threadIdx.x == 0) {
        if (micro::shared_address(tiles) % 1024 != 0)
            __trap();
        shared.init_barriers();
    }
    micro::tcgen05_before_sync();
    sync_all<kO>();
    micro::tcgen05_after_sync();
    const unsigned tmem = shared.tmem();
    const bool first_lane = threadIdx.x % 32 == 0;
    if (warp < 8) {
        more_registers<softmax_registers(kO)>();
        Sm100Softmax<kO>(arguments, shared, tmem, warp / 4).run();
    } else if (warp < 12) {
        fewer_registers<correction_registers(kO)>();
        Sm100Correction<kO>(arguments, shared, tmem).run();
    } else {
        fewer_registers<other_registers(kO)>();
        if (warp == 12 && first_lane && pair_rank<kO>() == 0)
            Sm100Mma<kO>(arguments, shared, tmem).run();
        else if (warp == 13)
            sm100_epilogue<kO>(arguments, shared);
        else if (warp == 14 && first_lane)
            Sm100Load<kO>(arguments, shared).run();
    }
    __syncwarp();
    sync_all<kO>();
    if (warp == 12)
        micro::tmem_release<kO.ctas>(tmem);
}

template <class Variant>
void launch_sm100(const Arguments& arguments, int grid) {
    constexpr Sm100Options kO = Variant::kOptions;
    cudaLaunchAttribute cluster{};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {static_cast<unsigned>(kO.ctas), 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(grid));
    config.blockDim = dim3(kSm100Threads);
    config.dynamicSmemBytes = sm100_shared_bytes(kO);
    config.attrs = &cluster;
    config.numAttrs = 1;
    micro::check(cudaLaunchKernelEx(&config, sm100_forward<Variant>, arguments));
    micro::check_launch();
}

template <class Variant>
Kernel sm100_kernel(const char* name) {
    constexpr Sm100Options kO = Variant::kOptions;
    return {.name = name,
            .pipeline = "fa4_fwd",
            .capability = 100,
            .head_dim = kO.head_dim,
            .causal = kO.causal,
            .tile_rows = kQStages * kTileM * kO.ctas,
            .query_box_rows = kTileM,
            .tile_kv = kTileKv,
            .key_box_rows = kTileKv / kO.ctas,
            .ctas = kO.ctas,
            .threads = kSm100Threads,
            .shared_bytes = sm100_shared_bytes(kO),
            .switches = "tile 2x" + std::to_string(kTileM * kO.ctas) + "x128, " +
                        std::to_string(kv_stages(kO)) + " stages, " +
                        (kO.ctas == 1 ? "one CTA" : "CTA pair") +
                        (kO.timeline ? ", timeline on" : ""),
            .settings = {{"pair", kO.ctas - 1}},
            .timeline = kO.timeline,
            .roles = {"load", "mma", "softmax[0]", "softmax[1]", "correction", "epilogue"},
            .overlap = false,
            .launch = launch_sm100<Variant>,
            .function = reinterpret_cast<const void*>(sm100_forward<Variant>)};
}

}  // namespace attention
