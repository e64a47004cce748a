// As much of JSON Schema as the project's own schemas use.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace warpline::test {

/// Every violation as "path: what". Knows type, enum, minimum, maximum, pattern, required,
/// properties, additionalProperties and items; any other keyword that constrains is itself a
/// violation, so that a schema cannot say more than is checked.
[[nodiscard]] std::vector<std::string> schema_violations(const nlohmann::json& schema,
                                                         const nlohmann::json& value,
                                                         const std::string& path = "$");

}  // namespace warpline::test
