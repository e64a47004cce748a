// Results of the microbenchmarks -> a specification of the GPU they ran on.
#pragma once

#include "warpline/validate/micro_rows.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace warpline {

/// A number of a specification, from one row or computed from several.
struct DraftedConstant {
    std::string key;  ///< of the schema: "smem.width", "mufu.ex2.rate"
    double value = 0.0;
    double spread = 0.0;
    std::string unit;
    std::string rows;  ///< which rows, and how they were combined
};

/// Every constant of the schema that `rows` give a value for, in the order of the schema, then
/// instructions by name. `data_dir` holds hw_specs; the architecture is that of the table's
/// compute_capability. Errors (input): no such row, no architecture file for it.
[[nodiscard]] Result<std::vector<DraftedConstant>> draft_constants(
    const std::vector<MicroRow>& rows, const std::filesystem::path& data_dir);

/// The text of a specification file that load_gpu_spec() accepts: what was measured over what the
/// architecture's file says, and constants that no microbenchmark gives as unknown, with what is
/// assumed. `table` names the table as the source. Errors: those above; (input) rows are missing
/// without which nothing can be assumed, all of them named.
[[nodiscard]] Result<std::string> draft_spec(const std::vector<MicroRow>& rows,
                                             const std::string& table,
                                             const std::filesystem::path& data_dir);

}  // namespace warpline
