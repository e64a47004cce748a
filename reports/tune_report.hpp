// The best choice of parameters, for a person at a terminal.
#pragma once

#include "warpline/explore/tune.hpp"
#include "warpline/reports/text.hpp"

#include <string>

namespace warpline {

/// Optimum, runner-up, what it gains, how flat it is along every axis, and whether it is proved.
[[nodiscard]] std::string tune_text(const Tuning& tuning, const Style& style = {});

}  // namespace warpline
