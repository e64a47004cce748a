// Numbers and words in what other tools print.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpline {

/// Words between blanks.
[[nodiscard]] std::vector<std::string> words_of(std::string_view line);

/// All of `text` as a number; thousands may be grouped by commas ("1,234.5").
[[nodiscard]] std::optional<double> grouped_number(std::string_view text);

/// Milliseconds in one `unit`: "ns", "us", "ms", "s" and the spellings of profilers ("nsecond",
/// "second"). Nothing for any other unit.
[[nodiscard]] std::optional<double> milliseconds_in(std::string_view unit);

/// The value behind `key` and an equals sign, blanks around it allowed, up to a comma or blank:
/// "128" of "headdim = 128, causal". Empty when it is not there.
[[nodiscard]] std::string value_behind(std::string_view line, std::string_view key);

/// Lines of `text` without their ends.
[[nodiscard]] std::vector<std::string_view> lines_of(std::string_view text);

/// A number as text that reads back as the same.
[[nodiscard]] std::string exact_text(double value);

/// The family that a benchmark's name of a backend means ("Fav3" is fa3), or an empty text.
[[nodiscard]] std::string family_of_backend(std::string_view name);

}  // namespace warpline
