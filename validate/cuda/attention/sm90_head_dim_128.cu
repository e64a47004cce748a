// The kernels for head dim 128, with and without the timeline.
#include "sm90_forward.cuh"

namespace attention {
namespace variants {

struct HeadDim128Full {
    static constexpr Options kOptions{.head_dim = 128, .tile_kv = 160, .output_buffer = true};
};
struct HeadDim128FullTimeline {
    static constexpr Options kOptions{
        .head_dim = 128, .tile_kv = 160, .output_buffer = true, .timeline = true};
};
struct HeadDim128Causal {
    static constexpr Options kOptions{
        .head_dim = 128, .tile_kv = 128, .causal = true, .output_buffer = true};
};
struct HeadDim128CausalTimeline {
    static constexpr Options kOptions{
        .head_dim = 128, .tile_kv = 128, .causal = true, .output_buffer = true, .timeline = true};
};

}  // namespace variants

std::vector<Kernel> sm90_head_dim_128() {
    return {sm90_kernel<variants::HeadDim128Full>("hd128_full"),
            sm90_kernel<variants::HeadDim128FullTimeline>("hd128_full_timeline"),
            sm90_kernel<variants::HeadDim128Causal>("hd128_causal"),
            sm90_kernel<variants::HeadDim128CausalTimeline>("hd128_causal_timeline")};
}

}  // namespace attention
