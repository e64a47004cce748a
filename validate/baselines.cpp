#include "warpline/validate/baselines.hpp"

#include <cmath>
#include <cstddef>

namespace warpline {
namespace {

/// Sums over the rows that a fit may see, each row weighted by 1 / measured.
struct Sums {
    double one_one = 0.0, one_flops = 0.0, flops_flops = 0.0;  // of the affine model's columns
    double one = 0.0, flops = 0.0;                             // against the target
    double roofline_roofline = 0.0, roofline = 0.0;

    void add(const BaselineRow& row) {
        const double weight = 1.0 / row.measured;
        const double x = row.flops * weight;
        const double r = row.roofline * weight;
        one_one += weight * weight;
        one_flops += weight * x;
        flops_flops += x * x;
        one += weight;
        flops += x;
        roofline_roofline += r * r;
        roofline += r;
    }
};

[[nodiscard]] Sums sums_without(const std::vector<BaselineRow>& rows, const BaselineRow& left_out) {
    Sums sums;
    for (const BaselineRow& row : rows) {
        if (row.group == left_out.group && row.length != left_out.length) {
            sums.add(row);
        }
    }
    return sums;
}

[[nodiscard]] std::optional<double> efficiency_error(const Sums& sums, const BaselineRow& row) {
    if (sums.roofline_roofline <= 0.0) {
        return std::nullopt;
    }
    const double factor = sums.roofline / sums.roofline_roofline;  // 1 / efficiency
    return factor * row.roofline / row.measured - 1.0;
}

[[nodiscard]] std::optional<double> affine_error(const Sums& sums, const BaselineRow& row) {
    const double product = sums.one_one * sums.flops_flops;
    const double determinant = product - sums.one_flops * sums.one_flops;
    if (determinant <= 1e-9 * product) {  // one size only, or none
        return std::nullopt;
    }
    const double offset = (sums.flops_flops * sums.one - sums.one_flops * sums.flops) / determinant;
    const double slope = (sums.one_one * sums.flops - sums.one_flops * sums.one) / determinant;
    return (offset + slope * row.flops) / row.measured - 1.0;
}

}  // namespace

std::vector<BaselineErrors> baseline_errors(const std::vector<BaselineRow>& rows) {
    std::vector<BaselineErrors> out;
    out.reserve(rows.size());
    for (const BaselineRow& row : rows) {
        const Sums others = sums_without(rows, row);
        out.push_back({row.roofline / row.measured - 1.0, efficiency_error(others, row),
                       affine_error(others, row)});
    }
    return out;
}

}  // namespace warpline
