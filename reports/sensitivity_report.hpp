// Which numbers matter, for a person at a terminal.
#pragma once

#include "warpline/explore/sensitivity.hpp"
#include "warpline/explore/uncertainty.hpp"
#include "warpline/reports/text.hpp"

#include <string>

namespace warpline {

/// Every number with an effect, largest first; then, in words, those without and those that could
/// not be moved. At most 100 columns.
[[nodiscard]] std::string sensitivity_text(const Sensitivity& found, const Style& style = {});

/// One line a number under a header, those without effect included.
[[nodiscard]] std::string sensitivity_csv(const Sensitivity& found);

/// The band of a prediction and the constants that make it.
[[nodiscard]] std::string uncertainty_text(const Uncertainty& found, const Style& style = {});

}  // namespace warpline
