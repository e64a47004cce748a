// Rounding to the number formats that tensor cores read.
#pragma once

#include "warpline/numerics/precision.hpp"

#include <Eigen/Core>

namespace warpline {

/// The nearest number of the format, ties to even; subnormal numbers are kept, and what is too
/// large becomes the largest finite number, as saturating conversions do.
[[nodiscard]] Eigen::ArrayXXf rounded_to(Precision precision,
                                         const Eigen::Ref<const Eigen::ArrayXXf>& values);

}  // namespace warpline
