// Before and after a change, for a person at a terminal.
#pragma once

#include "warpline/explore/whatif.hpp"
#include "warpline/reports/text.hpp"

#include <string>

namespace warpline {

/// A verdict in one line; one line a shape with both times, the speed-up and the bounds; how busy
/// each unit is before and after; and, for two GPUs, what each difference does alone. At most 100
/// columns.
[[nodiscard]] std::string whatif_text(const WhatIf& whatif, const Style& style = {});

}  // namespace warpline
