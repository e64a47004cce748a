#include "reference_simulator.hpp"

#include "reference_run.hpp"

namespace warpline::test {

ReferenceResult reference_simulate(const KernelPlan& plan, const std::vector<TileRun>& tiles,
                                   const MemoryEnvironment& memory,
                                   const std::vector<Tick>& role_offsets) {
    return ReferenceRun(plan, tiles, memory, role_offsets).run();
}

}  // namespace warpline::test
