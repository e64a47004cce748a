// Mechanisms in words, for those who choose one to switch off.
#pragma once

#include "warpline/pipeline/mechanism.hpp"

#include <string_view>

namespace warpline {

/// What is left without it, as a clause: "TMEM ports take no time; latencies stay".
[[nodiscard]] std::string_view mechanism_meaning(Mechanism mechanism);

}  // namespace warpline
