#include "warpline/reports/shape_label.hpp"

#include "warpline/reports/phrases.hpp"

#include <fmt/format.h>

namespace warpline {

std::string head_dim_label(const AttentionProblem& problem) {
    return problem.head_dim_qk == problem.head_dim_v
               ? fmt::format("{}", problem.head_dim_qk)
               : fmt::format("{}:{}", problem.head_dim_qk, problem.head_dim_v);
}

std::string length_label(const AttentionProblem& problem) {
    if (!problem.varlen.empty()) {
        return "varlen";
    }
    return problem.seqlen_q == problem.seqlen_kv
               ? fmt::format("{}", problem.seqlen_q)
               : fmt::format("{}:{}", problem.seqlen_q, problem.seqlen_kv);
}

std::string mask_label(const Mask& mask) {
    return mask.kind == MaskKind::sliding_window ? fmt::format("window {}", mask.window)
                                                 : std::string(mask_name(mask.kind));
}

}  // namespace warpline
