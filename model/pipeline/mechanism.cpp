#include "warpline/pipeline/mechanism.hpp"

#include "warpline/pipeline/mechanism_meaning.hpp"

#include <limits>
#include <variant>

namespace warpline {

namespace {

struct Entry {
    Mechanism mechanism;
    std::string_view name, meaning;
};

constexpr Entry entries[] = {
    {Mechanism::smem_contention, "smem_contention",
     "nobody waits for another's use of the SMEM port; one's own bytes take time"},
    {Mechanism::issue_contention, "issue_contention", "every warp has an issue port of its own"},
    {Mechanism::pipe_contention, "pipe_contention",
     "every warp has fma, alu, xu, lsu and adu pipes of its own, as wide as before"},
    {Mechanism::tmem_bandwidth, "tmem_bandwidth", "TMEM ports take no time; latencies stay"},
    {Mechanism::dependence_latency, "dependence_latency",
     "results of warp instructions are there at once"},
    {Mechanism::barrier_latency, "barrier_latency",
     "arrivals, wake-ups and remote arrivals take no time"},
    {Mechanism::register_contention, "register_contention",
     "warp instructions and a wgmma or mma.sync beside them do not slow each other"},
    {Mechanism::mma_latency, "mma_latency", "MMA results are visible when the tensor core is done"},
    {Mechanism::memory_latency, "memory_latency",
     "first bytes come at once, and stores are complete when sent"},
    {Mechanism::memory_bandwidth, "memory_bandwidth",
     "the path to L2 takes no time, and L2 and HBM hold nothing back"},
    {Mechanism::instruction_fetch, "instruction_fetch", "all machine code is at hand"},
    {Mechanism::turn_wait, "turn_wait",
     "a turn in an order of all CTAs has always come when it is asked for"},
};

}  // namespace

const std::vector<Mechanism>& all_mechanisms() {
    static const std::vector<Mechanism> all = [] {
        std::vector<Mechanism> list;
        for (const Entry& entry : entries) {
            list.push_back(entry.mechanism);
        }
        return list;
    }();
    return all;
}

std::string_view mechanism_name(Mechanism mechanism) {
    for (const Entry& entry : entries) {
        if (entry.mechanism == mechanism) {
            return entry.name;
        }
    }
    return "unknown";
}

std::string_view mechanism_meaning(Mechanism mechanism) {
    for (const Entry& entry : entries) {
        if (entry.mechanism == mechanism) {
            return entry.meaning;
        }
    }
    return "unknown";
}

KernelPlan without(KernelPlan plan, const std::set<Mechanism>& off) {
    const auto is_off = [&off](Mechanism mechanism) { return off.count(mechanism) != 0; };
    MachineTimings& machine = plan.machine;
    machine.smem_contention = machine.smem_contention && !is_off(Mechanism::smem_contention);
    machine.issue_contention = machine.issue_contention && !is_off(Mechanism::issue_contention);
    machine.pipe_contention = machine.pipe_contention && !is_off(Mechanism::pipe_contention);
    if (is_off(Mechanism::dependence_latency)) {
        for (InstructionKind& kind : plan.instructions) {
            kind.latency = 0;
        }
    }
    if (is_off(Mechanism::barrier_latency)) {
        SyncTimings& sync = machine.sync;
        sync.mbarrier_arrive = sync.mbarrier_wait = sync.remote_arrive = sync.named_barrier = 0;
    }
    if (is_off(Mechanism::memory_latency)) {
        machine.tma.store_latency = 0;
    }
    for (Role& role : plan.roles) {
        for (Op& op : role.program) {
            auto* async = std::get_if<AsyncOp>(&op.body);
            if (async == nullptr) {
                continue;
            }
            auto* mma = std::get_if<MmaOp>(&async->work);
            if (mma != nullptr && is_off(Mechanism::register_contention)) {
                mma->streams_registers = false;
                mma->register_delay = 0;
            }
            if (mma != nullptr && is_off(Mechanism::mma_latency)) {
                mma->completion = 0;
            }
            auto* tmem = std::get_if<TmemOp>(&async->work);
            if (tmem != nullptr && is_off(Mechanism::tmem_bandwidth)) {
                tmem->port = 0;
            }
        }
    }
    return plan;
}

MemoryEnvironment without(MemoryEnvironment memory, const std::set<Mechanism>& off) {
    if (off.count(Mechanism::memory_latency) != 0) {
        memory.latency = memory.miss_latency = 0;
    }
    if (off.count(Mechanism::memory_bandwidth) != 0) {
        memory.bytes_per_clk = std::numeric_limits<double>::infinity();
    }
    return memory;
}

}  // namespace warpline
