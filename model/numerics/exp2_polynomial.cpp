#include "warpline/numerics/exp2_polynomial.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace warpline {
namespace {

constexpr float least = -127.0F;
constexpr int mantissa_bits = 23;

/// value * 2^whole by integer arithmetic on the exponent; below the normal numbers it is 0.
float scaled(float value, std::int32_t whole) {
    std::int32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    bits += whole * (std::int32_t{1} << mantissa_bits);
    float out = 0.0F;
    std::memcpy(&out, &bits, sizeof out);
    return bits < (std::int32_t{1} << mantissa_bits) ? 0.0F : out;
}

}  // namespace

const std::vector<float>& exp2_coefficients(int degree) {
    static const std::array<std::vector<float>, 5> all = {{
        {1.0F, 0.922497093677520751953125F},
        {1.0F, 0.6657850742340087890625F, 0.330107033252716064453125F},
        {1.0F, 0.695146143436431884765625F, 0.227564394474029541015625F,
         0.077119089663028717041015625F},
        {1.0F, 0.693042695522308349609375F, 0.2412912547588348388671875F,
         5.2225358784198760986328125e-2F, 1.3434938155114650726318359375e-2F},
        {1.0F, 0.6931512951850891F, 0.24016444385051727F, 0.05579991266131401F,
         0.009017030708491802F, 0.0018671300495043397F},
    }};
    return all.at(static_cast<std::size_t>(degree - 1));
}

Eigen::ArrayXXf exp2_of(const Eigen::Ref<const Eigen::ArrayXXf>& x, int degree) {
    if (degree == 0) {
        return x.unaryExpr([](float value) { return std::exp2(value); });
    }
    const Eigen::ArrayXXf clamped = x.max(least);
    const Eigen::ArrayXXf whole = clamped.floor();
    const Eigen::ArrayXXf fraction = clamped - whole;
    const std::vector<float>& c = exp2_coefficients(degree);
    Eigen::ArrayXXf value = Eigen::ArrayXXf::Constant(x.rows(), x.cols(), c.back());
    for (std::size_t i = c.size() - 1; i-- > 0;) {
        value = value * fraction + c[i];
    }
    return value.binaryExpr(whole, [](float mantissa, float exponent) {
        return scaled(mantissa, static_cast<std::int32_t>(exponent));
    });
}

}  // namespace warpline
