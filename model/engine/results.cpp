// From a finished run to a Schedule.
#include "warpline/engine/simulation.hpp"

#include <algorithm>

namespace warpline {

template <typename Visit>
void Simulation::for_each_unit(Visit&& visit) const {
    const int slices = plan_.machine.sub_partitions;
    constexpr Unit pipes[] = {Unit::issue, Unit::fma, Unit::alu, Unit::xu, Unit::lsu, Unit::adu};
    for (int sm = 0; sm < plan_.cluster; ++sm) {
        for (int slice = 0; slice < slices; ++slice) {
            const auto port = static_cast<std::size_t>(sm * slices + slice);
            for (const Unit unit : pipes) {
                visit(unit, sm, slice, ports_[port].account(unit));
            }
            for (const bool store : {false, true}) {
                visit(store ? Unit::tmem_store : Unit::tmem_load, sm, slice,
                      tmem_accounts_[tmem_port(static_cast<int>(port), store)]);
            }
            if (plan_.machine.tensor_scope == UnitScope::sub_partition) {
                visit(Unit::tensor, sm, slice, tensors_[port].account());
            }
        }
        const auto index = static_cast<std::size_t>(sm);
        if (plan_.machine.tensor_scope == UnitScope::sm) {
            visit(Unit::tensor, sm, 0, tensors_[index].account());
        }
        visit(Unit::smem, sm, 0, smem_[index].account());
        visit(Unit::tma, sm, 0, tma_accounts_[index]);
        visit(Unit::memory, sm, 0, memory_accounts_[index]);
    }
}

Tally Simulation::tally() const {
    Tally done;
    for_each_unit([&done](Unit /*unit*/, int /*sm*/, int /*sub_partition*/,
                          const Account& account) { done.busy.push_back(account.busy); });
    done.bytes_read = out_.bytes_read;
    done.bytes_written = out_.bytes_written;
    done.flops = out_.flops;
    return done;
}

Schedule Simulation::schedule() {
    out_.makespan = end_of_work();
    out_.steady = steady_.found();
    out_.repeat = steady_.repeat();
    out_.events_processed = events_;
    for_each_unit([this](Unit unit, int sm, int sub_partition, const Account& account) {
        add_unit(out_, unit, sm, sub_partition, account);
    });
    for (const Agent& agent : agents_) {
        RoleUsage usage;
        usage.role = agent.role;
        usage.sm = agent.cta;
        usage.resident = agent.cluster;
        usage.warp = agent.warp;
        usage.warps = agent.multiplicity;
        usage.busy = agent.account.busy;
        usage.stalls = itemize(agent.account, causes_);
        out_.roles.push_back(std::move(usage));
    }
    std::stable_sort(
        out_.events.begin(), out_.events.end(),
        [](const ScheduleEvent& x, const ScheduleEvent& y) { return x.start < y.start; });
    return std::move(out_);
}

/// A pipe may be busy after its last warp has gone on.
Tick Simulation::end_of_work() const {
    Tick end = last_activity_;
    for (const IssuePort& port : ports_) {
        for (const Unit unit : all_units()) {
            end = std::max(end, port.account(unit).until);
        }
    }
    for (const std::vector<Account>* accounts :
         {&tmem_accounts_, &tma_accounts_, &memory_accounts_}) {
        for (const Account& account : *accounts) {
            end = std::max(end, account.until);
        }
    }
    return end;
}

void Simulation::add_unit(Schedule& out, Unit unit, int sm, int sub_partition,
                          const Account& account) const {
    Account closed = account;
    closed.charge(out.makespan, causes_.finished());
    UnitUsage usage;
    usage.unit = unit;
    usage.sm = sm;
    usage.sub_partition = sub_partition;
    const bool sub_partition_unit =
        unit != Unit::smem && unit != Unit::tma && unit != Unit::memory &&
        (unit != Unit::tensor || plan_.machine.tensor_scope == UnitScope::sub_partition);
    usage.instances =
        sub_partition_unit && sub_partition == 0 && folded_sm_[static_cast<std::size_t>(sm)]
            ? plan_.machine.sub_partitions
            : 1;
    usage.busy = closed.busy;
    usage.idle = itemize(closed, causes_);
    out.units.push_back(std::move(usage));
}

}  // namespace warpline
