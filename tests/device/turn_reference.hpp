// CTAs that take turns, event by event: the plain way to find what device/place_in_turn.hpp finds.
#pragma once

#include "warpline/device/place_tiles.hpp"
#include "warpline/device/turn_times.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <utility>
#include <vector>

namespace warpline::test {

/// A tile in launch order; `alone` ticks where it never waits.
struct LaunchedTile {
    std::int64_t head = 0;
    std::int64_t first = 0;
    std::int64_t count = 0;
    double alone = 0.0;
};

/// A counter for each block of each head says how many tiles have passed it on; a tile's turn has
/// come when that is how many tiles before it have the block, too.
class TurnReference {
  public:
    TurnReference(std::vector<LaunchedTile> tiles, std::int64_t slots, const TurnPace& pace,
                  const LaunchCost& launch)
        : tiles_(std::move(tiles)), pace_(pace), launch_(launch), states_(tiles_.size()) {
        std::map<Block, std::int64_t> seen;
        for (std::size_t t = 0; t < tiles_.size(); ++t) {
            for (std::int64_t i = 0; i < tiles_[t].count; ++i) {
                states_[t].ranks.push_back(seen[block(t, i)]++);
            }
        }
        for (std::int64_t slot = 0; slot < slots; ++slot) {
            ends_.push_back(0.0);
            at(0.0, [this, slot] { slot_is_free(slot); });
        }
    }

    /// The end of each slot's last tile.
    [[nodiscard]] const std::vector<double>& run() {
        while (!events_.empty()) {
            const Event event = events_.top();
            events_.pop();
            now_ = event.time;
            event.what();
        }
        return ends_;
    }
    [[nodiscard]] std::size_t done() const { return done_; }

  private:
    using Block = std::pair<std::int64_t, std::int64_t>;  // head, block
    struct State {
        std::int64_t slot = 0;
        double asked = 0.0;
        std::vector<std::int64_t> ranks;
    };
    struct Event {
        double time = 0.0;
        std::int64_t number = 0;
        std::function<void()> what;
        friend bool operator>(const Event& a, const Event& b) {
            return std::pair(a.time, a.number) > std::pair(b.time, b.number);
        }
    };

    [[nodiscard]] Block block(std::size_t tile, std::int64_t i) const {
        return {tiles_[tile].head, tiles_[tile].first + i};
    }
    void at(double time, std::function<void()> what) {
        events_.push({time, number_++, std::move(what)});
    }

    void slot_is_free(std::int64_t slot) {
        if (next_ == tiles_.size()) {
            return;
        }
        const std::size_t t = next_++;
        const LaunchedTile& tile = tiles_[t];
        states_[t].slot = slot;
        if (tile.count == 0) {
            at(now_ + launch_.start + tile.alone, [this, t] { end(t); });
            return;
        }
        const double before =
            tile.alone - pace_.after - static_cast<double>(tile.count - 1) * pace_.step;
        at(now_ + launch_.start + before, [this, t] { ask(t, 0); });
    }

    void ask(std::size_t t, std::int64_t i) {
        states_[t].asked = now_;
        if (counters_[block(t, i)] == states_[t].ranks[static_cast<std::size_t>(i)]) {
            take(t, i);
        } else {
            waiting_[block(t, i)].push_back({t, i});
        }
    }

    void take(std::size_t t, std::int64_t i) {
        const std::int64_t count = tiles_[t].count;
        if (i >= pace_.behind) {
            pass_at(now_ + pace_.pass, block(t, i - pace_.behind));
        }
        if (i + 1 < count) {
            const double next = std::max(states_[t].asked + pace_.step, now_ + pace_.late_step);
            at(next, [this, t, i] { ask(t, i + 1); });
            return;
        }
        for (std::int64_t late = std::max<std::int64_t>(0, count - pace_.behind); late < count;
             ++late) {
            pass_at(now_ + pace_.last_pass, block(t, late));
        }
        at(std::max(states_[t].asked + pace_.after, now_ + std::min(pace_.last_pass, pace_.after)),
           [this, t] { end(t); });
    }

    void pass_at(double time, Block which) {
        at(time, [this, which] {
            ++counters_[which];
            auto& waiting = waiting_[which];
            for (auto it = waiting.begin(); it != waiting.end(); ++it) {
                const auto [t, i] = *it;
                if (counters_[which] == states_[t].ranks[static_cast<std::size_t>(i)]) {
                    waiting.erase(it);
                    take(t, i);
                    return;
                }
            }
        });
    }

    void end(std::size_t t) {
        ++done_;
        const std::int64_t slot = states_[t].slot;
        ends_[static_cast<std::size_t>(slot)] = now_ + launch_.exit;
        at(now_ + launch_.exit, [this, slot] { slot_is_free(slot); });
    }

    std::vector<LaunchedTile> tiles_;
    TurnPace pace_;
    LaunchCost launch_;
    std::vector<State> states_;
    std::vector<double> ends_;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    std::map<Block, std::int64_t> counters_;
    std::map<Block, std::vector<std::pair<std::size_t, std::int64_t>>> waiting_;
    std::int64_t number_ = 0;
    std::size_t next_ = 0;
    std::size_t done_ = 0;
    double now_ = 0.0;
};

}  // namespace warpline::test
