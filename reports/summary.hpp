// A prediction for a person at a terminal.
#pragma once

#include "warpline/device/prediction.hpp"
#include "warpline/reports/text.hpp"
#include "warpline/validate/compare.hpp"

#include <string>
#include <vector>

namespace warpline {

/// One line: time, rate (of several kernels also the executed one), utilization and clock, without
/// a line break.
[[nodiscard]] std::string headline(const Prediction& prediction);

/// The whole answer in at most 100 columns: headline, where the peak goes, the three answers and
/// what to blame for their gaps, units, critical cycle, stalls, waves, budgets, assumptions and
/// provenance, and the measured rows `nearest` to it with the model's error on them. Of several
/// kernels, what each takes, and for each the three answers and units. Sections without content are
/// left out.
[[nodiscard]] std::string summary_text(const Prediction& prediction, const Style& style = {},
                                       const std::vector<ComparedRow>& nearest = {});

}  // namespace warpline
