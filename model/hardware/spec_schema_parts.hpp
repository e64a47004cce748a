// The pieces spec_schema.cpp puts together; for the files of the schema only.
#pragma once

#include "warpline/hardware/spec_schema.hpp"

#include <string>
#include <vector>

namespace warpline {

[[nodiscard]] std::vector<SpecKey> machine_keys();
[[nodiscard]] std::vector<SpecKey> memory_keys();
[[nodiscard]] std::vector<SpecKey> sync_keys();
[[nodiscard]] std::vector<SpecKey> mma_keys();

/// Rules for numbers in `unit`; `at_most` is a bound on typing errors, not on hardware.
[[nodiscard]] ConstantRule positive(std::string unit, double at_most);
[[nodiscard]] ConstantRule not_negative(std::string unit, double at_most);
[[nodiscard]] ConstantRule count_of(std::string unit, double at_most);
[[nodiscard]] ConstantRule clock_rule();
[[nodiscard]] ConstantRule flag_rule();
[[nodiscard]] ConstantRule word_rule(std::vector<std::string> words);

}  // namespace warpline
