// The problem: one attention call, and the work it counts as.
#pragma once

#include "warpline/diagnostics/failure.hpp"
#include "warpline/hardware/gpu_spec.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpline {

enum class Direction : std::uint8_t { forward, backward };
enum class MaskKind : std::uint8_t { full, causal, sliding_window };

/// Which keys a query sees. Causal is bottom-right aligned: query i sees keys j <= i + Sk - Sq.
/// A sliding window of w tokens is causal and sees only the last w keys: i + Sk - Sq - w < j.
struct Mask {
    MaskKind kind = MaskKind::full;
    std::int64_t window = 0;  ///< tokens, for sliding_window; at least 1
};

struct SequencePair {
    std::int64_t q = 0;
    std::int64_t kv = 0;
};

/// Lengths are tokens, 1 <= q, 0 <= kv, both below 2^31. Use make_attention() to build a checked
/// one.
struct AttentionProblem {
    Direction direction = Direction::forward;
    std::int64_t batch = 1;
    std::int64_t heads_q = 1;
    std::int64_t heads_kv = 1;  ///< divides heads_q
    std::int64_t seqlen_q = 1;
    std::int64_t seqlen_kv = 1;
    std::int64_t head_dim_qk = 128;
    std::int64_t head_dim_v = 128;
    Mask mask;
    DType dtype = DType::bf16;
    bool deterministic = false;
    std::vector<SequencePair>
        varlen;  ///< when not empty: one pair a sequence; batch, seqlen_* are then ignored

    [[nodiscard]] std::int64_t sequences() const;
    [[nodiscard]] SequencePair sequence(std::int64_t index) const;
};

/// Checks every field and names the first that is out of range. Errors: usage.
[[nodiscard]] Result<AttentionProblem> make_attention(AttentionProblem problem);

/// FLOPs by flash-attention's benchmark convention: 2 * Sq * mean(Sk) * (d_qk + d_v) per head and
/// sequence, causal mean (max(0, Sk - Sq) + Sk) / 2, window mean exact, backward times 2.5.
[[nodiscard]] double counted_flops(const AttentionProblem& problem);
/// What it counts for one pair of a query and a key of one head.
[[nodiscard]] double counted_flops_per_pair(const AttentionProblem& problem);

/// Scores that are really needed: unmasked (query, key) pairs over all heads and sequences.
[[nodiscard]] double unmasked_scores(const AttentionProblem& problem);

/// Bytes that HBM must move at least: each input once, each output once.
[[nodiscard]] double compulsory_bytes(const AttentionProblem& problem);

/// Those of them that are written: O forward; dQ, dK and dV backward.
[[nodiscard]] double output_bytes(const AttentionProblem& problem);

/// "fwd bf16 b4 h16 s8192 d128 full" and the like: one line, for reports.
[[nodiscard]] std::string describe(const AttentionProblem& problem);

}  // namespace warpline
