// Variations of the shipped kernels, one switch at a time, and of their tiles.
#include "sm90_forward.cuh"

namespace attention {
namespace variants {

struct Hd128NoPingPong {
    static constexpr Options kOptions{
        .head_dim = 128, .tile_kv = 160, .ping_pong = false, .output_buffer = true};
};
struct Hd128NoOverlap {
    static constexpr Options kOptions{
        .head_dim = 128, .tile_kv = 160, .overlap = false, .output_buffer = true};
};
struct Hd128Neither {
    static constexpr Options kOptions{.head_dim = 128,
                                      .tile_kv = 160,
                                      .ping_pong = false,
                                      .overlap = false,
                                      .output_buffer = true};
};
struct Hd128Cubic2 {
    static constexpr Options kOptions{
        .head_dim = 128, .tile_kv = 160, .output_buffer = true, .polynomial_of_16 = 2};
};
struct Hd128Cubic4 {
    static constexpr Options kOptions{
        .head_dim = 128, .tile_kv = 160, .output_buffer = true, .polynomial_of_16 = 4};
};
struct Hd128Keys128 {
    static constexpr Options kOptions{.head_dim = 128, .tile_kv = 128, .output_buffer = true};
};
struct Hd128Keys128QBuffer {
    static constexpr Options kOptions{.head_dim = 128, .tile_kv = 128};
};
struct Hd128Keys128Stages3 {
    static constexpr Options kOptions{.head_dim = 128, .tile_kv = 128, .stages = 3};
};
struct Hd128Keys176 {
    static constexpr Options kOptions{.head_dim = 128, .tile_kv = 176};
};
struct Hd128Groups3Keys80 {
    static constexpr Options kOptions{.head_dim = 128, .consumers = 3, .tile_kv = 80};
};
struct Hd128Groups3Keys96 {
    static constexpr Options kOptions{.head_dim = 128, .consumers = 3, .tile_kv = 96};
};
struct Hd128Groups3Keys80OBuffer {
    static constexpr Options kOptions{
        .head_dim = 128, .consumers = 3, .tile_kv = 80, .output_buffer = true};
};
struct Hd128CausalKeys160 {
    static constexpr Options kOptions{
        .head_dim = 128, .tile_kv = 160, .causal = true, .output_buffer = true};
};
struct Hd128CausalGroups3Keys80 {
    static constexpr Options kOptions{
        .head_dim = 128, .consumers = 3, .tile_kv = 80, .causal = true};
};
struct Hd64NoPingPong {
    static constexpr Options kOptions{
        .head_dim = 64, .consumers = 3, .tile_kv = 128, .ping_pong = false};
};
struct Hd64NoOverlap {
    static constexpr Options kOptions{
        .head_dim = 64, .consumers = 3, .tile_kv = 128, .overlap = false};
};
struct Hd64Cubic2 {
    static constexpr Options kOptions{
        .head_dim = 64, .consumers = 3, .tile_kv = 128, .polynomial_of_16 = 2};
};
struct Hd64OBuffer {
    static constexpr Options kOptions{
        .head_dim = 64, .consumers = 3, .tile_kv = 128, .output_buffer = true};
};
struct Hd64Groups2 {
    static constexpr Options kOptions{.head_dim = 64, .tile_kv = 128};
};
struct Hd64Keys112 {
    static constexpr Options kOptions{.head_dim = 64, .consumers = 3, .tile_kv = 112};
};
struct Hd256NoPingPong {
    static constexpr Options kOptions{.head_dim = 256, .tile_kv = 80, .ping_pong = false};
};
struct Hd256NoOverlap {
    static constexpr Options kOptions{.head_dim = 256, .tile_kv = 80, .overlap = false};
};
struct Hd256Keys64 {
    static constexpr Options kOptions{.head_dim = 256, .tile_kv = 64};
};

}  // namespace variants

std::vector<Kernel> sm90_ablations() {
    return {
        sm90_kernel<variants::Hd128NoPingPong>("ablation_hd128_no_ping_pong"),
        sm90_kernel<variants::Hd128NoOverlap>("ablation_hd128_no_overlap"),
        sm90_kernel<variants::Hd128Neither>("ablation_hd128_neither"),
        sm90_kernel<variants::Hd128Cubic2>("ablation_hd128_cubic_2"),
        sm90_kernel<variants::Hd128Cubic4>("ablation_hd128_cubic_4"),
        sm90_kernel<variants::Hd128Keys128>("ablation_hd128_keys_128"),
        sm90_kernel<variants::Hd128Keys128QBuffer>("ablation_hd128_keys_128_q_buffer"),
        sm90_kernel<variants::Hd128Keys128Stages3>("ablation_hd128_keys_128_stages_3"),
        sm90_kernel<variants::Hd128Keys176>("ablation_hd128_keys_176"),
        sm90_kernel<variants::Hd128Groups3Keys80>("ablation_hd128_groups_3_keys_80"),
        sm90_kernel<variants::Hd128Groups3Keys96>("ablation_hd128_groups_3_keys_96"),
        sm90_kernel<variants::Hd128Groups3Keys80OBuffer>(
            "ablation_hd128_groups_3_keys_80_o_buffer"),
        sm90_kernel<variants::Hd128CausalKeys160>("ablation_hd128_causal_keys_160"),
        sm90_kernel<variants::Hd128CausalGroups3Keys80>("ablation_hd128_causal_groups_3_keys_80"),
        sm90_kernel<variants::Hd64NoPingPong>("ablation_hd64_no_ping_pong"),
        sm90_kernel<variants::Hd64NoOverlap>("ablation_hd64_no_overlap"),
        sm90_kernel<variants::Hd64Cubic2>("ablation_hd64_cubic_2"),
        sm90_kernel<variants::Hd64OBuffer>("ablation_hd64_o_buffer"),
        sm90_kernel<variants::Hd64Groups2>("ablation_hd64_groups_2"),
        sm90_kernel<variants::Hd64Keys112>("ablation_hd64_keys_112"),
        sm90_kernel<variants::Hd256NoPingPong>("ablation_hd256_no_ping_pong"),
        sm90_kernel<variants::Hd256NoOverlap>("ablation_hd256_no_overlap"),
        sm90_kernel<variants::Hd256Keys64>("ablation_hd256_keys_64")};
}

}  // namespace attention
