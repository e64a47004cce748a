// A short name for a text, so that two results can be seen to come from the same inputs.
#pragma once

#include <string>
#include <string_view>

namespace warpline {

/// 64-bit FNV-1a of `text` as 16 hex digits. The same on every machine; not cryptographic.
[[nodiscard]] std::string fingerprint(std::string_view text);

}  // namespace warpline
