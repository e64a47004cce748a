// JSON that the project wrote, for tests to look into.
#pragma once

#include <iosfwd>
#include <string>

#include <nlohmann/json.hpp>

namespace warpline::test {

/// As nlohmann::json::parse(), which every file that calls it compiles anew, at length.
[[nodiscard]] nlohmann::json parse_json(const std::string& text);
[[nodiscard]] nlohmann::json parse_json(std::istream& text);

}  // namespace warpline::test
