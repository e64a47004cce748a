// The in-kernel timeline as a table.
#pragma once

#include "device_problem.hpp"

namespace attention {

// What a timeline costs, and what it was taken of: lines for the table's head.
struct TimelineHead {
    std::vector<std::string> lines;
};

// Room on the GPU for the records of `ctas` CTAs.
class TimelineBuffer {
  public:
    TimelineBuffer(const Kernel& kernel, int ctas);

    [[nodiscard]] TimelineView view() const;
    void clear();

    // Writes the records of the first `ctas` CTAs: role,step,edge,tile,block,clock,cta,sm, by role
    // in order of time. Clocks are SM cycles since the CTA's first record. The head's lines come
    // first, each behind "# ".
    void write(int ctas, const TimelineHead& head, const std::string& path) const;

  private:
    std::vector<std::string> roles_;
    bool overlap_;
    int ctas_;
    micro::DeviceArray<TimelineRecord> records_;
    micro::DeviceArray<unsigned> sm_;
};

}  // namespace attention
