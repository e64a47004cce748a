// The number formats that tensor cores read.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace warpline {

enum class Precision : std::uint8_t { fp32, bf16, fp16, e4m3 };

/// "fp32", "bf16", "fp16", "fp8" (e4m3).
[[nodiscard]] std::string_view precision_name(Precision precision);
[[nodiscard]] std::optional<Precision> precision_from_name(std::string_view name);

}  // namespace warpline
