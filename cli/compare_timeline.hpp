// compare --timeline FILE: what the roles of a real kernel did when, against the simulated ones.
#pragma once

#include "cli/session.hpp"
#include "warpline/reports/timeline_report.hpp"

#include <string>
#include <vector>

namespace warpline::cli {

/// Reads the timeline and simulates its tile; `set` holds the --set arguments. Errors: those of the
/// readers, loaders and the engine.
[[nodiscard]] Result<TimelineComparison> compare_timeline(const Request& request,
                                                          const std::string& file,
                                                          const std::vector<std::string>& set);

}  // namespace warpline::cli
