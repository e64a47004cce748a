// Conditional rescaling: how often, and how accurate.
#pragma once

#include "warpline/numerics/rescale_study.hpp"
#include "warpline/reports/text.hpp"

#include <string>
#include <vector>

namespace warpline {

/// One line a threshold: the share of warps that rescale, at some steps and on the mean, and the
/// error of each precision. At most 100 columns.
[[nodiscard]] std::string rescale_text(const RescaleOptions& options,
                                       const std::vector<RescaleRow>& rows,
                                       const Style& style = {});

/// One line a threshold under a header, all steps.
[[nodiscard]] std::string rescale_csv(const RescaleOptions& options,
                                      const std::vector<RescaleRow>& rows);

}  // namespace warpline
