#include "warpline/device/machine_content.hpp"

#include <array>
#include <cstring>
#include <type_traits>

namespace warpline {
namespace {

constexpr std::size_t usual_bytes = 1 << 15;

/// Appends values to a text so that different values never give the same text: numbers have a
/// fixed width, lists and texts begin with their length.
class ContentWriter {
  public:
    ContentWriter() { out_.reserve(usual_bytes); }

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

    // Every structure is taken apart by name: a field that is added and not written here does not
    // compile.
    void put(const Affine& value) {
        const auto& [constant, blocks, masked_first, masked_last] = value;
        put(constant, blocks, masked_first, masked_last);
    }
    void put(const Predicate& value) {
        const auto& [kind, negate, bound, period, offset, chances] = value;
        put(kind, negate, bound, period, offset, chances);
    }
    void put(const BarrierRef& value) {
        const auto& [barrier, copy, handle] = value;
        put(barrier, copy, handle);
    }
    void put(const IssuePart& value) {
        const auto& [instruction, count, chains] = value;
        put(instruction, count, chains);
    }
    void put(const MmaOp& value) {
        const auto& [steps, tensor, smem_bytes, first_operand, completion, pair, flops, issue_slots,
                     streams, delay] = value;
        put(steps, tensor, smem_bytes, first_operand, completion, pair, flops, issue_slots, streams,
            delay);
    }
    void put(const TmemOp& value) {
        const auto& [store, instructions, port, latency] = value;
        put(store, instructions, port, latency);
    }
    void put(const CopyOp& value) {
        const auto& [from, to, engine, bytes, instructions, reduce, l2_hit] = value;
        put(from, to, engine, bytes, instructions, reduce, l2_hit);
    }
    void put(const IssueOp& value) {
        const auto& [parts, results_needed] = value;
        put(parts, results_needed);
    }
    void put(const AsyncOp& value) {
        const auto& [work, op_class, signals, at] = value;
        put_alternative(work);
        put(op_class);
        put(signals);
        put(at);
    }
    void put(const CommitOp& value) {
        const auto& [op_class, on, at] = value;
        put(op_class, on, at);
    }
    void put(const DrainOp& value) {
        const auto& [op_class, leave] = value;
        put(op_class, leave);
    }
    void put(const ArriveOp& value) {
        const auto& [on, count, at] = value;
        put(on, count, at);
    }
    void put(const WaitOp& value) {
        const auto& [on] = value;
        put(on);
    }
    void put(const TakeOp& value) {
        const auto& [ring, handle] = value;
        put(ring, handle);
    }
    void put(const TurnOp& value) {
        const auto& [cost, passes, visible] = value;
        put(cost, passes, visible);
    }
    void put(const LoopBegin& value) {
        const auto& [over, count, end] = value;
        put(over, count, end);
    }
    void put(const LoopEnd& value) {
        const auto& [begin] = value;
        put(begin);
    }
    void put(const SkipUnless& value) {
        const auto& [predicate, target] = value;
        put(predicate, target);
    }
    void put(const Jump& value) {
        const auto& [target] = value;
        put(target);
    }
    void put(const Op& value) {
        const auto& [body, label, line] = value;
        put_alternative(body);
        put(label);
        put(line);
    }
    void put(const InstructionKind& value) {
        const auto& [name, unit, interval, latency, smem_bytes, issue_slots, beside, hold] = value;
        put(name, unit, interval, latency, smem_bytes, issue_slots, beside, hold);
    }
    void put(const Barrier& value) {
        const auto& [name, kind, scope, copies, stages, ring, arrivals, initially_complete] = value;
        put(name, kind, scope, copies, stages, ring, arrivals, initially_complete);
    }
    void put(const Ring& value) {
        const auto& [name, stages] = value;
        put(name, stages);
    }
    void put(const Role& value) {
        const auto& [name, base_name, copy, first_warp, warps, registers, leader_only, classes,
                     handles, program] = value;
        put(name, base_name, copy, first_warp, warps, registers, leader_only, classes, handles,
            program);
    }
    void put(const SyncTimings& value) {
        const auto& [arrive, wait, remote, named, start, exit] = value;
        put(arrive, wait, remote, named, start, exit);
    }
    void put(const TmaModel& value) {
        const auto& [interval, l2, hbm, store, load_width, store_width, reduce_width, dsmem_width,
                     dsmem, shares_port] = value;
        put(interval, l2, hbm, store, load_width, store_width, reduce_width, dsmem_width, dsmem,
            shares_port);
    }
    void put(const MachineTimings& value) {
        const auto& [sub_partitions, scope, smem_width, quantum, queue, arbitration, lsu, sync, tma,
                     smem, issue, pipes] = value;
        put(sub_partitions, scope, smem_width, quantum, queue, arbitration, lsu, sync, tma, smem,
            issue, pipes);
    }
    void put(const EngineOptions& value) {
        const auto& [granularity, fold_parts, fold_steady, record, ideal, offsets, max_events] =
            value;
        put(granularity, fold_parts, fold_steady, record, offsets, max_events);
        for (const Mechanism mechanism : ideal) {
            put(mechanism);
        }
    }

    [[nodiscard]] std::string take() {
        out_.shrink_to_fit();
        return std::move(out_);
    }

  private:
    template <typename Variant>
    void put_alternative(const Variant& variant) {
        put(variant.index());
        std::visit([this](const auto& alternative) { put(alternative); }, variant);
    }

    std::string out_;
};

}  // namespace

std::string machine_content(const KernelPlan& plan, const EngineOptions& options) {
    ContentWriter writer;
    writer.put(plan.kernel, plan.file, plan.cluster, plan.ctas_per_sm, plan.instructions);
    writer.put(plan.barriers, plan.rings, plan.roles, plan.machine);
    writer.put(options);
    return writer.take();
}

}  // namespace warpline
