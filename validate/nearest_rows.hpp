// Which measurements say most about a prediction.
#pragma once

#include "warpline/validate/measured_rows.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace warpline {

/// How far apart two problems are: the sum of the absolute binary logarithms of the ratios of their
/// lengths, counts and head dims, and as much as a factor of four for another kind of mask. 0 for
/// problems alike in all of these.
[[nodiscard]] double distance(const AttentionProblem& a, const AttentionProblem& b);

/// The rows of `kernel` (the id of a pipeline file) with the direction and dtype of `problem`,
/// nearest first, `count` at most. Rows of `gpu` alone where there are any; else those of GPUs for
/// which `related` holds. Of rows alike in everything that the model sees, the first stands for
/// all.
[[nodiscard]] std::vector<MeasuredRow> nearest_rows(
    const std::vector<MeasuredRow>& rows, std::string_view kernel, const std::string& gpu,
    const AttentionProblem& problem, std::size_t count,
    const std::function<bool(const std::string& other_gpu)>& related);

/// All rows of the tables that are shipped with the specs and pipelines of `data_dir`; none where
/// there are no tables. What cannot be read is left out: a prediction stands without it.
[[nodiscard]] std::vector<MeasuredRow> shipped_rows(const std::filesystem::path& data_dir);

}  // namespace warpline
