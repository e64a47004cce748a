#include "warpline/workload/attention.hpp"

#include "warpline/hardware/dtype.hpp"
#include "warpline/workload/over_sequences.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::int64_t max_length = 2147483647;  // 2^31 - 1: kernels index tokens with 32 bits
constexpr std::int64_t max_head_dim = 1024;

/// Collects the first complaint; later ones are often its consequences.
class Checker {
  public:
    void range(std::string_view name, std::int64_t value, std::int64_t low, std::int64_t high) {
        if (message_.empty() && (value < low || value > high)) {
            message_ =
                fmt::format("{} is {}, but must be between {} and {}", name, value, low, high);
        }
    }
    void require(bool condition, std::string_view message) {
        if (message_.empty() && !condition) {
            message_ = message;
        }
    }
    [[nodiscard]] const std::string& message() const { return message_; }

  private:
    std::string message_;
};

void check_lengths(const AttentionProblem& problem, Checker& check) {
    if (problem.varlen.empty()) {
        check.range("batch", problem.batch, 1, max_length);
        check.range("seqlen_q", problem.seqlen_q, 1, max_length);
        check.range("seqlen_kv", problem.seqlen_kv, 0, max_length);
        return;
    }
    check.require(problem.varlen.size() <= static_cast<std::size_t>(max_length),
                  "there are more than 2^31 - 1 sequences");
    for (std::size_t i = 0; i < problem.varlen.size() && check.message().empty(); ++i) {
        check.range(fmt::format("query length of sequence {}", i), problem.varlen[i].q, 1,
                    max_length);
        check.range(fmt::format("key length of sequence {}", i), problem.varlen[i].kv, 0,
                    max_length);
    }
}

/// 1 + 2 + ... + x. At most 2^61 for a length.
[[nodiscard]] std::int64_t triangle(std::int64_t x) {
    return x * (x + 1) / 2;
}

/// Unmasked pairs of one head. Query i sees min(v, window) keys where v = i + 1 + kv - q runs over
/// kv - q + 1 .. kv and negative v mean none. Never more than q * kv < 2^62, so exact.
[[nodiscard]] std::int64_t unmasked_pairs(const SequencePair& s, const Mask& mask) {
    if (mask.kind == MaskKind::full) {
        return s.q * s.kv;
    }
    const std::int64_t before_first = std::max<std::int64_t>(0, s.kv - s.q);  // v of row "-1"
    if (mask.kind == MaskKind::causal) {
        return triangle(s.kv) - triangle(before_first);
    }
    const std::int64_t w = mask.window;
    const std::int64_t rising = triangle(std::min(s.kv, w)) - triangle(std::min(before_first, w));
    const std::int64_t flat = std::max<std::int64_t>(0, s.kv - std::max(w, before_first));
    return rising + w * flat;
}

/// Query-key pairs of one head by the benchmark convention, which halves a causal square exactly.
[[nodiscard]] double counted_pairs(const SequencePair& s, const Mask& mask) {
    if (mask.kind == MaskKind::causal) {
        const auto mean = static_cast<double>(std::max<std::int64_t>(0, s.kv - s.q) + s.kv) / 2.0;
        return static_cast<double>(s.q) * mean;
    }
    return static_cast<double>(unmasked_pairs(s, mask));
}

[[nodiscard]] std::string pair_text(std::int64_t first, std::int64_t second, char separator) {
    return first == second ? fmt::format("{}", first)
                           : fmt::format("{}{}{}", first, separator, second);
}

}  // namespace

std::int64_t AttentionProblem::sequences() const {
    return varlen.empty() ? batch : static_cast<std::int64_t>(varlen.size());
}

SequencePair AttentionProblem::sequence(std::int64_t index) const {
    return varlen.empty() ? SequencePair{seqlen_q, seqlen_kv}
                          : varlen[static_cast<std::size_t>(index)];
}

Result<AttentionProblem> make_attention(AttentionProblem problem) {
    Checker check;
    check_lengths(problem, check);
    check.range("heads_q", problem.heads_q, 1, max_length);
    check.range("heads_kv", problem.heads_kv, 1, max_length);
    if (check.message().empty() && problem.heads_q % problem.heads_kv != 0) {
        check.require(false, fmt::format("heads_kv ({}) does not divide heads_q ({})",
                                         problem.heads_kv, problem.heads_q));
    }
    check.range("head_dim_qk", problem.head_dim_qk, 1, max_head_dim);
    check.range("head_dim_v", problem.head_dim_v, 1, max_head_dim);
    if (problem.mask.kind == MaskKind::sliding_window) {
        check.range("window", problem.mask.window, 1, max_length);
    } else {
        check.require(problem.mask.window == 0,
                      "a window was given without the sliding-window mask");
    }
    if (!check.message().empty()) {
        return fail(FailureKind::usage, check.message());
    }
    return problem;
}

double counted_flops(const AttentionProblem& problem) {
    const double pairs = over_sequences(
        problem, [&](const SequencePair& s) { return counted_pairs(s, problem.mask); });
    return static_cast<double>(problem.heads_q) * pairs * counted_flops_per_pair(problem);
}

double counted_flops_per_pair(const AttentionProblem& problem) {
    const double forward = 2.0 * static_cast<double>(problem.head_dim_qk + problem.head_dim_v);
    return problem.direction == Direction::backward ? 2.5 * forward : forward;
}

double unmasked_scores(const AttentionProblem& problem) {
    return static_cast<double>(problem.heads_q) *
           over_sequences(problem, [&](const SequencePair& s) {
               return static_cast<double>(unmasked_pairs(s, problem.mask));
           });
}

double output_bytes(const AttentionProblem& problem) {
    const double element = 2.0;  // results of narrower inputs are 16-bit
    const auto d_qk = static_cast<double>(problem.head_dim_qk);
    const auto d_v = static_cast<double>(problem.head_dim_v);
    const bool backward = problem.direction == Direction::backward;
    return over_sequences(problem, [&](const SequencePair& s) {
        const double q_rows = static_cast<double>(problem.heads_q) * static_cast<double>(s.q);
        const double kv_rows = static_cast<double>(problem.heads_kv) * static_cast<double>(s.kv);
        return element * (backward ? q_rows * d_qk + kv_rows * (d_qk + d_v) : q_rows * d_v);
    });
}

double compulsory_bytes(const AttentionProblem& problem) {
    const double element = stored_bytes(problem.dtype);
    const auto d_qk = static_cast<double>(problem.head_dim_qk);
    const auto d_v = static_cast<double>(problem.head_dim_v);
    const bool backward = problem.direction == Direction::backward;
    const double inputs = over_sequences(problem, [&](const SequencePair& s) {
        const double q_rows = static_cast<double>(problem.heads_q) * static_cast<double>(s.q);
        const double kv_rows = static_cast<double>(problem.heads_kv) * static_cast<double>(s.kv);
        double bytes = element * (q_rows * d_qk + kv_rows * (d_qk + d_v));
        if (backward) {  // O and dO, 16-bit both, and the log-sum-exp
            bytes += 2.0 * 2.0 * q_rows * d_v + 4.0 * q_rows;
        }
        return bytes;
    });
    return inputs + output_bytes(problem);
}

std::string describe(const AttentionProblem& problem) {
    std::string text = problem.direction == Direction::backward ? "bwd " : "fwd ";
    text += dtype_name(problem.dtype);
    text += problem.varlen.empty() ? fmt::format(" b{}", problem.batch)
                                   : fmt::format(" varlen{}", problem.varlen.size());
    text += fmt::format(" h{}", pair_text(problem.heads_q, problem.heads_kv, '/'));
    if (problem.varlen.empty()) {
        text += fmt::format(" s{}", pair_text(problem.seqlen_q, problem.seqlen_kv, 'x'));
    }
    text += fmt::format(" d{}", pair_text(problem.head_dim_qk, problem.head_dim_v, '/'));
    switch (problem.mask.kind) {
        case MaskKind::full:
            text += " full";
            break;
        case MaskKind::causal:
            text += " causal";
            break;
        case MaskKind::sliding_window:
            text += fmt::format(" window{}", problem.mask.window);
            break;
    }
    if (problem.deterministic) {
        text += " deterministic";
    }
    return text;
}

}  // namespace warpline
