// Work spread over threads, with results that do not depend on how many there are.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace warpline {

/// Calls work(i) once for every i in [0, count), from at most `threads` threads (0: one for each
/// core). `work` must be safe to call from several at once; it writes what it finds to place i.
void for_each_index(std::int64_t count, int threads, const std::function<void(std::int64_t)>& work);

/// Makes a text of every i in [begin, end), in parallel, and hands them to `take` in order of i,
/// one at a time. Holds only a few texts for each thread. Ends early when `take` returns false.
void stream_in_order(std::int64_t begin, std::int64_t end, int threads,
                     const std::function<std::string(std::int64_t)>& make,
                     const std::function<bool(const std::string&)>& take);

}  // namespace warpline
