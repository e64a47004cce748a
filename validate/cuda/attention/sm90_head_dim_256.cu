// The kernels for head dim 256, with and without the timeline.
#include "sm90_forward.cuh"

namespace attention {
namespace variants {

struct HeadDim256Full {
    static constexpr Options kOptions{.head_dim = 256, .tile_kv = 80};
};
struct HeadDim256FullTimeline {
    static constexpr Options kOptions{.head_dim = 256, .tile_kv = 80, .timeline = true};
};
struct HeadDim256Causal {
    static constexpr Options kOptions{.head_dim = 256, .tile_kv = 80, .causal = true};
};
struct HeadDim256CausalTimeline {
    static constexpr Options kOptions{
        .head_dim = 256, .tile_kv = 80, .causal = true, .timeline = true};
};

}  // namespace variants

std::vector<Kernel> sm90_head_dim_256() {
    return {sm90_kernel<variants::HeadDim256Full>("hd256_full"),
            sm90_kernel<variants::HeadDim256FullTimeline>("hd256_full_timeline"),
            sm90_kernel<variants::HeadDim256Causal>("hd256_causal"),
            sm90_kernel<variants::HeadDim256CausalTimeline>("hd256_causal_timeline")};
}

}  // namespace attention
