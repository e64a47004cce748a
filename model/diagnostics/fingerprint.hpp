// A short name for a text, so that two results can be seen to come from the same inputs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warpline {

/// 64-bit FNV-1a of a text that comes in pieces. The same on every machine; not cryptographic.
class Fingerprint {
  public:
    void add(std::string_view piece);
    /// 16 hex digits.
    [[nodiscard]] std::string text() const;

  private:
    std::uint64_t hash_ = 0xcbf29ce484222325U;
};

/// That of a whole text.
[[nodiscard]] std::string fingerprint(std::string_view text);

}  // namespace warpline
