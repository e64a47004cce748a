#include "warpline/validate/split.hpp"

#include <cstdint>

namespace warpline {

Split split_of(const AttentionProblem& problem) {
    bool odd = false;
    for (std::int64_t length = problem.seqlen_kv; length > 1; length /= 2) {
        odd = !odd;
    }
    return odd ? Split::calibration : Split::test;
}

std::string_view split_name(Split split) {
    return split == Split::calibration ? "calibration" : "test";
}

}  // namespace warpline
