// Clocks and held-out errors of the rows that share one.
#include "warpline/validate/comparison_parts.hpp"
#include "warpline/validate/row_groups.hpp"

#include <cmath>
#include <map>

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

[[nodiscard]] std::optional<FittedClock> fit_group(const std::vector<RowInProgress*>& group) {
    std::vector<ClockedTime> times;
    times.reserve(group.size());
    for (const RowInProgress* row : group) {
        times.push_back(row->time);
    }
    return fit_clock(times, group.front()->clock_range);
}

[[nodiscard]] Result<void> predict_at(RowInProgress& row, const FittedClock& fit,
                                      const RowPredictor& predictor) {
    MeasuredRow clocked = row.compared.row;
    clocked.clock = fit.clock;
    auto answer = compare_row(clocked, predictor);
    if (!answer) {
        return tl::unexpected(answer.error());
    }
    answer->compared.row = std::move(row.compared.row);
    answer->compared.clock_source = ClockSource::fitted;
    answer->compared.clock_at_bound = fit.at_bound;
    answer->compared.clock.origin = "fitted to the measured times";
    row = std::move(*answer);
    return {};
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
    const auto fit = fit_clock(others, row.clock_range);
    if (!fit) {
        return std::nullopt;
    }
    const double megahertz = boost::rational_cast<double>(fit->clock) / 1e6;
    return row.time.at(megahertz) / row.time.measured_ms - 1.0;
}

}  // namespace

Result<std::vector<GroupFit>> fit_clocks(std::vector<RowInProgress>& rows,
                                         const RowPredictor& predictor) {
    std::vector<GroupFit> fits;
    for (auto& [name, group] : groups_of(rows)) {
        std::optional<FittedClock> fit;
        // Memory and launches do not follow the clock: predict again until the fit stands still.
        for (int round = 0; round < most_rounds; ++round) {
            const auto next = fit_group(group);
            if (!next) {
                break;
            }
            const double before = fit ? boost::rational_cast<double>(fit->clock) / 1e6 : 0.0;
            const double now = boost::rational_cast<double>(next->clock) / 1e6;
            fit = next;
            for (RowInProgress* row : group) {
                if (auto done = predict_at(*row, *fit, predictor); !done) {
                    return tl::unexpected(done.error());
                }
            }
            if (std::abs(now - before) < settled_mhz) {
                break;
            }
        }
        if (fit) {
            fits.push_back({name, *fit});
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
