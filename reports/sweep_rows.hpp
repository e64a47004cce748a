// Rows of a sweep as lines of CSV or JSON.
#pragma once

#include "warpline/explore/sweep.hpp"

#include <string>

namespace warpline {

enum class SweepFormat : std::uint8_t { csv, jsonl };

/// How rows of one study are written. Every row is one line, ends in a line break and names the
/// run that it belongs to, so that rows of different runs cannot be mixed up.
struct SweepWriter {
    SweepFormat format = SweepFormat::csv;
    std::string run;  ///< 16 hex digits

    /// The first line of a CSV file; empty for JSON.
    [[nodiscard]] std::string header(const Study& study) const;
    [[nodiscard]] std::string row(const SweepRow& row) const;
    /// What the line of this point begins with, and no other line does.
    [[nodiscard]] std::string beginning(std::int64_t index) const;
    /// Why `line`, without its line break, is not a row of this point of the study; empty: it is.
    [[nodiscard]] std::string problem(const Study& study, std::int64_t index,
                                      const std::string& line) const;
};

}  // namespace warpline
