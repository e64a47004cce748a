// Units as people write them: "B/clk", "KiB", "MHz", "TB/s", "/clk".
#pragma once

#include "warpline/diagnostics/failure.hpp"
#include "warpline/units/dimension.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace warpline {

/// A parsed unit. GB is 1e9 bytes, GiB is 2^30.
struct MeasurementUnit {
    std::string text;  ///< canonical spelling: no spaces, singular
    double scale = 1;  ///< base units in one of this unit
    Dimension dimension;
};

/// Parses "NUMERATOR", "NUMERATOR/DENOMINATOR" or "/DENOMINATOR". Case counts (MB is not Mb);
/// nouns may be plural. Errors (input): empty, or a name that is not known, with the nearest one.
[[nodiscard]] Result<MeasurementUnit> parse_unit(std::string_view text);

/// Every name a unit can be made of, singular, e.g. "KiB", "clk", "SM".
[[nodiscard]] const std::vector<std::string>& unit_symbols();

/// The dimension in words made of base units, for error messages: "B/clk", "clk", "a plain number".
[[nodiscard]] std::string dimension_text(const Dimension& dimension);

}  // namespace warpline
