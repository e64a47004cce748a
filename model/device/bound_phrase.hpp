// What limits a kernel, in a phrase.
#pragma once

#include "warpline/device/prediction.hpp"

#include <string>
#include <string_view>

namespace warpline {

/// "tensor core", "SMEM port", ...
[[nodiscard]] std::string_view unit_phrase(Unit unit);

/// From a filled prediction: the launch when it takes most of the time; too few tiles when most
/// slots stay empty; HBM when it needs longer than the SMs; else, of the steady step, the unit that
/// is always busy, the latency loop, or what warps queue for beyond it.
[[nodiscard]] std::string bound_phrase(const Prediction& prediction, double launch_seconds);

}  // namespace warpline
