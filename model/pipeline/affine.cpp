#include "warpline/pipeline/affine.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::int64_t largest_whole = std::int64_t{1} << 53;

/// The origin and the unit points determine a linear form; the others must agree with it. They
/// include neighbours of the origin, where min() and max() bend, coprime values against % and
/// floor(), and the largest tile.
constexpr std::array<std::array<double, 3>, 20> probes = {
    {{0, 0, 0},      {1, 0, 0},     {0, 1, 0},         {0, 0, 1},  {2, 0, 0},
     {3, 1, 0},      {5, 2, 1},     {17, 3, 2},        {64, 1, 1}, {1000, 7, 13},
     {8191, 64, 17}, {1, 1, 1},     {4, 1, 0},         {7, 0, 5},  {6, 2, 0},
     {97, 89, 0},    {101, 0, 103}, {30011, 211, 307}, {2, 2, 2},  {2147483647, 5, 3}}};

/// One after the other.
const std::vector<double>& probed_values() {
    static const std::vector<double> values = [] {
        std::vector<double> all;
        for (const auto& probe : probes) {
            all.insert(all.end(), probe.begin(), probe.end());
        }
        return all;
    }();
    return values;
}

bool is_whole(double value) {
    return std::abs(value) <= 9.0e15 && std::abs(value - std::round(value)) <= 1e-9;
}

tl::unexpected<ExpressionError> value_error(std::string message, std::string hint) {
    return tl::unexpected(
        ExpressionError{0, std::move(message), std::move(hint), /*of_value=*/true});
}

}  // namespace

const std::vector<std::string>& tile_names() {
    static const std::vector<std::string> names = {"blocks", "masked_first", "masked_last"};
    return names;
}

bool is_constant(const Affine& affine) {
    return affine.blocks == 0 && affine.masked_first == 0 && affine.masked_last == 0;
}

Evaluated<Affine> evaluate_affine(Evaluator& evaluator, std::string_view text) {
    if (!evaluator.mentions(text, tile_names())) {
        const auto value = evaluator.number(text);
        if (!value) {
            return tl::unexpected(value.error());
        }
        if (!is_whole(*value) && std::floor(*value) == *value && std::isfinite(*value)) {
            // Larger than counts can be: whoever reads it says what the limit is.
            return Affine{*value > 0.0 ? largest_whole : -largest_whole};
        }
        if (!is_whole(*value)) {
            return value_error(fmt::format("must be a whole number, is {}", *value),
                               "use ceil() or floor()");
        }
        return Affine{std::llround(*value)};
    }
    const auto table = evaluator.tabulate(text, tile_names(), probed_values());
    if (!table) {
        return tl::unexpected(table.error());
    }
    const std::vector<double>& at = *table;
    const double coefficients[] = {at[0], at[1] - at[0], at[2] - at[0], at[3] - at[0]};
    for (std::size_t i = 4; i < at.size(); ++i) {
        const auto& point = probes[i];
        const double expected = coefficients[0] + coefficients[1] * point[0] +
                                coefficients[2] * point[1] + coefficients[3] * point[2];
        if (std::abs(expected - at[i]) > 1e-9 * std::max(1.0, std::abs(expected))) {
            return value_error(
                "must be linear in blocks, masked_first and masked_last",
                fmt::format("with blocks = {}, masked_first = {}, masked_last = {} it is {}, and a "
                            "linear form would be {}",
                            point[0], point[1], point[2], at[i], expected));
        }
    }
    for (const double coefficient : coefficients) {
        if (!is_whole(coefficient)) {
            return value_error(fmt::format("must have whole coefficients, one is {}", coefficient),
                               {});
        }
    }
    return Affine{std::llround(coefficients[0]), std::llround(coefficients[1]),
                  std::llround(coefficients[2]), std::llround(coefficients[3])};
}

}  // namespace warpline
