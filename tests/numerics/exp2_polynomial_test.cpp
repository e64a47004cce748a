#include "warpline/numerics/exp2_polynomial.hpp"

#include "warpline/numerics/rounding.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

struct RelativeErrors {
    double largest = 0.0, mean = 0.0;
};

/// Over 4 million evenly spread floats in [0, 1), as many as the paper's random ones.
RelativeErrors errors_in_unit_interval(int degree, Precision precision) {
    constexpr Eigen::Index columns = 4096, rows = 1024;
    RelativeErrors out;
    for (Eigen::Index column = 0; column < columns; ++column) {
        Eigen::ArrayXXf x(rows, 1);
        for (Eigen::Index row = 0; row < rows; ++row) {
            x(row, 0) = static_cast<float>(column * rows + row) / (columns * rows);
        }
        const Eigen::ArrayXXf y = rounded_to(precision, exp2_of(x, degree));
        for (Eigen::Index row = 0; row < rows; ++row) {
            const double exact = std::exp2(static_cast<double>(x(row, 0)));
            const double error = std::abs(static_cast<double>(y(row, 0)) / exact - 1.0);
            out.largest = std::max(out.largest, error);
            out.mean += error / static_cast<double>(columns * rows);
        }
    }
    return out;
}

}  // namespace

TEST_CASE("the published accuracy of polynomial exponentials is reproduced") {
    // FlashAttention-4 paper (arXiv:2603.05451), table 2. Two-sided: neither worse nor better.
    struct Row {
        int degree;
        double largest, mean, bf16_largest;
    };
    for (const Row& row : {Row{3, 8.77e-5, 5.43e-5, 3.90e-3}, Row{4, 3.05e-6, 1.84e-6, 3.89e-3}}) {
        CAPTURE(row.degree);
        const RelativeErrors found = errors_in_unit_interval(row.degree, Precision::fp32);
        CHECK(found.largest == doctest::Approx(row.largest).epsilon(0.02));
        CHECK(found.mean == doctest::Approx(row.mean).epsilon(0.02));
        const RelativeErrors rounded = errors_in_unit_interval(row.degree, Precision::bf16);
        CHECK(rounded.largest == doctest::Approx(row.bf16_largest).epsilon(0.005));
        CHECK(rounded.mean == doctest::Approx(1.41e-3).epsilon(0.01));
    }
    // The paper's degree-5 coefficients are not published; a minimax polynomial does about as well.
    const RelativeErrors fifth = errors_in_unit_interval(5, Precision::fp32);
    CHECK(fifth.largest < 2.2e-7);
    CHECK(fifth.largest > 0.9e-7);
    const RelativeErrors exact = errors_in_unit_interval(0, Precision::bf16);
    CHECK(exact.largest == doctest::Approx(3.89e-3).epsilon(0.005));
    CHECK(exact.mean == doctest::Approx(1.41e-3).epsilon(0.01));
}

TEST_CASE("the exponent is right at every magnitude") {
    for (int degree = 1; degree <= 5; ++degree) {
        Eigen::ArrayXXf whole(254, 1);
        for (int i = 0; i < 254; ++i) {
            whole(i, 0) = static_cast<float>(i - 126);
        }
        const Eigen::ArrayXXf y = exp2_of(whole, degree);
        for (int i = 0; i < 254; ++i) {
            CHECK(y(i, 0) == std::exp2(whole(i, 0)));
        }
    }
    Eigen::ArrayXXf low(3, 1);
    low << -127.0F, -1000.0F, -INFINITY;
    CHECK((exp2_of(low, 3) == 0.0F).all());
}

TEST_CASE("numbers are rounded as the formats have it") {
    Eigen::ArrayXXf x(8, 1);
    x << 1.0F, 1.00390625F, 1.01171875F, 70000.0F, 1e-9F, -500.0F, 0.0F, 17.0F;
    const Eigen::ArrayXXf bf16 = rounded_to(Precision::bf16, x);
    CHECK(bf16(1, 0) == 1.0F);       // a tie, to even
    CHECK(bf16(2, 0) == 1.015625F);  // a tie, to even
    const Eigen::ArrayXXf fp16 = rounded_to(Precision::fp16, x);
    CHECK(fp16(1, 0) == 1.00390625F);
    CHECK(fp16(3, 0) == 65504.0F);  // saturates
    CHECK(fp16(4, 0) == 0.0F);      // below half the smallest subnormal, 2^-24
    const Eigen::ArrayXXf fp8 = rounded_to(Precision::e4m3, x);
    CHECK(fp8(5, 0) == -448.0F);
    CHECK(fp8(6, 0) == 0.0F);
    CHECK(fp8(7, 0) == 16.0F);  // a tie, to even
    CHECK((rounded_to(Precision::fp32, x) == x).all());
    for (const char* const name : {"fp32", "bf16", "fp16", "fp8"}) {
        CHECK(precision_name(precision_from_name(name).value()) == name);
    }
    CHECK_FALSE(precision_from_name("int8"));
}
