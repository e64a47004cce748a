// Which numbers of a GPU a kernel needs and nobody knows.
#pragma once

#include "warpline/pipeline/kernel_plan.hpp"

#include <string>
#include <vector>

namespace warpline {

/// "sm_count of b100 is unknown: 148 SM assumed (why)", added to `list` when it is.
void append_if_unknown(const Constant& constant, const std::string& gpu,
                       std::vector<std::string>& list);

/// One such line for each unknown constant that predicting `plan`, whose MMAs take `path`, needs.
/// The clock is not among them: a prediction may be given one.
[[nodiscard]] std::vector<std::string> unknown_constants(const GpuSpec& spec,
                                                         const KernelPlan& plan, MmaPath path);

}  // namespace warpline
