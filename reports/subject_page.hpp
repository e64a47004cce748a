// The report of one prediction, of two beside each other, or of a comparison.
#pragma once

#include "warpline/reports/report_page.hpp"
#include "warpline/reports/report_subject.hpp"
#include "warpline/validate/compare.hpp"

#include <string>
#include <vector>

namespace warpline {

/// `command` is the command line that asked. At least one subject; the first is the one that others
/// are beside.
[[nodiscard]] ReportPage subject_page(const std::vector<ReportSubject>& subjects,
                                      const std::string& command);

[[nodiscard]] ReportPage comparison_page(const Comparison& comparison, const std::string& version,
                                         const std::string& command);

}  // namespace warpline
