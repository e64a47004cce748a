// The report of one prediction, of two beside each other, or of a comparison.
#pragma once

#include "warpline/explore/whatif.hpp"
#include "warpline/reports/report_page.hpp"
#include "warpline/reports/report_subject.hpp"
#include "warpline/validate/compare.hpp"

#include <string>
#include <vector>

namespace warpline {

/// `command` is the command line that asked. At least one subject; the first is the one that others
/// are beside. Where `whatif` is given, the page says what each difference of its GPUs brings.
[[nodiscard]] ReportPage subject_page(const std::vector<ReportSubject>& subjects,
                                      const std::string& command, const WhatIf* whatif = nullptr);

[[nodiscard]] ReportPage comparison_page(const Comparison& comparison, const std::string& version,
                                         const std::string& command);

}  // namespace warpline
