#include "warpline/device/machine_content.hpp"

#include <cstring>
#include <type_traits>

namespace warpline {
namespace {

/// Appends values to a text so that different values never give the same text: numbers have a
/// fixed width, lists and texts begin with their length.
class ContentWriter {
  public:
    template <typename T>
    std::enable_if_t<std::is_arithmetic_v<T> || std::is_enum_v<T>> put(T value) {
        std::array<char, sizeof(T)> bytes{};
        std::memcpy(bytes.data(), &value, sizeof(T));
        out_.append(bytes.data(), bytes.size());
    }
    void put(const std::string& text) {
        put(text.size());
        out_ += text;
    }
    template <typename T>
    void put(const std::vector<T>& list) {
        put(list.size());
        for (const T& item : list) {
            put(item);
        }
    }
    template <typename T>
    void put(const std::optional<T>& value) {
        put(value.has_value());
        if (value) {
            put(*value);
        }
    }
    template <typename First, typename Second, typename... More>
    void put(const First& first, const Second& second, const More&... more) {
        put(first);
        put(second);
        (put(more), ...);
    }

    void put(const Affine& a) { put(a.constant, a.blocks, a.masked_first, a.masked_last); }
    void put(const Predicate& p) {
        put(p.kind, p.negate, p.value, p.period, p.offset, p.chance_64ths);
    }
    void put(const BarrierRef& r) { put(r.barrier, r.copy, r.handle); }
    void put(const IssuePart& p) { put(p.instruction, p.count, p.chains); }

    void put(const MmaOp& w) {
        put(w.steps, w.tensor, w.smem_bytes, w.first_operand, w.completion, w.pair, w.flops,
            w.issue_slots);
    }
    void put(const TmemOp& w) { put(w.store, w.instructions, w.port, w.latency); }
    void put(const CopyOp& w) {
        put(w.from, w.to, w.engine, w.bytes, w.instructions, w.reduce, w.l2_hit);
    }

    void put(const IssueOp& op) { put(op.parts, op.results_needed); }
    void put(const AsyncOp& op) {
        put_alternative(op.work);
        put(op.op_class, op.signals, op.at);
    }
    void put(const CommitOp& op) { put(op.op_class, op.on, op.at); }
    void put(const DrainOp& op) { put(op.op_class, op.leave); }
    void put(const ArriveOp& op) { put(op.on, op.count, op.at); }
    void put(const WaitOp& op) { put(op.on); }
    void put(const TakeOp& op) { put(op.ring, op.handle); }
    void put(const TurnOp& op) { put(op.cost); }
    void put(const LoopBegin& op) { put(op.over, op.count, op.end); }
    void put(const LoopEnd& op) { put(op.begin); }
    void put(const SkipUnless& op) { put(op.predicate, op.target); }
    void put(const Jump& op) { put(op.target); }
    void put(const Op& op) {
        put_alternative(op.body);
        put(op.label, op.line);
    }

    void put(const InstructionKind& i) {
        put(i.name, i.unit, i.interval, i.latency, i.smem_bytes, i.issue_slots);
    }
    void put(const Barrier& b) {
        put(b.name, b.kind, b.scope, b.copies, b.stages, b.ring, b.arrivals, b.initially_complete);
    }
    void put(const Ring& r) { put(r.name, r.stages); }
    void put(const Role& r) {
        put(r.name, r.base_name, r.copy, r.first_warp, r.warps, r.registers, r.leader_only,
            r.classes, r.handles, r.program);
    }
    void put(const SyncTimings& s) {
        put(s.mbarrier_arrive, s.mbarrier_wait, s.remote_arrive, s.named_barrier, s.cta_start,
            s.cta_exit);
    }
    void put(const TmaModel& t) {
        put(t.issue_interval, t.l2_latency, t.hbm_latency, t.store_latency, t.dsmem_latency,
            t.fill_shares_port);
    }
    void put(const MachineTimings& m) {
        put(m.sub_partitions, m.tensor_scope, m.smem_bytes_per_clk, m.smem_quantum,
            m.tensor_queue_depth, m.arbitration, m.lsu_global_interval, m.sync, m.tma);
    }

    [[nodiscard]] std::string take() { return std::move(out_); }

  private:
    template <typename Variant>
    void put_alternative(const Variant& variant) {
        put(variant.index());
        std::visit([this](const auto& alternative) { put(alternative); }, variant);
    }

    std::string out_;
};

}  // namespace

std::string machine_content(const KernelPlan& plan, const MemoryEnvironment& memory,
                            const EngineOptions& options) {
    ContentWriter writer;
    writer.put(plan.kernel, plan.file, plan.cluster, plan.ctas_per_sm, plan.instructions);
    writer.put(plan.barriers, plan.rings, plan.roles, plan.machine);
    writer.put(memory.latency, memory.miss_latency, memory.bytes_per_clk);
    writer.put(options.granularity, options.fold_sub_partitions, options.fold_steady_state);
    writer.put(options.record_events, options.role_offsets, options.max_events);
    for (const Mechanism mechanism : options.ideal) {
        writer.put(mechanism);
    }
    return writer.take();
}

}  // namespace warpline
