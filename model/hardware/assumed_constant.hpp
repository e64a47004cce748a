// Constants that no source has: marked in their text, with a value that is assumed.
#pragma once

#include "warpline/hardware/gpu_spec.hpp"

#include <string>
#include <string_view>

namespace warpline {

/// The text of an unknown constant for which `assumed` is used: "unknown: 148 SMs assumed".
[[nodiscard]] inline std::string unknown_text(std::string_view assumed) {
    return "unknown: " + std::string(assumed) + " assumed";
}

/// Whether the value of `constant` is an assumption, because no source has it.
[[nodiscard]] inline bool is_unknown(const Constant& constant) {
    constexpr std::string_view start = "unknown: ";
    return constant.text.compare(0, start.size(), start) == 0;
}

}  // namespace warpline
