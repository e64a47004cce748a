#include "warpline/explore/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>
#include <utility>

namespace warpline {
namespace {

constexpr std::size_t texts_a_thread = 8;

/// As many threads as asked for, also where there are fewer cores.
class Threads {
  public:
    explicit Threads(int threads)
        : limit_(tbb::global_control::max_allowed_parallelism,
                 std::max(static_cast<std::size_t>(std::max(threads, 1)),
                          tbb::global_control::active_value(
                              tbb::global_control::max_allowed_parallelism))),
          arena_(threads > 0 ? threads : tbb::task_arena::automatic) {}

    [[nodiscard]] tbb::task_arena& arena() { return arena_; }

  private:
    tbb::global_control limit_;
    tbb::task_arena arena_;
};

}  // namespace

void for_each_index(std::int64_t count, int threads,
                    const std::function<void(std::int64_t)>& work) {
    Threads(threads).arena().execute(
        [&] { tbb::parallel_for(std::int64_t{0}, count, [&](std::int64_t i) { work(i); }); });
}

void stream_in_order(std::int64_t begin, std::int64_t end, int threads,
                     const std::function<std::string(std::int64_t)>& make,
                     const std::function<bool(const std::string&)>& take) {
    Threads spread(threads);
    tbb::task_arena& arena = spread.arena();
    std::int64_t next = begin;
    std::atomic<bool> stopped = false;
    const auto number = [&](tbb::flow_control& flow) -> std::int64_t {
        if (next >= end || stopped) {
            flow.stop();
            return end;
        }
        return next++;
    };
    const auto take_one = [&](const std::string& text) {
        if (!stopped && !take(text)) {
            stopped = true;
        }
    };
    const auto make_one = [&](std::int64_t i) { return stopped ? std::string() : make(i); };
    arena.execute([&] {
        const std::size_t tokens =
            texts_a_thread * static_cast<std::size_t>(arena.max_concurrency());
        tbb::parallel_pipeline(
            tokens,
            tbb::make_filter<void, std::int64_t>(tbb::filter_mode::serial_in_order, number) &
                tbb::make_filter<std::int64_t, std::string>(tbb::filter_mode::parallel, make_one) &
                tbb::make_filter<std::string, void>(tbb::filter_mode::serial_in_order, take_one));
    });
}

}  // namespace warpline
