// A strict reader of the Trace Event format, for what this project writes of it.
#pragma once

#include <string>
#include <vector>

namespace warpline::test {

/// What a trace breaks of the format's rules and of this project's own: valid JSON; every event
/// with the fields of its kind and no others; processes and threads named before they are used;
/// slices of a thread in order of time and apart, also when viewers cut their times off to whole
/// nanoseconds; each flow id with one start and one end, each inside a slice, the end not before
/// the start; counters in order of time.
[[nodiscard]] std::vector<std::string> trace_violations(const std::string& text);

}  // namespace warpline::test
