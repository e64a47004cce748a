// Rounding to the number formats that tensor cores read.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <Eigen/Core>

namespace warpline {

enum class Precision : std::uint8_t { fp32, bf16, fp16, e4m3 };

/// "fp32", "bf16", "fp16", "fp8" (e4m3).
[[nodiscard]] std::string_view precision_name(Precision precision);
[[nodiscard]] std::optional<Precision> precision_from_name(std::string_view name);

/// The nearest number of the format, ties to even; subnormal numbers are kept, and what is too
/// large becomes the largest finite number, as saturating conversions do.
[[nodiscard]] Eigen::ArrayXXf rounded_to(Precision precision,
                                         const Eigen::Ref<const Eigen::ArrayXXf>& values);

}  // namespace warpline
