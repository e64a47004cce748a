// What the roles of a real kernel did when: the in-kernel timeline, as read from its table.
#pragma once

#include "warpline/diagnostics/failure.hpp"
#include "warpline/pipeline/load_plan.hpp"
#include "warpline/workload/attention.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpline {

/// One execution of a step by a role. Cycles of the SM.
struct Span {
    std::string role;  ///< "load", "consumer[0]"
    std::string step;  ///< "QK": the label of a statement, up to ": "
    std::int64_t tile = 0;
    std::int64_t block = 0;  ///< orders the executions of one tile
    double begin = 0.0;
    std::optional<double> issued{};  ///< asynchronous work: handed over
    std::optional<double> end{};     ///< done, or found complete
};

struct Timeline {
    std::string gpu;     ///< id of a file in hw_specs
    std::string kernel;  ///< id of a pipeline file
    AttentionProblem problem;
    std::vector<ParameterOverride> parameters;  ///< what the kernel was compiled with
    std::vector<std::string> notes;
    /// Cycles of a whole launch without stamps and with them, where both were measured.
    std::optional<double> plain_cycles{}, stamped_cycles{};
    std::vector<Span> spans;  ///< of one CTA
};

/// Reads a table in the schema of validate/measured/README.md; of several CTAs, the first. Errors
/// (input): an unknown, missing or repeated key or column, an entry that is not a number, a step
/// that ends without having begun.
[[nodiscard]] Result<Timeline> parse_timeline(std::string_view text, const std::string& file_name);

/// Reads and parses a file; one that cannot be read is an input error.
[[nodiscard]] Result<Timeline> read_timeline(const std::filesystem::path& path);

}  // namespace warpline
