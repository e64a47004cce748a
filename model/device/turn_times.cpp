#include "warpline/device/turn_times.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace warpline {
namespace {

/// Ticks within which two times are one: sums of the same steps in another order.
constexpr double same_time = 1e-3;

/// How many of at most `left` blocks go by, the first of them included, before a distance that is
/// `now` at the first and changes by `change` a block is more than `limit`. At least 1 where it is
/// not more at the first.
[[nodiscard]] std::int64_t blocks_within(double now, double change, double limit,
                                         std::int64_t left) {
    if (now > limit) {
        return 0;
    }
    if (change <= 0.0) {
        return left;
    }
    const double whole = std::floor((limit - now) / change) + 1.0;
    return whole >= static_cast<double>(left) ? left : static_cast<std::int64_t>(whole);
}

/// One tile on its way through the stretches of what it is granted.
class Walk {
  public:
    Walk(std::int64_t first, double start, const TurnPace& pace)
        : pace_(pace), taken_(BlockTimes::from(first)), asked_(start) {}

    /// Through `count` blocks that are granted at `granted`, `slope` more for each.
    void through(std::int64_t count, double granted, double slope) {
        while (count > 0) {
            const double late = granted - asked_;
            const std::int64_t went = late <= 0.0       ? free(count, granted, slope)
                                      : late <= slack() ? behind(count, granted, slope)
                                                        : held(count, granted, slope);
            granted += static_cast<double>(went) * slope;
            count -= went;
        }
    }

    [[nodiscard]] const BlockTimes& taken() const { return taken_; }
    [[nodiscard]] double last_asked() const { return last_asked_; }

  private:
    /// By how much a turn may come late without delaying the next.
    [[nodiscard]] double slack() const { return pace_.step - pace_.late_step + same_time; }

    /// Turns have come before they are asked for.
    std::int64_t free(std::int64_t count, double granted, double slope) {
        const std::int64_t went = blocks_within(granted - asked_, slope - pace_.step, 0.0, count);
        taken_.append(went, asked_, pace_.step);
        ask(asked_ + static_cast<double>(went) * pace_.step, pace_.step);
        return went;
    }

    /// Turns come late, but by no more than the tile's buffers take.
    std::int64_t behind(std::int64_t count, double granted, double slope) {
        const double drift = slope - pace_.step;
        std::int64_t went = blocks_within(granted - asked_, drift, slack(), count);
        if (drift < 0.0) {
            went = std::min(went, blocks_within(asked_ - granted, -drift,
                                                -std::numeric_limits<double>::min(), count));
        }
        went = std::max<std::int64_t>(went, 1);
        taken_.append(went, granted, slope);
        ask(asked_ + static_cast<double>(went) * pace_.step, pace_.step);
        return went;
    }

    /// Each turn delays the next.
    std::int64_t held(std::int64_t count, double granted, double slope) {
        const std::int64_t went = slope > pace_.step ? count : 1;
        taken_.append(went, granted, slope);
        const double last = granted + static_cast<double>(went - 1) * slope;
        ask(last + pace_.late_step, went > 1 ? slope : last + pace_.late_step - asked_);
        return went;
    }

    void ask(double next, double after_last) {
        last_asked_ = next - after_last;
        asked_ = next;
    }

    const TurnPace& pace_;
    BlockTimes taken_;
    double asked_;
    double last_asked_ = 0.0;
};

[[nodiscard]] BlockTimes passed_on(const BlockTimes& taken, const TurnPace& pace) {
    const std::int64_t first = taken.begin();
    const std::int64_t end = taken.end();
    const std::int64_t last_ones = std::min(pace.behind, end - first);
    BlockTimes passed = BlockTimes::from(first);
    const auto& stretches = taken.stretches();
    for (std::size_t i = 0; i < stretches.size(); ++i) {
        const std::int64_t from = std::max(stretches[i].from, first + last_ones);
        const std::int64_t to = taken.end_of_stretch(i);
        if (from < to) {
            passed.append(to - from, stretches[i].at(from) + pace.pass, stretches[i].step);
        }
    }
    if (last_ones > 0) {
        passed.append(last_ones, taken.at(end - 1) + pace.last_pass, 0.0);
    }
    return passed;
}

}  // namespace

BlockTimes BlockTimes::from(std::int64_t begin) {
    BlockTimes times;
    times.end_ = begin;
    return times;
}

void BlockTimes::append(std::int64_t count, double time, double step) {
    if (count <= 0) {
        return;
    }
    if (!stretches_.empty()) {
        TimeStretch& last = stretches_.back();
        const bool one_long = end_ - last.from == 1;
        const double gap = time - last.at(end_ - 1);
        if (one_long && count == 1) {
            last.step = gap;
            end_ += count;
            return;
        }
        if (std::abs(gap - step) < same_time &&
            (one_long || std::abs(last.step - step) < same_time)) {
            last.step = one_long ? step : last.step;
            end_ += count;
            return;
        }
        if (count == 1 && std::abs(gap - last.step) < same_time) {
            end_ += count;
            return;
        }
    }
    stretches_.push_back({end_, time, step});
    end_ += count;
}

std::size_t BlockTimes::stretch_of(std::int64_t block) const {
    const auto after = std::upper_bound(
        stretches_.begin(), stretches_.end(), block,
        [](std::int64_t value, const TimeStretch& stretch) { return value < stretch.from; });
    return static_cast<std::size_t>(after - stretches_.begin()) - 1;
}

double BlockTimes::at(std::int64_t block) const {
    return stretches_[stretch_of(block)].at(block);
}

void BlockTimes::overwrite(const BlockTimes& other) {
    const std::int64_t first = std::max(begin(), other.begin());
    const std::int64_t last = std::min(end_, other.end());
    if (first >= last) {
        return;
    }
    BlockTimes merged = from(begin());
    const auto copy = [&merged](const BlockTimes& source, std::int64_t begin, std::int64_t end) {
        for (std::int64_t block = begin; block < end;) {
            const std::size_t i = source.stretch_of(block);
            const std::int64_t to = std::min(end, source.end_of_stretch(i));
            merged.append(to - block, source.stretches()[i].at(block), source.stretches()[i].step);
            block = to;
        }
    };
    copy(*this, begin(), first);
    copy(other, first, last);
    copy(*this, last, end_);
    *this = std::move(merged);
}

TileTurns take_turns(std::int64_t first, std::int64_t count, double start, const TurnPace& pace,
                     const BlockTimes& granted) {
    Walk walk(first, start, pace);
    const std::int64_t end = first + count;
    for (std::int64_t block = first; block < end;) {
        const std::size_t i = granted.stretch_of(block);
        const std::int64_t to = std::min(end, granted.end_of_stretch(i));
        const TimeStretch& stretch = granted.stretches()[i];
        walk.through(to - block, stretch.at(block), stretch.step);
        block = to;
    }
    TileTurns turns;
    turns.taken = walk.taken();
    turns.passed = passed_on(turns.taken, pace);
    // A last turn that comes late delays the end only by what is left of its own work.
    turns.end = std::max(walk.last_asked() + pace.after,
                         turns.taken.at(end - 1) + std::min(pace.last_pass, pace.after));
    return turns;
}

}  // namespace warpline
