#include "warpline/pipeline/problem_names.hpp"

#include "warpline/hardware/dtype.hpp"

#include <algorithm>
#include <cstdint>

namespace warpline {

std::vector<std::pair<std::string, double>> problem_names(const AttentionProblem& problem) {
    std::int64_t q = problem.seqlen_q;
    std::int64_t kv = problem.seqlen_kv;
    std::int64_t batch = problem.batch;
    if (!problem.varlen.empty()) {
        q = 0;
        kv = 0;
        batch = static_cast<std::int64_t>(problem.varlen.size());
        for (const SequencePair& pair : problem.varlen) {
            q = std::max(q, pair.q);
            kv = std::max(kv, pair.kv);
        }
    }
    const auto number = [](auto value) { return static_cast<double>(value); };
    const auto flag = [](bool value) { return value ? 1.0 : 0.0; };
    return {{"d_qk", number(problem.head_dim_qk)},
            {"d_v", number(problem.head_dim_v)},
            {"seqlen_q", number(q)},
            {"seqlen_kv", number(kv)},
            {"batch", number(batch)},
            {"heads_q", number(problem.heads_q)},
            {"heads_kv", number(problem.heads_kv)},
            {"causal", flag(problem.mask.kind == MaskKind::causal)},
            {"windowed", flag(problem.mask.kind == MaskKind::sliding_window)},
            {"window", number(problem.mask.window)},
            {"varlen", flag(!problem.varlen.empty())},
            {"deterministic", flag(problem.deterministic)},
            {"backward", flag(problem.direction == Direction::backward)},
            {"element_bytes", element_bytes(problem.dtype)},
            {"scale_block", number(scale_block(problem.dtype))},
            {"fp8", flag(problem.dtype == DType::fp8)},
            {"mxfp8", flag(problem.dtype == DType::mxfp8)},
            {"nvfp4", flag(problem.dtype == DType::nvfp4)}};
}

}  // namespace warpline
