// Running a plan without time: every dependence between operations, in the order they must happen.
#pragma once

#include "warpline/diagnostics/failure.hpp"
#include "warpline/pipeline/kernel_plan.hpp"
#include "warpline/recurrence/least_times.hpp"

#include <cstdint>
#include <vector>

namespace warpline {

/// Why one event cannot happen before another.
struct Dependence {
    enum class Kind : std::uint8_t {
        program,  ///< the warp executes in order
        barrier,  ///< index is the barrier whose phase the source helps to complete
        drain,    ///< index is the Unit that served the awaited operation
        service,  ///< index is the Unit: from issue to the end of service
        order,    ///< index is the Unit, which serves the warp's operations in order
    };
    Kind kind = Kind::program;
    int index = 0;

    friend bool operator==(const Dependence&, const Dependence&) = default;
};

/// UntimedEvent `event` of `agent` happens at least `weight` ticks before the event that lists this
/// edge.
struct IncomingEdge {
    int agent = 0;
    int event = 0;
    Tick weight = 0;
    Dependence why;
};

/// An instant of one agent: the start of an operation, the resumption after a wait or drain, or
/// (served) the end of an asynchronous operation's service.
struct UntimedEvent {
    static constexpr std::int64_t before_loop = -1;
    static constexpr std::int64_t after_loop = INT64_MAX;
    int op = 0;
    bool served = false;
    std::int64_t iteration = before_loop;  ///< of the role's loop over blocks
    std::size_t edges_end =
        0;  ///< its incoming edges end here, and begin where those of the event before end
};

/// One warp, or four equal ones, and what it did.
struct AgentTrace {
    int role = 0;
    int sm = 0;
    int warp = 0;          ///< of the role; the first of four
    int multiplicity = 1;  ///< warps it stands for
    std::vector<UntimedEvent> events;
    std::vector<IncomingEdge> edges;
    std::vector<int> iteration_begin;  ///< first event of each iteration of the loop over blocks
};

/// Executes one tile of `blocks` blocks (the first of them masked) on one cluster. Errors:
/// deadlock, naming for each waiting role the barrier, the phase and who should have arrived;
/// infeasible when it takes more than 4 million operations.
[[nodiscard]] Result<std::vector<AgentTrace>> run_untimed(const KernelPlan& plan,
                                                          const MemoryEnvironment& memory,
                                                          std::int64_t blocks);

}  // namespace warpline
