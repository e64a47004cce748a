#include "warpline/explore/tune.hpp"

#include "warpline/explore/parallel.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr double flat = 1.01;

using Choice = std::vector<std::size_t>;  // an index into the values of each axis

struct Tried {
    std::optional<double> seconds;
    std::string bound_by;
};

/// Predictions by choice, each made once.
class Trials {
  public:
    Trials(const Predictor& predictor, const Point& point, const std::vector<StudyAxis>& axes,
           int threads)
        : predictor_(predictor), point_(point), axes_(axes), threads_(threads) {}

    void need(const std::vector<Choice>& choices) {
        std::vector<Choice> fresh;
        std::vector<Point> points;
        for (const Choice& choice : choices) {
            if (tried_.count(choice) == 0 &&
                std::find(fresh.begin(), fresh.end(), choice) == fresh.end()) {
                fresh.push_back(choice);
                points.push_back(at(choice));
            }
        }
        // Of a prediction only this is kept: the rest is freed by the thread that made it.
        std::vector<Result<Tried>> answers(points.size());
        for_each_index(static_cast<std::int64_t>(points.size()), threads_, [&](std::int64_t i) {
            const auto at = static_cast<std::size_t>(i);
            const auto found = predictor_.predict(points[at]);
            if (found) {
                answers[at] = Tried{found->seconds, found->bound_by};
            } else {
                answers[at] = tl::unexpected(found.error());
            }
        });
        for (std::size_t i = 0; i < fresh.size(); ++i) {
            Tried& tried = tried_[fresh[i]];
            if (answers[i]) {
                tried = *answers[i];
            } else if (!first_failure_) {
                first_failure_ = answers[i].error();
            }
        }
    }

    /// The fastest of the choices; nothing when none works. All must have been needed before.
    [[nodiscard]] std::optional<Choice> fastest(const std::vector<Choice>& choices) const {
        std::optional<Choice> best;
        for (const Choice& choice : choices) {
            const auto& seconds = tried_.at(choice).seconds;
            if (seconds && (!best || *seconds < *tried_.at(*best).seconds)) {
                best = choice;
            }
        }
        return best;
    }

    [[nodiscard]] const std::map<Choice, Tried>& all() const { return tried_; }
    [[nodiscard]] const std::optional<Failure>& first_failure() const { return first_failure_; }

    [[nodiscard]] TunedPoint described(const Choice& choice) const {
        TunedPoint out;
        for (std::size_t i = 0; i < axes_.size(); ++i) {
            out.values.push_back(axes_[i].values[choice[i]]);
        }
        out.seconds = tried_.at(choice).seconds.value_or(0.0);
        out.bound_by = tried_.at(choice).bound_by;
        return out;
    }

  private:
    [[nodiscard]] Point at(const Choice& choice) const {
        Point point = point_;
        for (std::size_t i = 0; i < axes_.size(); ++i) {
            add_change(point.changes, axes_[i].name, axes_[i].values[choice[i]]);
        }
        return point;
    }

    const Predictor& predictor_;
    const Point& point_;
    const std::vector<StudyAxis>& axes_;
    int threads_;
    std::map<Choice, Tried> tried_;
    std::optional<Failure> first_failure_;
};

std::vector<Choice> every_choice(const std::vector<StudyAxis>& axes) {
    std::vector<Choice> all = {Choice{}};
    for (const StudyAxis& axis : axes) {
        std::vector<Choice> longer;
        for (const Choice& choice : all) {
            for (std::size_t value = 0; value < axis.values.size(); ++value) {
                longer.push_back(choice);
                longer.back().push_back(value);
            }
        }
        all = std::move(longer);
    }
    return all;
}

std::vector<Choice> line_through(const Choice& at, const StudyAxis& axis, std::size_t index) {
    std::vector<Choice> line;
    for (std::size_t value = 0; value < axis.values.size(); ++value) {
        line.push_back(at);
        line.back()[index] = value;
    }
    return line;
}

std::vector<Choice> starts(const std::vector<StudyAxis>& axes) {
    std::vector<Choice> out(5);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::size_t last = axes[i].values.size() - 1;
        const bool even = i % 2 == 0;
        const std::size_t first = 0;
        const std::vector<std::size_t> at = {first, last / 2, last, even ? first : last,
                                             even ? last : first};
        for (std::size_t start = 0; start < out.size(); ++start) {
            out[start].push_back(at[start]);
        }
    }
    return out;
}

void descend(Choice at, const std::vector<StudyAxis>& axes, Trials& trials) {
    for (bool improved = true; improved;) {
        improved = false;
        for (std::size_t i = 0; i < axes.size(); ++i) {
            const std::vector<Choice> line = line_through(at, axes[i], i);
            trials.need(line);
            const auto best = trials.fastest(line);
            if (!best || *best == at) {
                continue;
            }
            const auto& here = trials.all().at(at).seconds;
            if (!here || *trials.all().at(*best).seconds < *here) {
                at = *best;
                improved = true;
            }
        }
    }
}

std::int64_t size_of(const std::vector<StudyAxis>& axes) {
    Study study;
    study.axes = axes;
    return study.size();
}

Result<void> check_axes(const std::vector<StudyAxis>& axes) {
    if (axes.empty()) {
        return fail(FailureKind::usage, "there is nothing to tune",
                    "name a parameter and its values");
    }
    std::set<std::string> seen;
    for (const StudyAxis& axis : axes) {
        if (!seen.insert(full_change_name(axis.name)).second) {
            return fail(FailureKind::usage, fmt::format("{} is tuned twice", axis.name));
        }
    }
    return {};
}

void rank(const Trials& trials, const Choice& best, Tuning& out) {
    std::optional<Choice> second;
    const double least = *trials.all().at(best).seconds;
    for (const auto& [choice, tried] : trials.all()) {
        ++out.tried;
        if (!tried.seconds) {
            ++out.impossible;
            continue;
        }
        out.within_1_percent += *tried.seconds <= flat * least ? 1 : 0;
        if (choice != best && (!second || *tried.seconds < *trials.all().at(*second).seconds)) {
            second = choice;
        }
    }
    out.best = trials.described(best);
    if (second) {
        out.runner_up = trials.described(*second);
    }
}

}  // namespace

Result<Tuning> tune(const Predictor& predictor, const Point& point,
                    const std::vector<StudyAxis>& axes, const TuneOptions& options) {
    if (auto checked = check_axes(axes); !checked) {
        return tl::unexpected(checked.error());
    }
    const auto base = predictor.predict(point);
    if (!base) {
        return tl::unexpected(base.error());
    }
    Tuning out;
    out.default_seconds = base->seconds;
    out.points = size_of(axes);
    out.proved = out.points >= 0 && out.points <= options.exhaustive;
    Trials trials(predictor, point, axes, options.threads);
    if (out.proved) {
        trials.need(every_choice(axes));
    } else {
        for (const Choice& start : starts(axes)) {
            descend(start, axes, trials);
        }
    }
    std::vector<Choice> all;
    for (const auto& [choice, tried] : trials.all()) {
        all.push_back(choice);
    }
    const auto best = trials.fastest(all);
    if (!best) {
        return tl::unexpected(*trials.first_failure());
    }
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::vector<Choice> line = line_through(*best, axes[i], i);
        trials.need(line);
        TunedAxis axis{axes[i].name, axes[i].values, {}};
        for (const Choice& choice : line) {
            axis.seconds.push_back(trials.all().at(choice).seconds);
        }
        out.axes.push_back(std::move(axis));
    }
    rank(trials, *best, out);
    return out;
}

}  // namespace warpline
