// The reference simulator's clock, first-come-first-served units, SMEM port and tensor core.
#pragma once

#include "warpline/units/tick.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

namespace warpline::test {

/// Every condition on time is asked through reached(), so that no instant at which one changes is
/// missed.
class ReferenceClock {
  public:
    [[nodiscard]] Tick now() const { return now_; }
    [[nodiscard]] bool reached(Tick time) {
        if (time <= now_) {
            return true;
        }
        next_ = std::min(next_, time);
        return false;
    }
    void begin_pass() { next_ = never; }
    [[nodiscard]] bool advance() {
        if (next_ == never) {
            return false;
        }
        now_ = next_;
        return true;
    }

  private:
    static constexpr Tick never = std::numeric_limits<Tick>::max();
    Tick now_ = 0;
    Tick next_ = never;
};

/// A unit that serves one request after another.
struct ReferenceLine {
    Tick free = 0;
    Tick last_request = -1;

    /// When a request made now begins; if the unit was free then, up to `early` before.
    Tick join(Tick now, Tick duration, bool& tied, Tick early = 0) {
        tied = tied || last_request == now;
        last_request = now;
        const Tick begin = std::max(now - early, free);
        free = begin + duration;
        return begin;
    }
};

struct PortRequest {
    Tick left = 0;
    bool served = false;
};
using PortRequestPtr = std::shared_ptr<PortRequest>;

/// Serves the request at the front for a quantum; one that needs more goes to the back.
class ReferencePort {
  public:
    explicit ReferencePort(Tick quantum) : quantum_(quantum) {}

    PortRequestPtr ask(Tick now, Tick time, bool& tied) {
        tied = tied || last_join_ == now || last_turn_ == now ||
               (serving_ && end_ == now && queue_.front()->left > slice_);
        last_join_ = now;
        queue_.push_back(std::make_shared<PortRequest>(PortRequest{time, false}));
        return queue_.back();
    }

    bool step(ReferenceClock& clock) {
        if (serving_) {
            if (!clock.reached(end_)) {
                return false;
            }
            serving_ = false;
            const PortRequestPtr front = queue_.front();
            queue_.pop_front();
            front->left -= slice_;
            if (front->left == 0) {
                front->served = true;
            } else {
                queue_.push_back(front);
                last_turn_ = clock.now();
            }
            return true;
        }
        if (queue_.empty()) {
            return false;
        }
        serving_ = true;
        slice_ = std::min(quantum_, queue_.front()->left);
        end_ = clock.now() + slice_;
        return true;
    }

  private:
    Tick quantum_;
    std::deque<PortRequestPtr> queue_;
    bool serving_ = false;
    Tick slice_ = 0, end_ = 0;
    Tick last_join_ = -1, last_turn_ = -1;
};

/// One MMA instruction on its way through the tensor core.
struct MmaStep {
    Tick tensor = 0;
    Tick first_operand = 0;  ///< 0 but for the first of a chain
    std::function<std::vector<PortRequestPtr>()> fetch;
    std::function<void()> ended;
    std::vector<PortRequestPtr> operands;
    Tick fetch_begun = -1, begun = -1;

    [[nodiscard]] bool fetched() const {
        return fetch_begun >= 0 && std::all_of(operands.begin(), operands.end(),
                                               [](const auto& request) { return request->served; });
    }
};

class ReferenceTensor {
  public:
    std::function<void()> on_begin;  ///< a step has begun

    void push(MmaStep step) { steps_.push_back(std::move(step)); }
    [[nodiscard]] std::int64_t waiting() const {
        return static_cast<std::int64_t>(
            std::count_if(steps_.begin(), steps_.end(), [](const auto& s) { return s.begun < 0; }));
    }

    bool step(ReferenceClock& clock) {
        if (!steps_.empty() && steps_.front().begun >= 0 && steps_.front().fetched() &&
            clock.reached(steps_.front().begun + steps_.front().tensor)) {
            const auto ended = steps_.front().ended;
            steps_.pop_front();
            ended();
            return true;
        }
        for (std::size_t i = 0; i < steps_.size() && i < 2; ++i) {
            MmaStep& step = steps_[i];
            const bool previous_begun =
                i == 0 || (steps_[i - 1].begun >= 0 && steps_[i - 1].fetched());
            if (step.fetch_begun < 0 && previous_begun) {
                step.fetch_begun = clock.now();
                step.operands = step.fetch();
                return true;
            }
        }
        if (!steps_.empty() && steps_.front().begun < 0 && steps_.front().fetch_begun >= 0 &&
            clock.reached(steps_.front().fetch_begun + steps_.front().first_operand)) {
            steps_.front().begun = clock.now();
            on_begin();
            return true;
        }
        return false;
    }

  private:
    std::deque<MmaStep> steps_;  ///< the front one executes or is next
};

}  // namespace warpline::test
