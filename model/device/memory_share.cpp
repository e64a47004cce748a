#include "warpline/device/memory_share.hpp"

#include "warpline/hardware/dtype.hpp"
#include "warpline/pipeline/tile_work.hpp"
#include "warpline/workload/over_sequences.hpp"

#include <algorithm>
#include <cmath>

namespace warpline {
namespace {

/// The streams of a problem, and the bytes that each input has.
struct Streams {
    double count = 1.0;  ///< heads whose streamed tensors differ
    double bytes = 0.0;  ///< of all streams, each byte once
    double owned = 0.0;  ///< inputs that one tile alone reads
    double heads = 1.0;  ///< heads that tiles are cut from
};

/// Of all sequences.
[[nodiscard]] double sum_of_keys(const AttentionProblem& problem) {
    return over_sequences(problem, [](const SequencePair& s) { return static_cast<double>(s.kv); });
}
[[nodiscard]] double sum_of_queries(const AttentionProblem& problem) {
    return over_sequences(problem, [](const SequencePair& s) { return static_cast<double>(s.q); });
}

[[nodiscard]] Streams streams_of(const KernelPlan& plan, const AttentionProblem& problem) {
    Streams out;
    const double element = stored_bytes(problem.dtype);
    const auto d = static_cast<double>(
        problem.head_dim_qk + (tile_work(plan).v_in_k ? std::int64_t{0} : problem.head_dim_v));
    const auto heads_q = static_cast<double>(problem.heads_q);
    const auto heads_kv = static_cast<double>(problem.heads_kv);
    const bool over_kv = plan.tiles.loop == TileLoop::over_kv;
    const bool backward = problem.direction == Direction::backward;
    const auto sequences = static_cast<double>(problem.sequences());
    out.count = sequences * (over_kv ? heads_kv : heads_q);
    out.heads = sequences * (plan.tiles.pack_gqa ? heads_kv : heads_q);
    const double keys = heads_kv * sum_of_keys(problem) * d * element;
    const double queries =
        heads_q * sum_of_queries(problem) *
        (backward ? d * element + 8.0 : static_cast<double>(problem.head_dim_qk) * element);
    out.bytes = over_kv ? keys : queries;
    out.owned = over_kv ? queries : keys;
    return out;
}

/// How often a byte of a stream is fetched from HBM, and what is in use at a time.
struct Reuse {
    double passes = 1.0;
    double working_set = 0.0;
};

/// `streamed`: bytes that all tiles read of streams. Under a sliding window a tile reads a part
/// that moves on with the tile: a byte is wanted by few tiles, one after the other, and in use at a
/// time is what the tiles at a time cover.
[[nodiscard]] Reuse reuse_of(const Streams& streams, const KernelPlan& plan,
                             const Placement& placement, double streamed, bool windowed) {
    // The splits of a tile read a stream once between them.
    const auto splits = static_cast<double>(tile_work(plan).splits);
    const double tiles = static_cast<double>(placement.tiles) / splits;
    const double at_a_time = static_cast<double>(placement.slots_used) / splits;
    const auto group = static_cast<double>(plan.tiles.head_group);
    const double tiles_of_group = group * tiles / streams.heads;
    const double heads =
        std::min(streams.heads, group * std::ceil(at_a_time / std::max(1.0, tiles_of_group)));
    const double active = std::max(1.0, heads * streams.count / streams.heads);
    const double tiles_of_stream = std::max(1.0, tiles / streams.count);
    const double together = std::clamp(at_a_time / active, 1.0, tiles_of_stream);
    const double stream = streams.bytes / streams.count;
    if (!windowed) {
        return {tiles_of_stream / together, active * stream};
    }
    const double of_a_tile = streamed / std::max(1.0, tiles);
    const double step = stream / tiles_of_stream;
    const double readers = std::min(tiles_of_stream, std::max(1.0, of_a_tile / step));
    return {std::max(1.0, readers / together),
            active * std::min(stream, of_a_tile + together * step)};
}

/// Each input and output once. Where V lies inside K, K's bytes are all; splits write partial
/// results, which another kernel turns into the output.
[[nodiscard]] double bytes_once(const KernelPlan& plan, const AttentionProblem& problem,
                                const TileCost& total) {
    double bytes = compulsory_bytes(problem);
    const double element = stored_bytes(problem.dtype);
    const auto d_v = static_cast<double>(problem.head_dim_v);
    if (tile_work(plan).v_in_k) {
        bytes -= sum_of_keys(problem) * static_cast<double>(problem.heads_kv) * d_v * element;
    }
    if (tile_work(plan).splits > 1) {
        bytes += total.bytes_written -
                 sum_of_queries(problem) * static_cast<double>(problem.heads_q) * d_v * 2.0;
    }
    return bytes;
}

}  // namespace

double own_input_bytes(const KernelPlan& plan, const AttentionProblem& problem) {
    return streams_of(plan, problem).owned;
}

MemoryShare share_memory(const GpuSpec& spec, const KernelPlan& plan,
                         const AttentionProblem& problem, const TileCost& total,
                         const Placement& placement) {
    MemoryShare out;
    out.environment = idle_memory(spec);
    out.hbm_bytes = bytes_once(plan, problem, total);
    out.hbm_written = tile_work(plan).splits > 1 ? total.bytes_written : output_bytes(problem);
    if (placement.tiles == 0 || total.bytes_read <= 0.0) {
        return out;
    }
    const Streams streams = streams_of(plan, problem);
    const double streamed = std::max(1.0, total.bytes_read - streams.owned);
    const Reuse reuse =
        reuse_of(streams, plan, placement, streamed, problem.mask.kind == MaskKind::sliding_window);
    out.working_set = reuse.working_set;
    const double kept =
        out.working_set > 0.0
            ? std::min(1.0, static_cast<double>(spec.memory.l2_bytes) / out.working_set)
            : 1.0;
    const double fetched =
        std::min(streamed, streams.bytes * (1.0 + (reuse.passes - 1.0) * (1.0 - kept)));
    out.miss_share = std::clamp(fetched / streamed, 0.0, 1.0);
    out.hbm_bytes += std::max(0.0, fetched - streams.bytes);
    const auto farther = static_cast<double>(spec.tma.hbm_latency - spec.tma.l2_latency);
    out.environment.latency += round_to_ticks(out.miss_share * std::max(0.0, farther) /
                                              static_cast<double>(ticks_per_cycle));
    return out;
}

}  // namespace warpline
