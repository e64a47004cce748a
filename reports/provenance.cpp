#include "warpline/reports/provenance.hpp"

#include "warpline/reports/phrases.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace warpline {

std::string flop_convention() {
    return "TFLOP/s counts work by flash-attention's convention: 2 queries x mean keys x (d_qk + "
           "d_v) per head and sequence, backward 2.5 times that; utilization is of executed work "
           "at the stated clock.";
}

std::vector<std::string> provenance_lines(const Prediction& p, const std::string& version) {
    std::string clock = fmt::format("{}: {:.0f} MHz", p.gpu, megahertz(p.clock.hz));
    if (p.clock.low && p.clock.high) {
        clock +=
            fmt::format(" ({:.0f} to {:.0f})", megahertz(*p.clock.low), megahertz(*p.clock.high));
    }
    return {clock + "; " + p.clock.origin,
            fmt::format("warpline {}; {} constants {}; {} pipeline {}", version, p.gpu, p.spec_hash,
                        p.plan.kernel, p.plan.hash)};
}

void add_new_lines(std::vector<std::string>& lines, std::vector<std::string> more) {
    for (std::string& line : more) {
        if (std::find(lines.begin(), lines.end(), line) == lines.end()) {
            lines.push_back(std::move(line));
        }
    }
}

}  // namespace warpline
