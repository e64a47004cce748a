// The page of a what-if: shapes before and after a change, or on two GPUs.
#pragma once

#include "warpline/explore/whatif.hpp"
#include "warpline/reports/report_page.hpp"

#include <optional>
#include <string>

namespace warpline {

/// Rates of both sides, shape by shape; what each difference of two GPUs does alone; how busy units
/// are on both sides; shapes without an answer, with the reason. `command` is the command line that
/// asked.
[[nodiscard]] ReportPage whatif_page(const WhatIf& whatif, const std::string& version,
                                     const std::string& command);

/// What each difference of the two GPUs does alone, on the mean over the rows.
struct EffectsPart {
    ReportSection section;
    ReportTable table;
    std::string data;  ///< value of the page's "whatif", JSON without `<`
};
/// Nothing where there is no difference.
[[nodiscard]] std::optional<EffectsPart> effects_part(const WhatIf& whatif);

}  // namespace warpline
