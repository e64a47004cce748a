// What the microbenchmarks of validate/cuda/micro print: measured constants of one GPU.
#pragma once

#include "warpline/diagnostics/failure.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace warpline {

/// One measured constant.
struct MicroRow {
    std::string constant;  ///< e.g. "ex2_f32_rate"
    double value = 0.0;    ///< median
    std::string unit;
    double spread = 0.0;  ///< half the distance between low and high values, in the same unit
    std::string gpu;      ///< as the driver names it
    double sm_clock_mhz = 0.0;
    std::string cuda_version;
    std::string note;

    friend bool operator==(const MicroRow&, const MicroRow&) = default;
};

/// Reads a table of rows. Errors (input): not CSV, another header, a row with a bad number, a
/// constant that is given twice.
[[nodiscard]] Result<std::vector<MicroRow>> parse_micro_rows(std::string_view text,
                                                             const std::string& file_name);
[[nodiscard]] Result<std::vector<MicroRow>> read_micro_rows(const std::filesystem::path& path);

/// The header line that every such table has, with its line break.
[[nodiscard]] std::string micro_header();
/// Header and rows.
[[nodiscard]] std::string micro_csv(const std::vector<MicroRow>& rows);

/// The row of `constant`, or null.
[[nodiscard]] const MicroRow* find_micro_row(const std::vector<MicroRow>& rows,
                                             std::string_view constant);

/// One table of several passes over the same programs: the middle of the passes' values, and a
/// spread that reaches over the spread of each. Rows that a pass lacks come from the others.
[[nodiscard]] std::vector<MicroRow> merge_passes(const std::vector<std::vector<MicroRow>>& passes);

/// A constant on which two runs differ by more than their spreads add up to.
struct MicroDifference {
    std::string constant, unit;
    double first = 0.0, second = 0.0;
    double allowed = 0.0;   ///< both spreads together
    double relative = 0.0;  ///< difference over the larger magnitude
};

struct MicroComparison {
    std::size_t common = 0;  ///< constants that both runs have
    std::vector<std::string> only_first, only_second;
    std::vector<MicroDifference> beyond;  ///< largest relative difference first
};

[[nodiscard]] MicroComparison compare_micro_runs(const std::vector<MicroRow>& first,
                                                 const std::vector<MicroRow>& second);

}  // namespace warpline
