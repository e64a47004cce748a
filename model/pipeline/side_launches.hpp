// The `launches` section of a pipeline file.
#pragma once

#include "warpline/pipeline/load_plan.hpp"
#include "warpline/pipeline/side_launch.hpp"
#include "warpline/pipeline/values.hpp"

#include <vector>

namespace warpline {

/// In file order, without those whose `when` is 0. Errors go to the reader's problems.
[[nodiscard]] std::vector<SideLaunch> read_side_launches(const YamlNode* section,
                                                         ValueReader& reader);

/// The launches of a pipeline file for a GPU and problem. Errors: those of make_plan() that concern
/// parameters and the section itself.
[[nodiscard]] Result<std::vector<SideLaunch>> side_launches(
    const PipelineSource& source, const GpuSpec& spec, const AttentionProblem& problem,
    const std::vector<ParameterOverride>& overrides = {});

}  // namespace warpline
