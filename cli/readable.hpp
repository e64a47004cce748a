// What a list of a data folder shows when a file in it is broken: all else.
#pragma once

#include "warpline/diagnostics/failure.hpp"
#include "warpline/explore/data_files.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warpline::cli {

/// Collects what a list lacks, and why.
class LeftOut {
  public:
    /// `what`: "GPU b200".
    void add(const std::string& what, const Failure& why);
    /// All that was added: first which, then each problem once, as a file that many inherit is
    /// broken for all of them. Nothing when there was none.
    [[nodiscard]] std::optional<Failure> failure() const;

  private:
    std::vector<std::string> names_;
    std::vector<Diagnostic> problems_;
};

/// Every GPU of the data folder whose specification can be read; the others go to `left_out`.
[[nodiscard]] std::vector<GpuSpec> readable_specs(DataFiles& files, LeftOut& left_out);

}  // namespace warpline::cli
