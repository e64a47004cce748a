// What the behaviour of an SM depends on, as bytes: equal bytes, equal schedules.
#pragma once

#include "warpline/engine/engine.hpp"
#include "warpline/pipeline/kernel_plan.hpp"

#include <string>

namespace warpline {

/// Everything of a plan and the options that the engine and the bounds read: programs, barriers,
/// rings, timings and names, but not the problem's shape, budgets or parameters. What else they
/// read is the memory environment. Not meant to be read back.
[[nodiscard]] std::string machine_content(const KernelPlan& plan, const EngineOptions& options);

}  // namespace warpline
