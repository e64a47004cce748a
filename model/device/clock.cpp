#include "warpline/device/clock.hpp"

#include <fmt/format.h>

namespace warpline {
namespace {

[[nodiscard]] double hertz(const ClockHz& clock) {
    return boost::rational_cast<double>(clock);
}

[[nodiscard]] std::string source_of(const GpuSpec& spec, const std::string& key) {
    const auto found = spec.constants.find(key);
    return found == spec.constants.end() || found->second.source.empty()
               ? std::string()
               : fmt::format(" ({})", found->second.source);
}

}  // namespace

Result<ClockChoice> choose_clock(const GpuSpec& spec, const PredictOptions& options) {
    if (options.clock && options.boost_clock) {
        return fail(FailureKind::usage, "both a fixed clock and the boost clock were asked for");
    }
    ClockChoice choice;
    if (options.clock) {
        choice.hz = *options.clock;
        choice.origin = options.clock_origin.empty()
                            ? fmt::format("--clock {:.6g}MHz", hertz(choice.hz) / 1e6)
                            : options.clock_origin;
    } else if (options.boost_clock) {
        choice.hz = spec.clocks.boost;
        choice.origin = spec.id + " boost clock" + source_of(spec, "clock.boost");
    } else {
        choice.hz = spec.clocks.sustained;
        choice.low = spec.clocks.sustained_low;
        choice.high = spec.clocks.sustained_high;
        choice.origin = spec.id + " sustained attention clock" + source_of(spec, "clock.sustained");
    }
    if (choice.hz <= 0) {
        return fail(FailureKind::usage, "the clock must be positive");
    }
    return choice;
}

double loaded_clock_share(const GpuSpec& spec) {
    const auto share = spec.constants.find("clock.sampled_share");
    return share == spec.constants.end() ? 1.0 : share->second.value;
}

double seconds_from_cycles(double cycles, const ClockHz& clock) {
    return cycles / hertz(clock);
}

}  // namespace warpline
