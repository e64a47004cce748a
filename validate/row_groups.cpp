#include "warpline/validate/row_groups.hpp"

#include <fmt/format.h>

namespace warpline {

std::string file_label(const MeasuredRow& row) {
    return std::filesystem::path(row.where.file).filename().string();
}

std::string clock_group(const MeasuredRow& row) {
    return fmt::format("{}\n{}\n{}\n{}\n{}", row.gpu, row.where.file, row.kernel,
                       static_cast<int>(row.problem.direction),
                       static_cast<int>(row.problem.mask.kind));
}

std::string baseline_group(const MeasuredRow& row) {
    const AttentionProblem& problem = row.problem;
    return fmt::format("{}\n{}\n{}:{}\n{}", clock_group(row), static_cast<int>(problem.dtype),
                       problem.head_dim_qk, problem.head_dim_v,
                       row.time_ms || row.tflops ? "time" : "cycles");
}

std::string problem_key(const MeasuredRow& row) {
    return fmt::format("{}\n{}\n{}", row.gpu, row.where.file, describe(row.problem));
}

}  // namespace warpline
