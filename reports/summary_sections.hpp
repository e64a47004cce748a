// The sections of the terminal summary below its headline. Each is empty, or ends in a line break.
#pragma once

#include "warpline/device/prediction.hpp"
#include "warpline/reports/text.hpp"
#include "warpline/validate/compare.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace warpline {

inline constexpr std::size_t summary_width = 100;  ///< columns

/// Where several kernels run one after the other: the time, share and rates of each, and of the
/// launches beside them. Empty with one kernel.
[[nodiscard]] std::string kernel_section(const Prediction& prediction, const Style& style);
/// Busy share, demand and rate limit of every unit that has work.
[[nodiscard]] std::string unit_section(const Prediction& prediction, const Style& style);
/// The recurrence bound's critical cycle, in words.
[[nodiscard]] std::string cycle_section(const Prediction& prediction, const Style& style);
/// What each role waits for.
[[nodiscard]] std::string stall_section(const Prediction& prediction, const Style& style);
/// Tiles over the GPU, and memory traffic.
[[nodiscard]] std::string wave_section(const Prediction& prediction, const Style& style);
/// What the board draws; empty unless the prediction was held to its power limit.
[[nodiscard]] std::string power_section(const Prediction& prediction, const Style& style);
[[nodiscard]] std::string budget_section(const Prediction& prediction, const Style& style);
/// Measured rows and the model's error on each.
[[nodiscard]] std::string nearest_section(const std::vector<ComparedRow>& rows, const Style& style);
[[nodiscard]] std::string assumption_section(const Prediction& prediction, const Style& style);
/// Version, hashes and files.
[[nodiscard]] std::string provenance_section(const Prediction& prediction, const Style& style);

}  // namespace warpline
