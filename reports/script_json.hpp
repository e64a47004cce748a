// JSON that can stand inside a script element.
#pragma once

#include <string>
#include <string_view>

namespace warpline {

/// The same JSON value without `<`, which occurs in strings only: nothing in it can end or open an
/// element.
[[nodiscard]] std::string script_json(std::string_view json);

}  // namespace warpline
