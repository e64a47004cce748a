// Clocks and held-out errors of the rows that share one.
#include "warpline/validate/comparison_parts.hpp"
#include "warpline/validate/row_groups.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace warpline {
namespace {

constexpr int most_rounds = 6;
constexpr double settled_mhz = 0.05;

[[nodiscard]] bool wants_clock(const RowInProgress& row) {
    return row.compared.by_time && row.compared.clock_source != ClockSource::measured;
}

[[nodiscard]] std::map<std::string, std::vector<RowInProgress*>> groups_of(
    std::vector<RowInProgress>& rows) {
    std::map<std::string, std::vector<RowInProgress*>> groups;
    for (RowInProgress& row : rows) {
        if (wants_clock(row)) {
            groups[clock_group(row.compared.row)].push_back(&row);
        }
    }
    return groups;
}

/// Mean of the clocks that the power limit leaves the rows; 0 where it is not known of each.
[[nodiscard]] double mean_limited_mhz(const std::vector<RowInProgress*>& group) {
    double sum = 0.0;
    for (const RowInProgress* row : group) {
        if (row->limited_mhz <= 0.0) {
            return 0.0;
        }
        sum += row->limited_mhz;
    }
    return sum / static_cast<double>(group.size());
}

[[nodiscard]] ClockRange range_of(const std::vector<RowInProgress*>& group) {
    return range_of_group({group.begin(), group.end()});
}

[[nodiscard]] std::optional<FittedClock> fit_group(const std::vector<RowInProgress*>& group) {
    std::vector<ClockedTime> times;
    times.reserve(group.size());
    for (const RowInProgress* row : group) {
        times.push_back(row->time);
    }
    return fit_clock(times, range_of(group));
}

/// The error at the clock that the group's rows of other lengths want.
[[nodiscard]] std::optional<double> error_without_length(const RowInProgress& row,
                                                         const std::vector<RowInProgress*>& group) {
    std::vector<ClockedTime> others;
    for (const RowInProgress* other : group) {
        if (other->compared.row.problem.seqlen_kv != row.compared.row.problem.seqlen_kv) {
            others.push_back(other->time);
        }
    }
    const auto fit = fit_clock(others, range_of(group));
    if (!fit) {
        return std::nullopt;
    }
    const double megahertz = boost::rational_cast<double>(fit->clock) / 1e6;
    return row.time.at(megahertz) / row.time.measured_ms - 1.0;
}

}  // namespace

ClockRange range_of_group(const std::vector<const RowInProgress*>& group) {
    ClockRange range = group.front()->clock_range;
    for (const RowInProgress* row : group) {
        range.low_mhz = std::max(range.low_mhz, row->clock_range.low_mhz / row->time.pace);
        range.high_mhz = std::min(range.high_mhz, row->clock_range.high_mhz / row->time.pace);
    }
    range.low_mhz = std::min(range.low_mhz, range.high_mhz);  // paces wider than the range
    return range;
}

Result<RowInProgress> compare_at(const RowInProgress& row, const GroupFit& fit,
                                 const RowPredictor& predictor) {
    const double pace = fit.pace_of(row.limited_mhz);
    MeasuredRow clocked = row.compared.row;
    const double hertz = boost::rational_cast<double>(fit.fit.clock) * pace;
    clocked.clock = pace == 1.0 ? fit.fit.clock : ClockHz(std::llround(hertz));
    clocked.clock_evidence.clear();  // whatever it says is not of this clock
    auto answer = compare_row(clocked, predictor);
    if (!answer) {
        return answer;
    }
    answer->compared.row = row.compared.row;
    answer->compared.clock_source = ClockSource::fitted;
    answer->compared.clock_at_bound = fit.fit.at_bound;
    answer->compared.clock.origin = "fitted to the measured times";
    answer->limited_mhz = row.limited_mhz;
    answer->time.pace = pace;
    return answer;
}

Result<std::vector<GroupFit>> fit_clocks(std::vector<RowInProgress>& rows,
                                         const RowPredictor& predictor) {
    std::vector<GroupFit> fits;
    for (auto& [name, group] : groups_of(rows)) {
        GroupFit fit{name, {}, mean_limited_mhz(group)};
        for (RowInProgress* row : group) {
            row->time.pace = fit.pace_of(row->limited_mhz);
        }
        bool found = false;
        // Memory and launches do not follow the clock: predict again until the fit stands still.
        for (int round = 0; round < most_rounds; ++round) {
            const auto next = fit_group(group);
            if (!next) {
                break;
            }
            const double before = found ? boost::rational_cast<double>(fit.fit.clock) / 1e6 : 0.0;
            const double now = boost::rational_cast<double>(next->clock) / 1e6;
            fit.fit = *next;
            found = true;
            for (RowInProgress* row : group) {
                auto again = compare_at(*row, fit, predictor);
                if (!again) {
                    return tl::unexpected(again.error());
                }
                *row = std::move(*again);
            }
            if (std::abs(now - before) < settled_mhz) {
                break;
            }
        }
        if (found) {
            fits.push_back(std::move(fit));
        }
    }
    return fits;
}

void judge_held_out(std::vector<RowInProgress>& rows) {
    const auto groups = groups_of(rows);
    std::vector<BaselineRow> plain;
    plain.reserve(rows.size());
    for (RowInProgress& row : rows) {
        ComparedRow& compared = row.compared;
        compared.held_out_error = compared.error;
        if (compared.clock_source == ClockSource::fitted) {
            compared.held_out_error =
                error_without_length(row, groups.at(clock_group(compared.row)));
        }
        plain.push_back({baseline_group(compared.row), compared.row.problem.seqlen_kv,
                         compared.by_time ? compared.measured_ms : compared.measured_cycles,
                         row.roofline, counted_flops(compared.row.problem)});
    }
    const std::vector<BaselineErrors> errors = baseline_errors(plain);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].compared.baselines = errors[i];
    }
}

}  // namespace warpline
