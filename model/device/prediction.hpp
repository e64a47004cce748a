// The answer to a user's question, complete: numbers, bounds, reasons, assumptions and provenance.
#pragma once

#include "warpline/engine/engine.hpp"
#include "warpline/engine/schedule.hpp"
#include "warpline/hardware/gpu_spec.hpp"
#include "warpline/pipeline/kernel_plan.hpp"
#include "warpline/recurrence/recurrence.hpp"
#include "warpline/roofline/roofline.hpp"
#include "warpline/workload/attention.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace warpline {

struct ClockChoice {
    ClockHz hz;
    std::optional<ClockHz> low, high;  ///< interval of a default clock
    std::string origin;  ///< "b200 sustained attention clock (source)", "--clock 1755MHz"
};

/// The three answers in cycles per loop step of one cluster.
struct SteadyAnswers {
    double roofline = 0.0;
    double recurrence = 0.0;
    double simulated = 0.0;
    std::int64_t rows = 0;   ///< of the step: rows of the tile
    std::int64_t block = 0;  ///< and columns
};

/// How tiles were spread over the GPU.
struct WaveSummary {
    std::int64_t tiles = 0;
    std::int64_t slots = 0;            ///< clusters that run at a time
    double waves = 0.0;                ///< tiles / slots
    double makespan_cycles = 0;        ///< first launch to last exit
    double mean_active_cycles = 0;     ///< mean over all SMs of cycles with a resident CTA
    double tail_cycles = 0;            ///< makespan less the mean over slots of their last exit
    double makespan_error_cycles = 0;  ///< bound on the placement's error; 0: exact for its order
    double turn_wait_cycles = 0;       ///< of the makespan: CTAs waited for their turns in an order
    double first_tile_cycles = 0, middle_tile_cycles = 0,
           last_tile_cycles = 0;    ///< of the longest class
    bool loop_runs = true;          ///< some tile has a block to loop over
    bool memory_bound = false;      ///< L2 or HBM traffic, not the SMs, sets the time
    bool l2_bound = false;          ///< and it is L2
    bool fetch_bound = false;       ///< fetching machine code sets the time
    double code_bytes = 0;          ///< of machine code, at most, that a tile passes through
    double fetched_code_share = 0;  ///< of it, fetched again for each tile; 0: fits, or not known
    double hbm_bytes = 0;
    double l2_bytes = 0;
};

/// One row of the unit table.
struct UnitReport {
    Unit unit = Unit::issue;
    double busy = 0.0;              ///< fraction of the simulated step, busiest instance
    double demand_cycles = 0.0;     ///< per loop step
    double only_this_limits = 0.0;  ///< TFLOP/s if nothing else limited; infinite without demand
    /// Over the whole problem, mean over the GPU's SMs: sum over the unit's instances, cycles.
    double work_per_sm = 0.0;
};

/// What the board draws while the kernel runs again and again.
struct PowerAccount {
    struct Part {
        std::string name;
        double watts = 0.0;
    };
    double watts = 0.0;
    double limit_watts = 0.0;
    ClockHz ceiling;  ///< the clock without the limit
    std::vector<Part> parts;
};

/// A kernel that does little but move bytes, beside the one or ones that a prediction is of.
struct SideTime {
    std::string name;
    bool after = false;  ///< them; else before
    double seconds = 0.0;
};

/// Of one kernel; or of several that run one after the other, each in `kernels`. Then times, work
/// and bytes are sums; a unit is as busy as its mean over their time and has no demand; and there
/// is no steady step (its rows are 0), recurrence, schedule, or plan beyond names and parameters.
struct Prediction {
    AttentionProblem problem;
    std::string gpu, kernel;
    ClockChoice clock;
    double seconds = 0.0;
    double makespan_cycles = 0.0;  ///< launch overhead excluded
    double counted_flops = 0.0;    ///< flash-attention's convention
    double executed_flops = 0.0;   ///< on the tensor cores, masked and padded work included
    double tflops = 0.0;           ///< counted / seconds
    double utilization = 0.0;      ///< executed / (peak at the clock * seconds)
    SteadyAnswers steady;
    Roofline steady_roofline;
    RecurrenceBound recurrence;
    Schedule schedule;  ///< of one cluster over a long tile; events recorded on request
    WaveSummary waves;
    std::vector<UnitReport> units;
    std::string
        bound_by;  ///< one phrase: "tensor core", "latency of the S-P loop of softmax[0]", "HBM"
    std::optional<PowerAccount> power;  ///< on request
    KernelPlan plan;
    std::vector<std::string> assumptions;
    std::string version, spec_hash;
    std::vector<SideTime> side_times;  ///< part of `seconds`
    std::vector<Prediction> kernels;   ///< in the order they run; empty: one kernel, this
};

struct PredictOptions {
    std::optional<ClockHz> clock;  ///< --clock 1755MHz
    std::string clock_origin;      ///< of `clock`; empty: the command line
    bool boost_clock = false;      ///< --clock boost
    bool record_events = false;
    bool graph_launch = false;
    /// Hold the clock (boost, where none is asked for) at what the board's power limit allows.
    bool power_limit = false;
    std::set<Mechanism> ideal;
    int granularity = 1;
};

/// The whole question. Errors: those of the parts.
[[nodiscard]] Result<Prediction> predict(const GpuSpec& spec, const KernelPlan& plan,
                                         const AttentionProblem& problem,
                                         const PredictOptions& options = {});

}  // namespace warpline
