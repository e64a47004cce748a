// Which rows of the microbenchmarks give which constant of a specification.
#pragma once

#include "warpline/validate/micro_readings.hpp"

#include <map>
#include <string>
#include <vector>

namespace warpline {

/// What is known already where rows do not determine a constant alone: numbers of the
/// architecture's file by key, in the units of the schema.
using KnownNumbers = std::map<std::string, double>;

struct DraftRule {
    std::string key;
    MaybeReading reading;
};

/// Constants of the machine; a rule without its rows has no reading.
[[nodiscard]] std::vector<DraftRule> machine_rules(const Readings& rows, const KnownNumbers& known);
/// Rates and latencies of instructions.
[[nodiscard]] std::vector<DraftRule> instruction_rules(const Readings& rows);

}  // namespace warpline
