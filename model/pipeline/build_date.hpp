// When a kernel was built: kernels change, and a measurement knows the day or the month at best.
#pragma once

#include <optional>
#include <string_view>

namespace warpline {

/// A day, ordered.
struct BuildDate {
    int year = 0, month = 0, day = 0;

    /// yyyymmdd, to compare with.
    [[nodiscard]] int number() const { return (year * 100 + month) * 100 + day; }
};

/// "2026-03-16", or "2026-03", which stands for the middle of the month. Nothing else is a date.
[[nodiscard]] std::optional<BuildDate> parse_build_date(std::string_view text);

}  // namespace warpline
