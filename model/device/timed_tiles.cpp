#include "warpline/device/timed_tiles.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace warpline {
namespace {

constexpr std::int64_t longest_pattern = 64;  // runs; beyond it, repetitions are written out

[[nodiscard]] TileClass longer(TileClass tile, std::int64_t blocks) {
    tile.blocks += blocks;
    return tile;
}

/// Sections of one group, as they are added.
class Timing {
  public:
    Timing(const TileTimes& times, const TileDuration& duration, std::size_t most)
        : times_(times), duration_(duration), left_(most) {}

    /// Whether all of the section's runs still fit.
    [[nodiscard]] bool add(const TileSection& section) {
        if (section.runs.empty()) {
            return !full_;
        }
        const std::int64_t cycle = cycle_of(section);
        const std::vector<TileRun> pattern = unrolled(section, cycle);
        const std::int64_t repeats = section.repeats / cycle;
        const std::int64_t step = section.step * cycle;
        for (std::int64_t done = 0; done < repeats && !full_;) {
            done += add_line(pattern, done * step, step, repeats - done);
        }
        for (std::int64_t i = repeats * cycle; i < section.repeats && !full_; ++i) {
            add_once(timed(section.runs, i * section.step));
        }
        return !full_;
    }

    [[nodiscard]] std::vector<TimedSection> take() { return std::move(sections_); }

  private:
    /// Repetitions after which every tile is on its own line again.
    [[nodiscard]] std::int64_t cycle_of(const TileSection& section) const {
        std::int64_t cycle = 1;
        for (const TileRun& run : section.runs) {
            cycle = std::lcm(cycle, times_.cycle(run.tile, section.step));
            if (cycle * static_cast<std::int64_t>(section.runs.size()) > longest_pattern) {
                return 1;
            }
        }
        return cycle;
    }

    [[nodiscard]] static std::vector<TileRun> unrolled(const TileSection& section,
                                                       std::int64_t cycle) {
        std::vector<TileRun> runs;
        for (std::int64_t i = 0; i < cycle; ++i) {
            for (const TileRun& run : section.runs) {
                runs.push_back({longer(run.tile, i * section.step), run.count});
            }
        }
        return runs;
    }

    [[nodiscard]] std::vector<TimedRun> timed(const std::vector<TileRun>& runs,
                                              std::int64_t blocks) {
        full_ = full_ || left_ < runs.size();
        left_ -= std::min(left_, runs.size());
        std::vector<TimedRun> out;
        for (const TileRun& run : runs) {
            if (run.count > 0) {
                const TileClass tile = longer(run.tile, blocks);
                out.push_back({tile, duration_(tile), run.count});
            }
        }
        return out;
    }

    void add_once(std::vector<TimedRun> once) {
        if (once.empty()) {
            return;
        }
        if (sections_.empty() || sections_.back().repeats > 1) {
            sections_.push_back({std::move(once), 1, 0, 0.0});
        } else {
            std::vector<TimedRun>& last = sections_.back().runs;
            last.insert(last.end(), once.begin(), once.end());
        }
    }

    /// Adds as many of `most` repetitions as are one progression; returns how many.
    std::int64_t add_line(const std::vector<TileRun>& pattern, std::int64_t blocks,
                          std::int64_t step, std::int64_t most) {
        std::int64_t count = most;
        for (const TileRun& run : pattern) {
            count = std::min(count, times_.on_one_line(longer(run.tile, blocks), step, count));
        }
        std::vector<TimedRun> runs = timed(pattern, blocks);
        const std::optional<double> rise =
            count > 1 && !runs.empty() ? common_rise(runs, step, count) : std::nullopt;
        if (!rise) {
            add_once(std::move(runs));
            return 1;
        }
        sections_.push_back({std::move(runs), count, step, *rise});
        return count;
    }

    /// What each duration rises by in each of `count` repetitions, when it does so evenly.
    [[nodiscard]] std::optional<double> common_rise(const std::vector<TimedRun>& runs,
                                                    std::int64_t step, std::int64_t count) const {
        const double rise = duration_(longer(runs.front().tile, step)) - runs.front().duration;
        for (const TimedRun& run : runs) {
            const double second = duration_(longer(run.tile, step));
            const double last = duration_(longer(run.tile, (count - 1) * step));
            if (second != run.duration + rise ||
                last != run.duration + static_cast<double>(count - 1) * rise) {
                return std::nullopt;
            }
        }
        return rise;
    }

    const TileTimes& times_;
    const TileDuration& duration_;
    std::size_t left_;  ///< runs
    bool full_ = false;
    std::vector<TimedSection> sections_;
};

}  // namespace

std::int64_t TimedSection::tiles_a_repeat() const {
    std::int64_t tiles = 0;
    for (const TimedRun& run : runs) {
        tiles += run.count;
    }
    return tiles;
}

std::optional<std::vector<TimedSection>> time_tiles(const HeadTiles& head, const TileTimes& times,
                                                    const TileDuration& duration,
                                                    std::size_t most) {
    Timing timing(times, duration, most);
    for (const TileSection& section : head.sections) {
        if (!timing.add(section)) {
            return std::nullopt;
        }
    }
    return timing.take();
}

double TileCursor::shortest() const {
    double shortest = std::numeric_limits<double>::infinity();
    for (const TimedRun& run : section().runs) {
        shortest = std::min(shortest, run.duration);
    }
    return shortest + static_cast<double>(repeat_) * section().duration_step;
}

}  // namespace warpline
