// compare --timeline FILE: what the roles of a real kernel did when, against the simulated ones.
#pragma once

#include "cli/session.hpp"
#include "warpline/hardware/gpu_spec.hpp"
#include "warpline/pipeline/load_plan.hpp"
#include "warpline/reports/timeline_report.hpp"

#include <string>
#include <vector>

namespace warpline::cli {

/// The kernel that a timeline was measured of.
struct TimelineKernel {
    GpuSpec spec;
    PipelineSource source;
    std::vector<ParameterOverride> parameters;  ///< what it was compiled with, and `set`
    KernelPlan plan;
};
/// `set` holds the --set arguments, which have the last word over what the kernel was compiled
/// with. Errors: those of the loaders.
[[nodiscard]] Result<TimelineKernel> timeline_kernel(const Request& request,
                                                     const Timeline& timeline,
                                                     const std::vector<std::string>& set);

/// Reads the timeline and simulates its tile; `set` holds the --set arguments. Errors: those of the
/// readers, loaders and the engine.
[[nodiscard]] Result<TimelineComparison> compare_timeline(const Request& request,
                                                          const std::string& file,
                                                          const std::vector<std::string>& set);

}  // namespace warpline::cli
