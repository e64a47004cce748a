// The kernels for head dim 64, with and without the timeline.
#include "sm90_forward.cuh"

namespace attention {
namespace variants {

struct HeadDim64Full {
    static constexpr Options kOptions{.head_dim = 64, .consumers = 3, .tile_kv = 128};
};
struct HeadDim64FullTimeline {
    static constexpr Options kOptions{
        .head_dim = 64, .consumers = 3, .tile_kv = 128, .timeline = true};
};
struct HeadDim64Causal {
    static constexpr Options kOptions{
        .head_dim = 64, .consumers = 3, .tile_kv = 128, .causal = true};
};
struct HeadDim64CausalTimeline {
    static constexpr Options kOptions{
        .head_dim = 64, .consumers = 3, .tile_kv = 128, .causal = true, .timeline = true};
};

}  // namespace variants

std::vector<Kernel> sm90_head_dim_64() {
    return {sm90_kernel<variants::HeadDim64Full>("hd64_full"),
            sm90_kernel<variants::HeadDim64FullTimeline>("hd64_full_timeline"),
            sm90_kernel<variants::HeadDim64Causal>("hd64_causal"),
            sm90_kernel<variants::HeadDim64CausalTimeline>("hd64_causal_timeline")};
}

}  // namespace attention
