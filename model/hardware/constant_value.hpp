// The text of one constant ("16 /clk", "true", "9x16 + 1x4 SM") -> what the model stores.
#pragma once

#include "warpline/diagnostics/failure.hpp"
#include "warpline/units/clock.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpline {

enum class ConstantForm : std::uint8_t {
    quantity,  ///< a number with a unit
    clock,     ///< an exact clock
    flag,      ///< true or false
    word,      ///< one of a few words
    gpc_list,  ///< SMs of each GPC: "9x16 + 1x4 SM", or "unknown"
};

/// What texts a constant accepts.
struct ConstantRule {
    ConstantForm form = ConstantForm::quantity;
    std::string unit;                ///< in which its value is kept and printed
    double at_least = 0.0;           ///< in that unit
    bool above = false;              ///< `at_least` itself is refused
    double at_most = 1e6;            ///< in that unit; beyond it is a slip of the pen
    bool whole = false;              ///< no fractions
    std::vector<std::string> words;  ///< of a word
};

struct ConstantValue {
    double number = 0.0;              ///< in the rule's unit; a flag is 0 or 1, a word its index
    std::optional<double> low, high;  ///< of the interval, in that unit
    ClockHz clock, clock_low, clock_high;  ///< of a clock; the interval defaults to the value
    std::vector<int> counts;               ///< of a gpc_list
};

/// Errors (input) say what is wrong with the text; the caller knows where it stands.
[[nodiscard]] Result<ConstantValue> parse_constant(const ConstantRule& rule, std::string_view text);

/// Adds the interval "LOW .. HIGH UNIT" to `value`. Errors (input): not of that form, of another
/// dimension, outside the rule's limits, or not around the value.
[[nodiscard]] Result<ConstantValue> add_interval(const ConstantRule& rule, ConstantValue value,
                                                 std::string_view text);

}  // namespace warpline
