// Values of microbenchmark rows, and arithmetic on them that carries the spread along.
#pragma once

#include "warpline/validate/micro_rows.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpline {

/// A value, how far off it may be, and the rows it comes from.
struct Reading {
    double value = 0.0;
    double spread = 0.0;
    std::string rows;

    [[nodiscard]] Reading times(double factor) const {
        return {value * factor, spread * std::abs(factor), rows};
    }
    [[nodiscard]] Reading plus(double offset) const { return {value + offset, spread, rows}; }
    /// numerator / this.
    [[nodiscard]] Reading under(double numerator) const {
        return {numerator / value, spread * std::abs(numerator) / (value * value), rows};
    }
    [[nodiscard]] Reading minus(const Reading& other) const {
        return {value - other.value, spread + other.spread, rows + ", " + other.rows};
    }
    [[nodiscard]] Reading over(const Reading& other) const {
        const double ratio = value / other.value;
        return {ratio, (spread + other.spread * std::abs(ratio)) / std::abs(other.value),
                rows + ", " + other.rows};
    }
};

using MaybeReading = std::optional<Reading>;

/// The rows of one table by name.
class Readings {
  public:
    explicit Readings(const std::vector<MicroRow>& rows) : rows_(rows) {}

    [[nodiscard]] MaybeReading of(std::string_view constant) const {
        const MicroRow* const row = find_micro_row(rows_, constant);
        return row == nullptr ? std::nullopt
                              : MaybeReading({row->value, row->spread, row->constant});
    }

    /// The row with the largest (smallest) value among those that start and end like this.
    [[nodiscard]] MaybeReading largest(std::string_view start, std::string_view end) const {
        return extreme(start, end, 1.0);
    }
    [[nodiscard]] MaybeReading smallest(std::string_view start, std::string_view end) const {
        return extreme(start, end, -1.0);
    }

    /// combine(a, b) of two rows that are both there.
    template <typename Combine>
    [[nodiscard]] MaybeReading both(std::string_view a, std::string_view b,
                                    const Combine& combine) const {
        const MaybeReading first = of(a);
        const MaybeReading second = of(b);
        return first && second ? MaybeReading(combine(*first, *second)) : std::nullopt;
    }

  private:
    [[nodiscard]] MaybeReading extreme(std::string_view start, std::string_view end,
                                       double sign) const {
        const MicroRow* best = nullptr;
        for (const MicroRow& row : rows_) {
            const std::string_view name = row.constant;
            const bool named = name.size() >= start.size() + end.size() &&
                               name.substr(0, start.size()) == start &&
                               name.substr(name.size() - end.size()) == end;
            if (named && (best == nullptr || sign * row.value > sign * best->value)) {
                best = &row;
            }
        }
        return best == nullptr ? std::nullopt
                               : MaybeReading({best->value, best->spread, best->constant});
    }

    const std::vector<MicroRow>& rows_;
};

}  // namespace warpline
