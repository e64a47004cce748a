#include "warpline/numerics/rounding.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace warpline {
namespace {

struct Format {
    std::string_view name;
    int mantissa = 0;        ///< stored bits
    int least_exponent = 0;  ///< of normal numbers
    float largest = 0.0F;
};

constexpr std::array<Format, 4> formats = {{
    {"fp32", 23, -126, 3.4028234e38F},
    {"bf16", 7, -126, 3.3895314e38F},
    {"fp16", 10, -14, 65504.0F},
    {"fp8", 3, -6, 448.0F},
}};

const Format& format_of(Precision precision) {
    return formats.at(static_cast<std::size_t>(precision));
}

float rounded(float value, const Format& format) {
    if (value == 0.0F || !std::isfinite(value)) {
        return value;
    }
    int exponent = 0;
    std::frexp(value, &exponent);  // |value| = m * 2^exponent, m in [0.5, 1)
    const int spacing = std::max(exponent - 1, format.least_exponent) - format.mantissa;
    // In double: the spacing of fp32's subnormals is no float to divide by.
    const double unit = std::ldexp(1.0, spacing);
    const auto nearest =
        static_cast<float>(std::nearbyint(static_cast<double>(value) / unit) * unit);
    return std::min(std::max(nearest, -format.largest), format.largest);
}

}  // namespace

std::string_view precision_name(Precision precision) {
    return format_of(precision).name;
}

std::optional<Precision> precision_from_name(std::string_view name) {
    for (std::size_t i = 0; i < formats.size(); ++i) {
        if (formats.at(i).name == name) {
            return static_cast<Precision>(i);
        }
    }
    return std::nullopt;
}

Eigen::ArrayXXf rounded_to(Precision precision, const Eigen::Ref<const Eigen::ArrayXXf>& values) {
    if (precision == Precision::fp32) {
        return values;
    }
    const Format& format = format_of(precision);
    return values.unaryExpr([&format](float value) { return rounded(value, format); });
}

}  // namespace warpline
