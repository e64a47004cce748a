#include "warpline/engine/releases.hpp"

#include "warpline/engine/compiled_plan.hpp"
#include "warpline/engine/simulation.hpp"
#include "warpline/pipeline/mechanism.hpp"

#include <algorithm>
#include <utility>

namespace warpline {

Arrival ReleaseLog::landed(int instance, Tick now) {
    const auto found = std::find_if(on_way_.begin(), on_way_.end(), [&](const OnWay& arrival) {
        return arrival.instance == instance && arrival.due == now;
    });
    if (found == on_way_.end()) {
        return {};
    }
    const Arrival by = found->by;
    on_way_.erase(found);
    return by;
}

void ReleaseLog::flipped(int instance, int first_stage, StageFlip flip) {
    flip.stage = shown_as(instance) - first_stage;
    flips.push_back(flip);
}

Result<Recording> record(const KernelPlan& plan, const std::vector<TileRun>& tiles,
                         const MemoryEnvironment& memory, const EngineOptions& options) {
    EngineOptions recording = options;
    recording.record_events = true;
    const KernelPlan machine = without(plan, options.ideal);
    const CompiledPlan compiled = compile(machine, recording);
    const MemoryEnvironment seen = without(memory, options.ideal);
    ReleaseLog log;
    Simulation simulation(machine, compiled, tiles, seen, recording);
    simulation.log_releases(log);
    Result<Schedule> schedule = simulation.run();
    if (!schedule) {
        return tl::unexpected(schedule.error());
    }
    return Recording{std::move(*schedule), std::move(log.releases), std::move(log.skips),
                     std::move(log.flips)};
}

}  // namespace warpline
