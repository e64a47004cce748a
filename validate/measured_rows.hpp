// Measured attention kernels: the rows of a comparison.
#pragma once

#include "warpline/diagnostics/failure.hpp"
#include "warpline/hardware/gpu_spec.hpp"
#include "warpline/workload/attention.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpline {

/// The fields of a record as they were written: column and text, in the order of the header.
using RowColumns = std::vector<std::pair<std::string, std::string>>;

/// One measurement. At least one of time, rate and active cycles is known; where a time and a rate
/// are, the time wins.
struct MeasuredRow {
    SourceLocation where;
    std::string source;
    std::string gpu;
    std::optional<ClockHz> clock;  ///< sampled or fixed
    std::string clock_evidence;
    std::string kernel;  ///< id of a pipeline file, or a family such as "fa4"
    std::string version, built;
    AttentionProblem problem;
    std::optional<double> time_ms, time_min_ms;
    std::optional<double> tflops;              ///< by the convention of counted_flops()
    std::optional<double> mean_active_cycles;  ///< mean over SMs of cycles with a resident warp
    std::optional<double> tensor_cycles;       ///< tensor pipe active, per SM
    std::optional<double> fma_cycles;  ///< FMA pipe active, per SM, both of its halves counted
    std::optional<double> xu_warp_instructions;  ///< per SM
    std::string note;
    RowColumns columns;  ///< as read

    /// Whether the clock was read from the driver while the row was measured: its evidence begins
    /// with "sampled".
    [[nodiscard]] bool clock_is_sampled() const {
        return clock.has_value() && clock_evidence.rfind("sampled", 0) == 0;
    }
    /// Whether the clock was set or stated, not measured: its evidence begins with "stated", "set"
    /// or "locked". The power limit may have held the SMs below it.
    [[nodiscard]] bool clock_is_ceiling() const;
};

/// A row that cannot be compared, and why.
struct UnusableRow {
    SourceLocation where;
    std::string row;  ///< what is known of it, in a few words
    std::string reason;
    RowColumns columns;  ///< as far as they could be read
};

struct MeasuredTable {
    std::vector<MeasuredRow> rows;
    std::vector<UnusableRow> unusable;
};

/// Every column of the schema.
[[nodiscard]] std::vector<std::string> measured_columns();

/// Adds a row given by its columns (names of the schema), or lists it with the reason why it cannot
/// be used.
void add_measured_row(MeasuredTable& table, RowColumns columns, const SourceLocation& where);

/// Reads a table in the schema of validate/measured/README.md. Errors (input): not CSV, a header
/// with an unknown, repeated or missing column. A bad row is listed, not an error.
[[nodiscard]] Result<MeasuredTable> parse_measured(std::string_view text,
                                                   const std::string& file_name);

/// Reads and parses a file; one that cannot be read is an input error.
[[nodiscard]] Result<MeasuredTable> read_measured(const std::filesystem::path& path);

}  // namespace warpline
