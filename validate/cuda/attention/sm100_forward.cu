// The Blackwell kernels. sm_103a has a faster exponential unit and emulates none.
#include "sm100_forward.cuh"

namespace attention {
namespace variants {

#if defined(__CUDA_ARCH_FEAT_SM103_ALL)
inline constexpr int kEmulated = 0;
inline constexpr int kEmulatedOfPair = 0;
#else
inline constexpr int kEmulated = 16;
inline constexpr int kEmulatedOfPair = 24;
#endif

struct Sm100HeadDim64Full {
    static constexpr Sm100Options kOptions{.head_dim = 64, .emulated = kEmulated};
};
struct Sm100HeadDim64Causal {
    static constexpr Sm100Options kOptions{.head_dim = 64, .causal = true, .emulated = kEmulated};
};
struct Sm100HeadDim128Full {
    static constexpr Sm100Options kOptions{.head_dim = 128, .emulated = kEmulated};
};
struct Sm100HeadDim128Causal {
    static constexpr Sm100Options kOptions{.head_dim = 128, .causal = true, .emulated = kEmulated};
};

struct Sm100HeadDim128FullPair {
    static constexpr Sm100Options kOptions{.head_dim = 128, .ctas = 2, .emulated = kEmulatedOfPair};
};

struct Sm100HeadDim64FullTimeline {
    static constexpr Sm100Options kOptions{.head_dim = 64, .emulated = kEmulated, .timeline = true};
};
struct Sm100HeadDim128FullTimeline {
    static constexpr Sm100Options kOptions{
        .head_dim = 128, .emulated = kEmulated, .timeline = true};
};
struct Sm100HeadDim128CausalTimeline {
    static constexpr Sm100Options kOptions{
        .head_dim = 128, .causal = true, .emulated = kEmulated, .timeline = true};
};
struct Sm100HeadDim128FullPairTimeline {
    static constexpr Sm100Options kOptions{
        .head_dim = 128, .ctas = 2, .emulated = kEmulatedOfPair, .timeline = true};
};

}  // namespace variants

std::vector<Kernel> sm100_kernels() {
    return {
        sm100_kernel<variants::Sm100HeadDim64Full>("sm100_hd64_full"),
        sm100_kernel<variants::Sm100HeadDim64Causal>("sm100_hd64_causal"),
        sm100_kernel<variants::Sm100HeadDim128Full>("sm100_hd128_full"),
        sm100_kernel<variants::Sm100HeadDim128Causal>("sm100_hd128_causal"),
        sm100_kernel<variants::Sm100HeadDim128FullPair>("sm100_hd128_pair_full"),
        sm100_kernel<variants::Sm100HeadDim64FullTimeline>("sm100_hd64_full_timeline"),
        sm100_kernel<variants::Sm100HeadDim128FullTimeline>("sm100_hd128_full_timeline"),
        sm100_kernel<variants::Sm100HeadDim128CausalTimeline>("sm100_hd128_causal_timeline"),
        sm100_kernel<variants::Sm100HeadDim128FullPairTimeline>("sm100_hd128_pair_full_timeline")};
}

}  // namespace attention
