// Many compared rows in a few numbers.
#include "warpline/validate/comparison_parts.hpp"
#include "warpline/validate/row_groups.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

namespace warpline {
namespace {

/// Rows by key, keys in order of first appearance.
class RowSets {
  public:
    void add(const std::string& key, const ComparedRow& row) {
        const auto [place, fresh] = index_.emplace(key, sets_.size());
        if (fresh) {
            sets_.emplace_back();
        }
        sets_[place->second].push_back(&row);
    }
    [[nodiscard]] const std::vector<std::vector<const ComparedRow*>>& sets() const { return sets_; }

  private:
    std::map<std::string, std::size_t> index_;
    std::vector<std::vector<const ComparedRow*>> sets_;
};

using RowSet = std::vector<const ComparedRow*>;

[[nodiscard]] ErrorStatistics errors_of(const RowSet& rows) {
    std::vector<double> errors;
    errors.reserve(rows.size());
    for (const ComparedRow* row : rows) {
        errors.push_back(row->error);
    }
    return error_statistics(errors);
}

[[nodiscard]] std::optional<double> correlation_of(const RowSet& rows) {
    std::vector<double> measured;
    std::vector<double> predicted;
    for (const ComparedRow* row : rows) {
        measured.push_back(row->measured_utilization);
        predicted.push_back(row->predicted_utilization);
    }
    return rank_correlation(measured, predicted);
}

[[nodiscard]] ErrorSummary summary_of(const RowSet& rows) {
    ErrorSummary out;
    static_cast<ErrorStatistics&>(out) = errors_of(rows);
    out.rank_correlation = correlation_of(rows);
    if (rows.empty()) {
        return out;
    }
    const ComparedRow& first = *rows.front();
    out.gpu = first.row.gpu;
    out.kernel = first.kernel;
    out.direction = first.row.problem.direction;
    out.head_dim_qk = first.row.problem.head_dim_qk;
    out.head_dim_v = first.row.problem.head_dim_v;
    out.mask = first.row.problem.mask.kind;
    return out;
}

[[nodiscard]] std::optional<BaselineSummary> baselines_of(const RowSet& rows) {
    BaselineSummary sum;
    for (const ComparedRow* row : rows) {
        const BaselineErrors& simple = row->baselines;
        if (row->held_out_error && simple.efficiency && simple.affine) {
            ++sum.rows;
            sum.model += std::abs(*row->held_out_error);
            sum.roofline += std::abs(simple.roofline);
            sum.efficiency += std::abs(*simple.efficiency);
            sum.affine += std::abs(*simple.affine);
        }
    }
    if (sum.rows == 0) {
        return std::nullopt;
    }
    const auto count = static_cast<double>(sum.rows);
    return BaselineSummary{sum.rows, sum.model / count, sum.roofline / count,
                           sum.efficiency / count, sum.affine / count};
}

[[nodiscard]] FileSummary file_summary_of(const RowSet& rows, bool one_mask,
                                          const std::vector<GroupFit>& fits) {
    const MeasuredRow& first = rows.front()->row;
    FileSummary out;
    out.file = file_label(first);
    out.gpu = first.gpu;
    out.kernel = first.kernel;
    out.direction = first.problem.direction;
    out.errors = errors_of(rows);
    out.baselines = baselines_of(rows);
    if (one_mask) {
        out.mask = first.problem.mask.kind;
        const std::string group = clock_group(first);
        for (const GroupFit& fit : fits) {
            if (fit.group == group) {
                out.clock = fit.fit;
            }
        }
    }
    return out;
}

[[nodiscard]] std::vector<FileSummary> files_of(const std::vector<ComparedRow>& rows,
                                                const std::vector<GroupFit>& fits) {
    RowSets kernels;
    for (const ComparedRow& row : rows) {
        kernels.add(fmt::format("{}\n{}\n{}\n{}", row.row.where.file, row.row.gpu, row.row.kernel,
                                static_cast<int>(row.row.problem.direction)),
                    row);
    }
    std::vector<FileSummary> out;
    for (const RowSet& kernel : kernels.sets()) {
        RowSets masks;
        for (const ComparedRow* row : kernel) {
            masks.add(clock_group(row->row), *row);
        }
        for (const RowSet& mask : masks.sets()) {
            out.push_back(file_summary_of(mask, true, fits));
        }
        if (masks.sets().size() > 1) {
            out.push_back(file_summary_of(kernel, false, fits));
        }
    }
    return out;
}

[[nodiscard]] double measured_duration(const ComparedRow& row) {
    return row.by_time ? row.measured_ms : row.measured_cycles;
}

[[nodiscard]] double predicted_duration(const ComparedRow& row) {
    return row.by_time ? row.predicted_ms : row.predicted_cycles;
}

[[nodiscard]] SelectionQuality selection_of(const std::vector<ComparedRow>& rows) {
    RowSets problems;
    for (const ComparedRow& row : rows) {
        problems.add(problem_key(row.row) + (row.by_time ? "\ntime" : "\ncycles"), row);
    }
    SelectionQuality out{0, 0.0, 1.0};
    for (const RowSet& choices : problems.sets()) {
        const bool a_choice = std::any_of(choices.begin(), choices.end(), [&](const auto* row) {
            return row->row.kernel != choices.front()->row.kernel;
        });
        if (!a_choice) {
            continue;
        }
        const auto faster = [](auto duration) {
            return [duration](const ComparedRow* a, const ComparedRow* b) {
                return duration(*a) < duration(*b);
            };
        };
        const ComparedRow& picked =
            **std::min_element(choices.begin(), choices.end(), faster(predicted_duration));
        const ComparedRow& best =
            **std::min_element(choices.begin(), choices.end(), faster(measured_duration));
        const double quality = measured_duration(best) / measured_duration(picked);
        ++out.problems;
        out.mean += quality;
        out.worst = std::min(out.worst, quality);
    }
    out.mean = out.problems == 0 ? 1.0 : out.mean / static_cast<double>(out.problems);
    return out;
}

}  // namespace

void summarize(Comparison& comparison, const std::vector<GroupFit>& fits) {
    RowSets groups;
    RowSet all;
    for (const ComparedRow& row : comparison.rows) {
        const AttentionProblem& p = row.row.problem;
        groups.add(fmt::format("{}\n{}\n{}\n{}:{}\n{}", row.row.gpu, row.kernel,
                               static_cast<int>(p.direction), p.head_dim_qk, p.head_dim_v,
                               static_cast<int>(p.mask.kind)),
                   row);
        all.push_back(&row);
    }
    for (const RowSet& group : groups.sets()) {
        comparison.groups.push_back(summary_of(group));
    }
    static_cast<ErrorStatistics&>(comparison.overall) = errors_of(all);
    comparison.overall.rank_correlation = correlation_of(all);
    comparison.files = files_of(comparison.rows, fits);
    comparison.selection = selection_of(comparison.rows);
}

}  // namespace warpline
