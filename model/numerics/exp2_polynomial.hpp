// 2^x as attention kernels compute it beside the exponential unit: by a polynomial, in float.
#pragma once

#include <vector>

#include <Eigen/Core>

namespace warpline {

/// Coefficients c0 ... cn of 2^f for f in [0, 1), c0 = 1. Degrees 1 to 4: those of FlashAttention
/// (flash_attn/cute/utils.py, POLY_EX2); 5: the minimax of the relative error with c0 = 1, rounded
/// to float. Precondition: 1 <= degree <= 5.
[[nodiscard]] const std::vector<float>& exp2_coefficients(int degree);

/// 2^x of every element. x is clamped to at least -127 and split into its floor and the fraction
/// above it; the polynomial of the fraction is evaluated by Horner's rule and the floor added to
/// its exponent, as kernels do. Degree 0: the library's exp2, which stands for the exponential
/// unit. Precondition: x < 128.
[[nodiscard]] Eigen::ArrayXXf exp2_of(const Eigen::Ref<const Eigen::ArrayXXf>& x, int degree);

}  // namespace warpline
