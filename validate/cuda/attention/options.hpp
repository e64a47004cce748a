// What is fixed when a kernel is compiled.
#pragma once

namespace attention {

inline constexpr int kWarpgroupThreads = 128;
inline constexpr int kWarpgroupRows = 64;  // query rows of one consumer warpgroup
inline constexpr int kBoxColumns = 64;     // columns of one TMA box: 128 bytes of bf16

struct Options {
    int head_dim = 128;
    int consumers = 2;           // warpgroups, each with 64 query rows
    int tile_kv = 128;           // keys of one step
    int stages = 2;              // of the K ring and of the V ring
    bool causal = false;         // aligned at the last key: query i sees keys 0 .. i + Sk - Sq
    bool ping_pong = true;       // the warpgroups take turns at issuing their products
    bool overlap = true;         // PV of a step runs under the softmax of the next
    bool output_buffer = false;  // O has shared memory of its own instead of Q's
    int polynomial_of_16 = 0;    // exponentials in 16 that the FMA pipe computes
    bool timeline = false;       // roles stamp what they do into a buffer
};

constexpr int tile_rows(const Options& o) {
    return o.consumers * kWarpgroupRows;
}
constexpr int threads(const Options& o) {
    return (o.consumers + 1) * kWarpgroupThreads;
}
// Registers a thread holds after the warpgroups have traded theirs; the sum fits 65536.
constexpr int producer_registers(const Options& o) {
    return o.consumers == 3 ? 32 : 24;
}
constexpr int consumer_registers(const Options& o) {
    return o.consumers == 3 ? 160 : 240;
}

constexpr int query_bytes(const Options& o) {  // of one warpgroup
    return kWarpgroupRows * o.head_dim * 2;
}
constexpr int key_bytes(const Options& o) {  // of one stage; a stage of V is as large
    return o.tile_kv * o.head_dim * 2;
}
constexpr int barrier_count(const Options& o) {
    return 2 * o.consumers + 4 * o.stages;
}
constexpr int shared_bytes(const Options& o) {
    const int query_copies = o.output_buffer ? 2 : 1;
    return query_copies * o.consumers * query_bytes(o) + 2 * o.stages * key_bytes(o) +
           8 * barrier_count(o);
}

constexpr bool supported(const Options& o) {
    return o.head_dim % kBoxColumns == 0 && o.head_dim <= 256 && o.consumers >= 1 &&
           o.consumers <= 3 && o.tile_kv % 16 == 0 && o.tile_kv >= 64 && o.tile_kv <= 192 &&
           o.stages >= 2 && !(o.ping_pong && o.consumers == 1) && o.polynomial_of_16 >= 0 &&
           o.polynomial_of_16 <= 16 && shared_bytes(o) <= 227 * 1024;
}

}  // namespace attention
