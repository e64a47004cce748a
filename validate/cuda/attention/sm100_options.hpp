// What is fixed when a Blackwell kernel is compiled. The names are those of pipelines/fa4_fwd.yaml.
#pragma once

namespace attention {

struct Sm100Options {
    int head_dim = 128;  // 64 or 128
    bool causal = false;
    int ctas = 1;                 // 2: a pair of CTAs shares each product, 256 query rows a stage
    int emulated = 16;            // exponentials of a row of 128 that the FMA pipe computes
    float rescale_threshold = 8;  // rise of the row maximum, in log2, that forces a rescale of O
    bool timeline = false;        // roles stamp what they do into a buffer
};

// Roles in the order of their timeline records; softmax of stage t is kSoftmaxRole + t.
enum Sm100Role {
    kLoadRole,
    kMmaRole,
    kSoftmaxRole,
    kCorrectionRole = 4,
    kEpilogueRole,
    kSm100Roles
};

inline constexpr int kQStages = 2;    // query tiles in flight
inline constexpr int kTileM = 128;    // query rows of one of them
inline constexpr int kTileKv = 128;   // keys of one step
inline constexpr int kFragment = 32;  // columns in which exponentials are taken and stored
inline constexpr int kFragments = kTileKv / kFragment;
inline constexpr int kEarlyFragments = 3;  // in the first part of P
inline constexpr int kSm100Threads = 512;

constexpr int tile_bytes(const Sm100Options& o) {  // of Q, K, V or O
    return kTileM * o.head_dim * 2;
}
// What a CTA holds of a tile of K (rows) or V (columns): of a pair, each has its half.
constexpr int kv_bytes(const Sm100Options& o) {
    return tile_bytes(o) / o.ctas;
}
constexpr int kv_stages(const Sm100Options& o) {
    return (224 * 1024 - 2 * kQStages * tile_bytes(o)) / kv_bytes(o);
}
constexpr int sm100_barriers(const Sm100Options& o) {
    return 9 * kQStages + 2 * kv_stages(o);
}
constexpr int sm100_shared_bytes(const Sm100Options& o) {
    return 2 * kQStages * tile_bytes(o) + kv_stages(o) * kv_bytes(o) + kQStages * kTileM * 4 +
           8 * sm100_barriers(o) + 16;
}

// Registers of a thread after the warpgroups have traded theirs: softmax, correction and the rest.
constexpr int softmax_registers(const Sm100Options& o) {
    return o.ctas == 2 ? 176 : o.head_dim < 96 ? 200 : 192;
}
constexpr int correction_registers(const Sm100Options& o) {
    return o.ctas == 2 ? 88 : o.head_dim < 96 ? 64 : o.causal ? 72 : 80;
}
constexpr int other_registers(const Sm100Options& o) {
    return 512 - 2 * softmax_registers(o) - correction_registers(o);
}

constexpr bool supported(const Sm100Options& o) {
    return (o.head_dim == 64 || o.head_dim == 128) &&
           (o.ctas == 1 || (o.ctas == 2 && o.head_dim == 128 && !o.causal)) && o.emulated >= 0 &&
           o.emulated <= 64 && sm100_shared_bytes(o) <= 227 * 1024;
}

}  // namespace attention
