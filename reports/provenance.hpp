// What a page's footer says of where its numbers come from.
#pragma once

#include "warpline/device/prediction.hpp"

#include <string>
#include <vector>

namespace warpline {

/// How work is counted, in a sentence.
[[nodiscard]] std::string flop_convention();

/// The clock with its range and origin; the versions of program, constants and pipeline.
[[nodiscard]] std::vector<std::string> provenance_lines(const Prediction& prediction,
                                                        const std::string& version);

/// Adds the lines that `lines` does not have.
void add_new_lines(std::vector<std::string>& lines, std::vector<std::string> more);

}  // namespace warpline
