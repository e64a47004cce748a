#include "warpline/roofline/op_demand.hpp"

namespace warpline {
namespace {

double& on(UnitTicks& ticks, Unit unit) {
    return ticks[static_cast<std::size_t>(unit)];
}

double slots(std::int64_t count) {
    return static_cast<double>(count) * static_cast<double>(ticks_per_cycle);
}

double times(std::int64_t count, Tick each) {
    return static_cast<double>(count) * static_cast<double>(each);
}

class DemandOf {
  public:
    DemandOf(const KernelPlan& plan, const MemoryEnvironment& memory)
        : plan_(plan), memory_(memory) {}

    OpDemand operator()(const IssueOp& issue) const {
        OpDemand demand;
        for (const IssuePart& part : issue.parts) {
            const InstructionKind& kind =
                plan_.instructions[static_cast<std::size_t>(part.instruction)];
            on(demand.here, Unit::issue) += slots(part.count * kind.issue_slots);
            if (kind.unit != Unit::issue) {
                on(demand.here, kind.unit) += times(part.count, kind.interval);
            }
            on(demand.here, Unit::smem) += port(part.count * kind.smem_bytes);
        }
        return demand;
    }

    OpDemand operator()(const AsyncOp& async) const {
        return std::visit([this](const auto& work) { return served(work); }, async.work);
    }

    OpDemand operator()(const ArriveOp& /*arrive*/) const { return one_slot(); }
    OpDemand operator()(const WaitOp& /*wait*/) const { return one_slot(); }
    OpDemand operator()(const CommitOp& /*commit*/) const { return one_slot(); }
    OpDemand operator()(const DrainOp& /*drain*/) const { return one_slot(); }
    OpDemand operator()(const TurnOp& /*turn*/) const { return one_slot(); }

    template <typename Control>
    OpDemand operator()(const Control& /*free*/) const {
        return {};
    }

  private:
    [[nodiscard]] double port(std::int64_t bytes) const {
        return transfer_ticks(bytes, plan_.machine.smem_bytes_per_clk);
    }

    static OpDemand one_slot() {
        OpDemand demand;
        on(demand.here, Unit::issue) = slots(1);
        return demand;
    }

    [[nodiscard]] OpDemand served(const MmaOp& mma) const {
        OpDemand demand;
        on(demand.here, Unit::issue) = slots(mma.steps * mma.issue_slots);
        on(demand.here, Unit::tensor) = times(mma.steps, mma.tensor);
        on(demand.here, Unit::smem) = port(mma.steps * mma.smem_bytes);
        if (mma.pair) {
            on(demand.peer, Unit::tensor) = on(demand.here, Unit::tensor);
            on(demand.peer, Unit::smem) = on(demand.here, Unit::smem);
        }
        return demand;
    }

    [[nodiscard]] static OpDemand served(const TmemOp& tmem) {
        OpDemand demand;
        on(demand.here, Unit::issue) = slots(tmem.instructions);
        on(demand.here, tmem.unit()) = static_cast<double>(tmem.port);
        return demand;
    }

    [[nodiscard]] OpDemand served(const CopyOp& copy) const {
        OpDemand demand;
        on(demand.here, Unit::issue) = slots(copy.instructions);
        if (copy.engine == CopyEngine::tma) {
            on(demand.here, Unit::tma) = static_cast<double>(engine_time(plan_.machine, copy));
        } else {
            on(demand.here, Unit::lsu) =
                times(copy.instructions, plan_.machine.lsu_global_interval);
        }
        if (copy.from == Space::global || copy.to == Space::global) {
            on(demand.here, Unit::memory) = transfer_ticks(copy.bytes, memory_.bytes_per_clk);
        }
        const double pass = port(copy.bytes);
        if (copy.from == Space::smem) {
            on(demand.here, Unit::smem) += pass;
        }
        const double fill =
            copy.from == Space::global && !fill_uses_port(plan_.machine, copy) ? 0.0 : pass;
        if (copy.to == Space::smem || copy.to == Space::cluster_smem) {
            on(demand.here, Unit::smem) += fill;
        }
        if (copy.to == Space::cluster_smem) {
            on(demand.others, Unit::smem) += fill;
        }
        if (copy.to == Space::peer_smem) {
            on(demand.peer, Unit::smem) += pass;
        }
        return demand;
    }

    const KernelPlan& plan_;
    const MemoryEnvironment& memory_;
};

}  // namespace

OpDemand op_demand(const KernelPlan& plan, const Op& op, const MemoryEnvironment& memory) {
    return std::visit(DemandOf(plan, memory), op.body);
}

}  // namespace warpline
