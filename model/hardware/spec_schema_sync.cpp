#include "warpline/hardware/spec_schema_parts.hpp"

namespace warpline {
namespace {

SpecKey timing(const char* key, const char* meaning, const char* capability,
               Tick SyncTimings::*member) {
    return {key,
            not_negative("clk", 1e6),
            meaning,
            capability,
            Need::required,
            [member](GpuSpec& s, const ConstantValue& v) {
                s.sync.*member = round_to_ticks(v.number);
            }};
}

SpecKey launch(const char* key, const char* meaning, double LaunchTimings::*member) {
    constexpr double seconds_per_us = 1e-6;
    return {key,
            not_negative("us", 1e6),
            meaning,
            "",
            Need::required,
            [member](GpuSpec& s, const ConstantValue& v) {
                s.launch.*member = v.number * seconds_per_us;
            }};
}

}  // namespace

std::vector<SpecKey> sync_keys() {
    return {
        timing("sync.mbarrier_arrive", "arrive instruction -> the phase can flip", "",
               &SyncTimings::mbarrier_arrive),
        timing("sync.mbarrier_wait",
               "phase flipped -> a polling waiter issues its next instruction", "",
               &SyncTimings::mbarrier_wait),
        timing("sync.remote_arrive", "added when the barrier is in a peer CTA's shared memory",
               "cluster", &SyncTimings::remote_arrive),
        timing("sync.named_barrier", "last arrival -> the waiters issue", "",
               &SyncTimings::named_barrier),
        timing("sync.cta_start", "CTA launch -> first instruction, with barrier and TMEM set-up",
               "", &SyncTimings::cta_start),
        timing("sync.cta_exit", "last role done -> the SM can take another CTA", "",
               &SyncTimings::cta_exit),
        launch("launch.kernel", "shortest time between two events around one kernel",
               &LaunchTimings::kernel_seconds),
        launch("launch.graph_kernel", "the same for a kernel inside a graph",
               &LaunchTimings::graph_kernel_seconds),
    };
}

}  // namespace warpline
