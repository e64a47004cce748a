#include "warpline/roofline/roofline.hpp"

#include "warpline/roofline/execution_counts.hpp"
#include "warpline/roofline/op_demand.hpp"
#include "warpline/roofline/steady_shape.hpp"

#include <algorithm>

namespace warpline {
namespace {

/// Demand of every unit instance of a cluster: units of SM scope are kept at sub-partition 0.
class ClusterDemand {
  public:
    explicit ClusterDemand(const KernelPlan& plan)
        : plan_(plan),
          sub_partitions_(static_cast<std::size_t>(plan.machine.sub_partitions)),
          instances_(static_cast<std::size_t>(plan.cluster) * sub_partitions_, UnitTicks{}) {}

    void add_role(const Role& role, const OpDemand& one_warp) {
        const int sms = role.leader_only ? 1 : plan_.cluster;
        for (int sm = 0; sm < sms; ++sm) {
            for (int warp = 0; warp < role.warps; ++warp) {
                const auto place =
                    static_cast<std::size_t>(role.first_warp + warp) % sub_partitions_;
                add(sm, place, one_warp.here);
                add(peer_of(sm, plan_.cluster), place, one_warp.peer);
                for (int other = 0; other < plan_.cluster; ++other) {
                    if (other != sm) {
                        add(other, place, one_warp.others);
                    }
                }
            }
        }
    }

    /// Divided by `parts`.
    [[nodiscard]] Roofline busiest(double parts) const {
        Roofline result;
        for (const Unit unit : all_units()) {
            double most = 0.0;
            for (const UnitTicks& instance : instances_) {
                most = std::max(most, instance[static_cast<std::size_t>(unit)]);
            }
            const double residents = shared(unit) ? plan_.ctas_per_sm : 1.0;
            const double ticks = most * (residents / parts);
            result.demand.push_back({unit, ticks});
            if (ticks > result.ticks) {
                result.bound = unit;
                result.ticks = ticks;
            }
        }
        return result;
    }

  private:
    /// False: every warp has one of its own, see mechanism.hpp.
    [[nodiscard]] bool shared(Unit unit) const {
        switch (unit) {
            case Unit::issue:
                return plan_.machine.issue_contention;
            case Unit::fma:
            case Unit::alu:
            case Unit::xu:
            case Unit::lsu:
            case Unit::adu:
                return plan_.machine.pipe_contention;
            case Unit::smem:
                return plan_.machine.smem_contention;
            default:
                return true;
        }
    }

    [[nodiscard]] bool per_sub_partition(Unit unit) const {
        switch (unit) {
            case Unit::smem:
            case Unit::tma:
            case Unit::memory:
                return false;
            case Unit::tensor:
                return plan_.machine.tensor_scope == UnitScope::sub_partition;
            default:
                return true;
        }
    }

    void add(int sm, std::size_t sub_partition, const UnitTicks& ticks) {
        const auto base = static_cast<std::size_t>(sm) * sub_partitions_;
        for (const Unit unit : all_units()) {
            const auto u = static_cast<std::size_t>(unit);
            double& sum = instances_[base + (per_sub_partition(unit) ? sub_partition : 0)][u];
            if (shared(unit)) {
                sum += ticks[u];
            } else if (unit != Unit::smem) {  // requests of one warp may pass the port together
                sum = std::max(sum, ticks[u]);
            }
        }
    }

    const KernelPlan& plan_;
    std::size_t sub_partitions_;
    std::vector<UnitTicks> instances_;
};

void add_scaled(UnitTicks& sum, const UnitTicks& ticks, double count) {
    for (std::size_t u = 0; u < unit_count; ++u) {
        sum[u] += ticks[u] * count;
    }
}

OpDemand role_demand(const KernelPlan& plan, const Role& role, const std::vector<double>& counts,
                     const MemoryEnvironment& memory) {
    OpDemand total;
    for (std::size_t op = 0; op < role.program.size(); ++op) {
        if (counts[op] != 0.0) {
            const OpDemand one = op_demand(plan, role.program[op], memory);
            add_scaled(total.here, one.here, counts[op]);
            add_scaled(total.peer, one.peer, counts[op]);
            add_scaled(total.others, one.others, counts[op]);
        }
    }
    return total;
}

}  // namespace

Roofline roofline(const KernelPlan& plan, const std::vector<TileRun>& tiles,
                  const MemoryEnvironment& memory) {
    ClusterDemand demand(plan);
    for (const Role& role : plan.roles) {
        demand.add_role(role,
                        role_demand(plan, role, execution_counts(role.program, tiles), memory));
    }
    return demand.busiest(1.0);
}

Roofline steady_roofline(const KernelPlan& plan, const MemoryEnvironment& memory) {
    const SteadyShape shape = steady_shape(plan);
    const std::int64_t blocks = shape.head + shape.tail + 2;
    const std::vector<TileRun> shorter{{{blocks, 1, 0}, 1}};
    const std::vector<TileRun> longer{{{blocks + shape.period, 1, 0}, 1}};
    ClusterDemand demand(plan);
    for (const Role& role : plan.roles) {
        std::vector<double> counts = execution_counts(role.program, longer);
        const std::vector<double> before = execution_counts(role.program, shorter);
        for (std::size_t op = 0; op < counts.size(); ++op) {
            counts[op] -= before[op];
        }
        demand.add_role(role, role_demand(plan, role, counts, memory));
    }
    return demand.busiest(static_cast<double>(shape.period));
}

}  // namespace warpline
