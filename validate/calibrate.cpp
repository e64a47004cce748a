#include "warpline/validate/calibrate.hpp"

#include "warpline/explore/parallel.hpp"
#include "warpline/validate/calibration_constants.hpp"
#include "warpline/validate/calibration_rows.hpp"
#include "warpline/validate/row_groups.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr int bisections = 4;  ///< of a step, in search of where predictions move

[[nodiscard]] double rounded(double value, int digits) {
    return std::stod(fmt::format("{:.{}g}", value, digits));
}

constexpr int written_digits = 5;
constexpr int exact_digits = 17;

/// Rows and constants, and what the one says of values of the other.
class Problem {
  public:
    Problem(const std::filesystem::path& data_dir, const CalibrationRows& rows,
            const std::vector<Constant>& constants)
        : data_dir_(data_dir), rows_(rows), constants_(constants) {}

    /// Clocks near which residuals() looks for its own.
    void expect_clocks(std::vector<GroupFit> near) { near_ = std::move(near); }

    [[nodiscard]] RowPredictor predictor(const UnknownValues& values) const {
        CompareOptions options;
        for (std::size_t j = 0; j < values.size(); ++j) {
            options.constants.push_back(
                {constants_[j].key, quantity_text(values[j], constants_[j].unit, exact_digits)});
        }
        return directory_predictor(data_dir_, options);
    }

    [[nodiscard]] Result<RowErrors> fitted(const UnknownValues& values) const {
        return errors_at_fitted_clocks(rows_.fitted, predictor(values));
    }

    [[nodiscard]] Result<RowErrors> held_out(const UnknownValues& values,
                                             const std::vector<GroupFit>& clocks) const {
        return errors_at_clocks(rows_.held_out, clocks, predictor(values));
    }

    [[nodiscard]] Result<std::vector<Residuals>> residuals(
        const std::vector<UnknownValues>& points) const {
        std::vector<Result<RowErrors>> answers(points.size(), RowErrors{});
        for_each_index(static_cast<std::int64_t>(points.size()), 0, [&](std::int64_t index) {
            const auto i = static_cast<std::size_t>(index);
            answers[i] = errors_near_clocks(rows_.fitted, near_, predictor(points[i]));
        });
        std::vector<Residuals> out;
        for (const Result<RowErrors>& answer : answers) {
            if (!answer) {
                return tl::unexpected(answer.error());
            }
            Residuals logarithms;
            for (const double error : answer->errors) {
                logarithms.push_back(std::log1p(error));
            }
            out.push_back(std::move(logarithms));
        }
        return out;
    }

  private:
    const std::filesystem::path& data_dir_;
    const CalibrationRows& rows_;
    const std::vector<Constant>& constants_;
    std::vector<GroupFit> near_;
};

/// How far each unknown can move, down and up, before any residual does; at most its step.
class Plateaus {
  public:
    Plateaus(const Problem& problem, const std::vector<BoundedUnknown>& unknowns,
             const LeastSquaresFit& fit)
        : problem_(problem), unknowns_(unknowns), fit_(fit) {}

    struct Reach {
        double down = 0.0, up = 0.0;
    };
    [[nodiscard]] Result<std::vector<Reach>> measure() const {
        const std::size_t count = 2 * unknowns_.size();
        std::vector<double> still(count, 0.0);  ///< reaches without effect
        std::vector<double> moved(count, 0.0);  ///< reaches with one
        for (std::size_t k = 0; k < count; ++k) {
            moved[k] = unknowns_[k / 2].step;
        }
        for (int round = 0; round < bisections; ++round) {
            std::vector<UnknownValues> points;
            for (std::size_t k = 0; k < count; ++k) {
                points.push_back(at(k, 0.5 * (still[k] + moved[k])));
            }
            const auto results = problem_.residuals(points);
            if (!results) {
                return tl::unexpected(results.error());
            }
            for (std::size_t k = 0; k < count; ++k) {
                const double middle = 0.5 * (still[k] + moved[k]);
                (differs((*results)[k]) ? moved : still)[k] = middle;
            }
        }
        std::vector<Reach> reaches;
        for (std::size_t j = 0; j < unknowns_.size(); ++j) {
            reaches.push_back({still[2 * j], still[2 * j + 1]});
        }
        return reaches;
    }

  private:
    [[nodiscard]] UnknownValues at(std::size_t k, double reach) const {
        UnknownValues point = fit_.values;
        const BoundedUnknown& unknown = unknowns_[k / 2];
        const double moved = point[k / 2] + (k % 2 == 0 ? -reach : reach);
        point[k / 2] = std::clamp(moved, unknown.low, unknown.high);
        return point;
    }

    [[nodiscard]] bool differs(const Residuals& residuals) const {
        Residuals change = residuals;
        for (std::size_t i = 0; i < change.size(); ++i) {
            change[i] -= fit_.residuals[i];
        }
        return moves(change);
    }

    const Problem& problem_;
    const std::vector<BoundedUnknown>& unknowns_;
    const LeastSquaresFit& fit_;
};

[[nodiscard]] CalibratedConstant calibrated(const Constant& stated, double value, double half_width,
                                            const Plateaus::Reach& plateau) {
    CalibratedConstant out;
    out.stated = stated;
    out.fitted = std::clamp(rounded(value, written_digits), *stated.low, *stated.high);
    out.text = quantity_text(out.fitted, stated.unit, written_digits);
    const auto end = [&](double at) {
        return rounded(std::clamp(at, *stated.low, *stated.high), written_digits);
    };
    out.low = std::min(out.fitted, end(value - std::max(half_width, plateau.down)));
    out.high = std::max(out.fitted, end(value + std::max(half_width, plateau.up)));
    if (value <= *stated.low) {
        out.rests_on = RangeEnd::low;
    } else if (value >= *stated.high) {
        out.rests_on = RangeEnd::high;
    }
    return out;
}

/// Errors and clocks of both sides at `values`.
struct BothSides {
    RowErrors fitted, held_out;
};
[[nodiscard]] Result<BothSides> both_sides(const Problem& problem, const UnknownValues& values) {
    auto fitted = problem.fitted(values);
    if (!fitted) {
        return tl::unexpected(fitted.error());
    }
    auto held_out = problem.held_out(values, fitted->clocks);
    if (!held_out) {
        return tl::unexpected(held_out.error());
    }
    return BothSides{std::move(*fitted), std::move(*held_out)};
}

/// The clocks of the groups of `rows`, before and after.
[[nodiscard]] std::vector<CalibratedClock> clocks_of(const std::vector<MeasuredRow>& rows,
                                                     const std::vector<GroupFit>& before,
                                                     const std::vector<GroupFit>& after) {
    std::map<std::string, const MeasuredRow*> examples;
    for (const MeasuredRow& row : rows) {
        examples.emplace(clock_group(row), &row);
    }
    std::vector<CalibratedClock> clocks;
    for (const GroupFit& late : after) {
        const auto early = std::find_if(before.begin(), before.end(), [&](const GroupFit& fit) {
            return fit.group == late.group;
        });
        if (early != before.end()) {
            const MeasuredRow& row = *examples.at(late.group);
            clocks.push_back({file_label(row), row.kernel, row.problem.direction,
                              row.problem.mask.kind, early->fit, late.fit});
        }
    }
    return clocks;
}

void set_errors(Calibration& out, const BothSides& before, const BothSides& after) {
    out.fitted.before = error_statistics(before.fitted.errors);
    out.fitted.after = error_statistics(after.fitted.errors);
    out.held_out.before = error_statistics(before.held_out.errors);
    out.held_out.after = error_statistics(after.held_out.errors);
}

/// Fits `constants`; `start` is what they give now. Fills out.constants and how the search went.
[[nodiscard]] Result<void> fit_constants(Calibration& out, const Problem& problem,
                                         const std::vector<Constant>& constants,
                                         const RowErrors& start) {
    const std::vector<BoundedUnknown> unknowns = unknowns_of(constants);
    const std::size_t spent = start.clocks.size();
    if (start.errors.size() <= constants.size() + spent) {
        return fail(FailureKind::input,
                    fmt::format("{} rows are too few for {} constants and {} clocks",
                                start.errors.size(), constants.size(), spent),
                    "fit fewer constants, or give more rows");
    }
    const ResidualsAt residuals = [&](const std::vector<UnknownValues>& points) {
        return problem.residuals(points);
    };
    UnknownValues stated;
    for (const BoundedUnknown& unknown : unknowns) {
        stated.push_back(unknown.start);
    }
    const auto first = finite_differences(unknowns, stated, residuals);
    if (!first) {
        return tl::unexpected(first.error());
    }
    if (const auto seen = check_seen(constants, *first, unknowns); !seen) {
        return seen;
    }
    const auto fit = least_squares(unknowns, residuals);
    if (!fit) {
        return tl::unexpected(fit.error());
    }
    const auto plateaus = Plateaus(problem, unknowns, *fit).measure();
    if (!plateaus) {
        return tl::unexpected(plateaus.error());
    }
    const std::vector<double> widths =
        confidence_half_widths(fit->derivatives, fit->residuals, static_cast<int>(spent));
    for (std::size_t j = 0; j < constants.size(); ++j) {
        out.constants.push_back(
            calibrated(constants[j], fit->values[j], widths[j], (*plateaus)[j]));
    }
    out.iterations = fit->iterations;
    out.settled = fit->settled;
    return {};
}

}  // namespace

bool Calibration::succeeded() const {
    const bool inside = std::all_of(constants.begin(), constants.end(), [](const auto& constant) {
        return constant.rests_on == RangeEnd::none;
    });
    const bool clocks_inside = std::none_of(clocks.begin(), clocks.end(),
                                            [](const auto& clock) { return clock.after.at_bound; });
    return settled && inside && clocks_inside;
}

Result<Calibration> calibrate(const std::filesystem::path& data_dir, const MeasuredTable& table,
                              const CalibrateOptions& options) {
    auto rows = calibration_rows(data_dir, table, options.gpu, options.side, options.best_run);
    if (!rows) {
        return tl::unexpected(rows.error());
    }
    const auto spec = load_gpu_spec(data_dir, rows->gpu);
    if (!spec) {
        return tl::unexpected(spec.error());
    }
    const auto constants = constants_to_fit(*spec, options.constants);
    if (!constants) {
        return tl::unexpected(constants.error());
    }
    Problem problem(data_dir, *rows, *constants);
    const auto before = both_sides(problem, {});
    if (!before) {
        return tl::unexpected(before.error());
    }
    problem.expect_clocks(before->fitted.clocks);
    Calibration out;
    if (const auto done = fit_constants(out, problem, *constants, before->fitted); !done) {
        return tl::unexpected(done.error());
    }
    UnknownValues values;
    for (const CalibratedConstant& constant : out.constants) {
        values.push_back(constant.fitted);
    }
    const auto after = both_sides(problem, values);
    if (!after) {
        return tl::unexpected(after.error());
    }
    out.gpu = rows->gpu;
    out.title = spec->title;
    out.fitted.split = options.side;
    out.held_out.split = options.side == Split::calibration ? Split::test : Split::calibration;
    set_errors(out, *before, *after);
    out.clocks = clocks_of(rows->fitted, before->fitted.clocks, after->fitted.clocks);
    for (const MeasuredRow& row : rows->fitted) {
        if (std::find(out.files.begin(), out.files.end(), file_label(row)) == out.files.end()) {
            out.files.push_back(file_label(row));
        }
    }
    out.unusable = std::move(rows->unusable);
    return out;
}

}  // namespace warpline
