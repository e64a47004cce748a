// The rules of model/engine/README.md once more, slowly: every warp instruction by itself, every
// warp of every role, no folding, no event queue. Time goes from one instant at which anything
// could change to the next; at each, everything that can happen happens until nothing more can.
//
// It shares no code with the engine, only the plan's own types.
#pragma once

#include "warpline/pipeline/kernel_plan.hpp"

#include <string>
#include <vector>

namespace warpline::test {

struct ReferenceResult {
    Tick makespan = 0;
    std::vector<Tick> tile_ends;
    /// Two requests reached one first-come-first-served unit at the same instant: their order is
    /// not defined by the rules, so a comparison says nothing.
    bool tied = false;
    bool stuck = false;
};

[[nodiscard]] ReferenceResult reference_simulate(const KernelPlan& plan,
                                                 const std::vector<TileRun>& tiles,
                                                 const MemoryEnvironment& memory,
                                                 const std::vector<Tick>& role_offsets = {});

}  // namespace warpline::test
