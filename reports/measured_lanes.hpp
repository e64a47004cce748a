// A measured in-kernel timeline as lanes of slices that never overlap, to stand beside a simulated
// one.
#pragma once

#include "warpline/validate/timeline.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpline {

struct MeasuredSlice {
    int lane = 0;
    std::string step;
    std::int64_t tile = 0, block = 0;
    double begin = 0.0, end = 0.0;  ///< cycles after the timeline's first stamp; begin < end
    double stamped = 0.0;           ///< begin, on the kernel's own clock
    bool in_flight = false;         ///< from handing work over to its end
};

struct MeasuredLanes {
    std::vector<std::string> lanes;     ///< "load", "consumer[0]", "consumer[0] in flight"
    std::vector<MeasuredSlice> slices;  ///< by lane, then begin
};

/// A lane for what each role issues, and lanes for what it has in flight. Executions of which only
/// the begin was stamped are left out.
[[nodiscard]] MeasuredLanes measured_lanes(const Timeline& timeline);

}  // namespace warpline
