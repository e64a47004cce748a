// The operand formats that a pipeline file takes.
#pragma once

#include "warpline/pipeline/declarations.hpp"
#include "warpline/workload/attention.hpp"

#include <string>
#include <vector>

namespace warpline {

/// Names under `dtypes`; without the key, every format that needs no scale factors. Reports unknown
/// ones to `input`.
[[nodiscard]] std::vector<std::string> operand_formats(const YamlNode& root, DiagnosticSink& input);

/// Reports a problem whose format the file does not take.
void check_operand_format(const YamlNode& root, const AttentionProblem& problem,
                          Problems& problems);

}  // namespace warpline
