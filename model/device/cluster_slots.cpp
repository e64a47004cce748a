#include "warpline/device/cluster_slots.hpp"

#include <fmt/format.h>

namespace warpline {

Result<ClusterSlots> cluster_slots(const GpuSpec& spec, std::int64_t cluster,
                                   std::int64_t ctas_per_sm) {
    ClusterSlots out{0, ctas_per_sm, cluster, spec.sm_count};
    if (spec.gpc_sms.empty()) {
        out.positions = spec.sm_count / cluster;
    }
    for (const int sms : spec.gpc_sms) {
        out.positions += sms / cluster;
    }
    if (out.slots() < 1) {
        return fail(
            FailureKind::infeasible,
            fmt::format("a cluster of {} CTAs does not fit in any GPC of {}", cluster, spec.id));
    }
    return out;
}

}  // namespace warpline
