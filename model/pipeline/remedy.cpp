#include "warpline/pipeline/remedy.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr int most_candidates = 256;

std::optional<double> largest_that_fits(const Parameter& parameter,
                                        std::vector<ParameterOverride> overrides,
                                        const FitsWith& fits) {
    const double step = parameter.multiple_of.value_or(1.0);
    const double least = std::max(parameter.at_least.value_or(step), step);
    if (parameter.value != std::floor(parameter.value) || parameter.value <= least) {
        return std::nullopt;
    }
    overrides.push_back({parameter.name, {}});
    const auto fits_at = [&](double value) {
        overrides.back().expression = fmt::format("{}", value);
        return fits(overrides);
    };
    // Most parameters have nothing to do with what is over: when even the least value does not
    // help, none will.
    const double lowest = std::ceil(least / step) * step;
    if (!fits_at(lowest)) {
        return std::nullopt;
    }
    double value = (std::ceil(parameter.value / step) - 1.0) * step;
    for (int tried = 0; tried < most_candidates && value > lowest; ++tried, value -= step) {
        if (fits_at(value)) {
            return value;
        }
    }
    return lowest;
}

}  // namespace

std::string find_remedy(const std::vector<Parameter>& parameters,
                        const std::vector<ParameterOverride>& overrides, const FitsWith& fits) {
    std::vector<std::string> found;
    for (const Parameter& parameter : parameters) {
        if (!parameter.tunable) {
            continue;
        }
        if (const auto value = largest_that_fits(parameter, overrides, fits)) {
            found.push_back(fmt::format("{} = {}", parameter.name, *value));
        }
    }
    return found.empty() ? std::string{} : fmt::format("fits with {}", fmt::join(found, ", or "));
}

}  // namespace warpline
