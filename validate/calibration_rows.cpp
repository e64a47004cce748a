#include "warpline/validate/calibration_rows.hpp"

#include "warpline/validate/row_groups.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace warpline {
namespace {

[[nodiscard]] bool lacks_clock(const MeasuredRow& row) {
    return !row.clock && (row.time_ms || row.tflops);
}

/// The one GPU of the rows. Errors (usage): there are several.
[[nodiscard]] Result<std::string> only_gpu(const std::vector<const MeasuredRow*>& rows) {
    std::set<std::string> gpus;
    for (const MeasuredRow* row : rows) {
        gpus.insert(row->gpu);
    }
    if (gpus.size() > 1) {
        return fail(FailureKind::usage,
                    fmt::format("the rows are of several GPUs: {}", fmt::join(gpus, ", ")),
                    "choose one with --gpu");
    }
    return gpus.empty() ? std::string() : *gpus.begin();
}

[[nodiscard]] tl::unexpected<Failure> nothing_to_fit(const CalibrationRows& rows, Split side) {
    Failure failure =
        fail(FailureKind::input, fmt::format("there is no {} row to fit on", split_name(side)))
            .value();
    std::set<std::string> told;
    for (const UnusableRow& row : rows.unusable) {
        if (told.insert(row.reason).second) {
            failure.diagnostics.push_back({row.where, row.reason, row.row});
        }
    }
    return tl::unexpected(std::move(failure));
}

/// Moves rows without a clock, and without rows that tell one, from `held_out` to `unusable`.
void drop_clockless(CalibrationRows& rows) {
    std::set<std::string> groups;
    for (const MeasuredRow& row : rows.fitted) {
        groups.insert(clock_group(row));
    }
    const auto first = std::stable_partition(
        rows.held_out.begin(), rows.held_out.end(), [&](const MeasuredRow& row) {
            return !lacks_clock(row) || groups.count(clock_group(row)) != 0;
        });
    for (auto row = first; row != rows.held_out.end(); ++row) {
        rows.unusable.push_back(unusable_row(*row, "no fitted row tells its clock"));
    }
    rows.held_out.erase(first, rows.held_out.end());
}

/// Compares a row, at the clock that `clocks` has for it where it states none.
[[nodiscard]] Result<RowInProgress> compare_near(const MeasuredRow& row,
                                                 const std::vector<GroupFit>& clocks,
                                                 const RowPredictor& predictor) {
    auto compared = compare_row(row, predictor);
    if (!compared || !lacks_clock(row)) {
        return compared;
    }
    const std::string name = clock_group(row);
    const auto group = std::find_if(clocks.begin(), clocks.end(),
                                    [&](const GroupFit& fit) { return fit.group == name; });
    return group == clocks.end() ? std::move(compared) : compare_at(*compared, *group, predictor);
}

}  // namespace

Result<CalibrationRows> calibration_rows(const std::filesystem::path& data_dir,
                                         const MeasuredTable& table, const std::string& gpu,
                                         Split side, bool best_run) {
    CalibrationRows rows;
    rows.unusable = table.unusable;
    RowOptions options;
    options.best_run = best_run;
    const std::vector<const MeasuredRow*> chosen = chosen_rows(table, options, rows.unusable);
    auto known = gpu.empty() ? only_gpu(chosen) : Result<std::string>(gpu);
    if (!known) {
        return tl::unexpected(known.error());
    }
    rows.gpu = std::move(*known);
    const RowPredictor predictor = directory_predictor(data_dir, {});
    for (const MeasuredRow* row : chosen) {
        if (row->gpu != rows.gpu) {
            rows.unusable.push_back(unusable_row(*row, fmt::format("not a row of {}", rows.gpu)));
        } else if (const auto answer = predictor(*row); !answer) {
            rows.unusable.push_back(unusable_row(*row, answer.error().diagnostics.front().message));
        } else {
            (split_of(row->problem) == side ? rows.fitted : rows.held_out).push_back(*row);
        }
    }
    if (rows.fitted.empty()) {
        return nothing_to_fit(rows, side);
    }
    drop_clockless(rows);
    return rows;
}

Result<RowErrors> errors_at_fitted_clocks(const std::vector<MeasuredRow>& rows,
                                          const RowPredictor& predictor) {
    std::vector<RowInProgress> compared;
    compared.reserve(rows.size());
    for (const MeasuredRow& row : rows) {
        auto one = compare_row(row, predictor);
        if (!one) {
            return tl::unexpected(one.error());
        }
        compared.push_back(std::move(*one));
    }
    auto clocks = fit_clocks(compared, predictor);
    if (!clocks) {
        return tl::unexpected(clocks.error());
    }
    RowErrors out;
    out.clocks = std::move(*clocks);
    for (const RowInProgress& row : compared) {
        out.errors.push_back(row.compared.error);
    }
    return out;
}

Result<RowErrors> errors_near_clocks(const std::vector<MeasuredRow>& rows,
                                     const std::vector<GroupFit>& near,
                                     const RowPredictor& predictor) {
    RowErrors out;
    std::vector<RowInProgress> compared;
    compared.reserve(rows.size());
    std::map<std::string, std::vector<std::size_t>> groups;
    for (const MeasuredRow& row : rows) {
        auto one = compare_near(row, near, predictor);
        if (!one) {
            return tl::unexpected(one.error());
        }
        if (lacks_clock(row)) {
            groups[clock_group(row)].push_back(compared.size());
        }
        out.errors.push_back(one->compared.error);
        compared.push_back(std::move(*one));
    }
    for (const auto& [name, members] : groups) {
        std::vector<const RowInProgress*> group;
        std::vector<ClockedTime> times;
        for (const std::size_t i : members) {
            group.push_back(&compared[i]);
            times.push_back(compared[i].time);
        }
        const auto fit = fit_clock(times, range_of_group(group));
        for (std::size_t i = 0; fit && i < members.size(); ++i) {
            const double megahertz = boost::rational_cast<double>(fit->clock) / 1e6;
            out.errors[members[i]] = times[i].at(megahertz) / times[i].measured_ms - 1.0;
        }
    }
    out.clocks = near;
    return out;
}

Result<RowErrors> errors_at_clocks(const std::vector<MeasuredRow>& rows,
                                   const std::vector<GroupFit>& clocks,
                                   const RowPredictor& predictor) {
    RowErrors out;
    for (const MeasuredRow& row : rows) {
        const auto one = compare_near(row, clocks, predictor);
        if (!one) {
            return tl::unexpected(one.error());
        }
        out.errors.push_back(one->compared.error);
    }
    out.clocks = clocks;
    return out;
}

}  // namespace warpline
