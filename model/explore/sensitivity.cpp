#include "warpline/explore/sensitivity.hpp"

#include "warpline/explore/parallel.hpp"
#include "warpline/hardware/spec_schema.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr double least_step = 0.02, largest_step = 0.5;
/// How much better an ideal number is: the most that can be described. Rates end where an
/// instruction would take less than a sixteenth of a clock.
constexpr std::array<double, 5> removals = {1000.0, 256.0, 64.0, 16.0, 4.0};
constexpr double no_effect = 1e-12;  // relative: below what doubles of times tell apart
constexpr double kink = 0.1, least_kink = 0.002;

const SpecKey* rule_of(const std::string& key) {
    if (const SpecKey* const rule = find_spec_key(key)) {
        return rule;
    }
    for (const SpecKey& field : instruction_fields()) {
        const std::string suffix = "." + field.key;
        if (key.size() > suffix.size() &&
            key.compare(key.size() - suffix.size(), suffix.size(), suffix) == 0) {
            return &field;
        }
    }
    return nullptr;
}

bool is_whole(const std::string& key) {
    const SpecKey* const rule = rule_of(key);
    return rule != nullptr && rule->rule.whole;
}

/// Rates and amounts that there are of something; durations and amounts that something takes are
/// better when they are small.
bool more_is_better(const Constant& constant) {
    const std::string& unit = constant.unit;
    const bool rate = unit.find('/') != std::string::npos || unit.find("Hz") != std::string::npos;
    const bool duration = unit == "clk" || unit == "ns" || unit == "us";
    const bool taken = constant.key.find(".smem") != std::string::npos ||
                       constant.key.find(".quantum") != std::string::npos;
    return rate || !(duration || taken);
}

/// Something that can be moved, and how.
struct Handle {
    SensitivityRow row;
    const Constant* constant = nullptr;  ///< null for a parameter

    [[nodiscard]] Point at(const Point& base, double value) const {
        Point point = base;
        if (constant != nullptr) {
            point.changes.hardware.push_back({constant->key, constant_text(*constant, value)});
        } else {
            point.changes.parameters.push_back({row.name, fmt::format("{:.17g}", value)});
        }
        return point;
    }
};

/// Values to try on one side, nearest first.
std::vector<double> candidates(const Handle& handle, double step, int sign) {
    const double value = handle.row.value;
    const double moved = value * (1.0 + sign * step);
    if (handle.constant != nullptr) {
        const double whole = sign > 0 ? std::max(std::ceil(moved), value + 1.0)
                                      : std::min(std::floor(moved), value - 1.0);
        return {is_whole(handle.constant->key) ? whole : moved};
    }
    std::vector<double> values;
    for (const double other : {1.0, 8.0, 16.0, 32.0}) {
        values.push_back(value + sign * other);
    }
    const bool fraction = value != std::floor(value);
    if (fraction) {
        values.insert(values.begin(), moved);
    } else {
        values.push_back(sign > 0 ? 2.0 * value : value / 2.0);
    }
    return values;
}

SensitivityStep try_values(const Predictor& predictor, const Point& base, const Handle& handle,
                           const std::vector<double>& values) {
    SensitivityStep step;
    for (const double value : values) {
        const auto prediction = predictor.predict(handle.at(base, value));
        if (prediction) {
            return {value, prediction->seconds, {}};
        }
        if (step.reason.empty()) {
            step.reason = prediction.error().diagnostics.front().message;
        }
    }
    return step;
}

std::optional<double> slope(const SensitivityStep& step, double value, double seconds) {
    if (!step.reason.empty() || value <= 0.0 || step.value <= 0.0 || step.value == value) {
        return std::nullopt;
    }
    return std::log(step.seconds / seconds) / std::log(step.value / value);
}

void measure(const Predictor& predictor, const Point& base, double seconds, double step,
             Handle& handle) {
    SensitivityRow& row = handle.row;
    row.up = try_values(predictor, base, handle, candidates(handle, step, +1));
    row.down = try_values(predictor, base, handle, candidates(handle, step, -1));
    row.slope_up = slope(row.up, row.value, seconds);
    row.slope_down = slope(row.down, row.value, seconds);
    // More sub-partitions spread the same warps thinner: there is no ideal number of them.
    if (handle.constant == nullptr || handle.constant->key == "sub_partitions" ||
        !row.has_effect(seconds)) {
        return;
    }
    for (const double times : removals) {
        double better = more_is_better(*handle.constant) ? row.value * times : row.value / times;
        if (is_whole(handle.constant->key)) {
            better = std::max(1.0, std::floor(better));
        }
        if (const auto removed = predictor.predict(handle.at(base, better))) {
            row.removed = removed->seconds / seconds;
            return;
        }
    }
}

std::vector<Handle> handles_of(const GpuSpec& spec, const KernelPlan& plan) {
    std::vector<Handle> handles;
    for (const auto& [key, constant] : spec.constants) {
        if (can_be_moved(constant)) {
            Handle handle;
            handle.constant = &constant;
            handle.row.name = "hw." + key;
            handle.row.unit = constant.unit;
            handle.row.value = constant.value;
            handle.row.meaning = constant.meaning;
            handles.push_back(std::move(handle));
        }
    }
    for (const auto& [name, value] : plan.parameters) {
        Handle handle;
        handle.row.name = name;
        handle.row.value = value;
        handles.push_back(std::move(handle));
    }
    return handles;
}

}  // namespace

double SensitivityRow::elasticity() const {
    if (slope_up && slope_down) {
        return (*slope_up + *slope_down) / 2.0;
    }
    return slope_up ? *slope_up : slope_down.value_or(0.0);
}

bool SensitivityRow::has_effect(double base_seconds) const {
    const auto moves = [base_seconds](const SensitivityStep& step) {
        return step.reason.empty() &&
               std::abs(step.seconds - base_seconds) > no_effect * base_seconds;
    };
    return moves(up) || moves(down);
}

bool SensitivityRow::kinked() const {
    return slope_up && slope_down &&
           std::abs(*slope_up - *slope_down) >
               std::max(least_kink, kink * std::max(std::abs(*slope_up), std::abs(*slope_down)));
}

bool can_be_moved(const Constant& constant) {
    const SpecKey* const rule = rule_of(constant.key);
    if (rule == nullptr || constant.value <= 0.0) {
        return false;
    }
    const bool field = find_spec_key(constant.key) == nullptr;
    const ConstantForm form = rule->rule.form;
    return (field || rule->store) &&
           (form == ConstantForm::quantity || form == ConstantForm::clock);
}

std::string constant_text(const Constant& constant, double value) {
    const SpecKey* const rule = rule_of(constant.key);
    if (rule != nullptr && rule->rule.form == ConstantForm::clock) {
        return fmt::format("{:.6f} {}", value, constant.unit);
    }
    return fmt::format("{:.17g} {}", value, constant.unit);
}

Result<Sensitivity> sensitivity(const Predictor& predictor, const Point& point,
                                const SensitivityOptions& options) {
    if (!(options.step >= least_step && options.step <= largest_step)) {
        return fail(
            FailureKind::usage,
            fmt::format("a step of {:.3g} % is outside {:.0f} % to {:.0f} %", 100.0 * options.step,
                        100.0 * least_step, 100.0 * largest_step),
            "durations are counted in sixteenths of a clock: a smaller step may round away");
    }
    auto base = predictor.predict(point);
    if (!base) {
        return tl::unexpected(base.error());
    }
    const auto spec = predictor.spec(point.gpu, point.changes.hardware);
    if (!spec) {
        return tl::unexpected(spec.error());
    }
    std::vector<Handle> handles = handles_of(**spec, base->plan);
    for_each_index(static_cast<std::int64_t>(handles.size()), options.threads, [&](std::int64_t i) {
        measure(predictor, point, base->seconds, options.step,
                handles[static_cast<std::size_t>(i)]);
    });
    Sensitivity out;
    out.base = std::move(*base);
    out.step = options.step;
    for (Handle& handle : handles) {
        out.rows.push_back(std::move(handle.row));
    }
    std::stable_sort(out.rows.begin(), out.rows.end(), [](const auto& a, const auto& b) {
        return std::abs(a.elasticity()) > std::abs(b.elasticity());
    });
    return out;
}

}  // namespace warpline
