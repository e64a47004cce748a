#include "warpline/engine/compiled_plan.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace warpline {

namespace {

constexpr Tick slot = ticks_per_cycle;
constexpr Tick longest_quiet = Tick{1} << 40;  // more brings nothing; no sum may overflow

/// The index of `batch` among those of the plan. Those of one instruction are about as many as its
/// kinds; one with uses or dependences of its own is like no other.
int index_of(const Batch& batch, CompiledPlan& out) {
    const bool own = batch.more_uses > 0 || batch.more_dependences > 0;
    const auto known =
        own ? out.batches.rend() : std::find(out.batches.rbegin(), out.batches.rend(), batch);
    if (known != out.batches.rend()) {
        return static_cast<int>(out.batches.rend() - known) - 1;
    }
    out.batches.push_back(batch);
    return static_cast<int>(out.batches.size()) - 1;
}

/// Cuts an operation's instructions into batches. Within a batch they run as if alone: in order,
/// each after the slots of the one before, its unit, and its chain's predecessor.
class IssueCompiler {
  public:
    IssueCompiler(const KernelPlan& plan, const EngineOptions& options, CompiledPlan& out)
        : plan_(plan), options_(options), out_(out) {}

    int compile(const IssueOp& op) {
        CompiledIssue issue;
        if (const int same = find(op); same >= 0) {  // copies of a role share their batches
            issue = out_.issues[static_cast<std::size_t>(same)];
            issue.results_needed = op.results_needed;
            return add(op, issue);
        }
        issue.first_step = static_cast<int>(out_.steps.size());
        issue.results_needed = op.results_needed;
        order_ = weave(op);
        offset_.assign(order_.size(), 0);
        position_.resize(order_.size());
        first_of_.clear();
        std::size_t total = 0;
        for (const IssuePart& part : op.parts) {
            first_of_.push_back(total);
            total += static_cast<std::size_t>(std::max<std::int64_t>(0, part.count));
        }
        const auto granularity = static_cast<std::size_t>(std::max(1, options_.granularity));
        batch_of_part_.assign(op.parts.size(), -1);
        for (std::size_t begin = 0; begin < order_.size(); begin += granularity) {
            if (granularity == 1) {
                add_instruction(op, begin);
            } else {
                add_batch(op, begin, std::min(order_.size(), begin + granularity), granularity);
            }
        }
        issue.batches = static_cast<int>(out_.steps.size()) - issue.first_step;
        find_quiet_times(issue);
        for (const IssuePart& part : op.parts) {
            const InstructionKind& kind = instruction(part);
            if (part.count > 0) {
                issue.results_after += kind.latency;
                issue.producer = kind.unit;
                issue.reads_smem = issue.reads_smem || kind.smem_bytes > 0;
            }
        }
        issue.last_offset = order_.empty() ? 0 : offset_.back();
        return add(op, issue);
    }

  private:
    /// The issue of an operation with the same parts, or -1.
    [[nodiscard]] int find(const IssueOp& op) const {
        const auto same = [](const IssuePart& x, const IssuePart& y) {
            return x.instruction == y.instruction && x.count == y.count && x.chains == y.chains;
        };
        const auto known = std::find_if(ops_.begin(), ops_.end(), [&](const IssueOp* other) {
            return std::equal(op.parts.begin(), op.parts.end(), other->parts.begin(),
                              other->parts.end(), same);
        });
        return known == ops_.end() ? -1 : static_cast<int>(known - ops_.begin());
    }

    int add(const IssueOp& op, const CompiledIssue& issue) {
        ops_.push_back(&op);
        out_.issues.push_back(issue);
        return static_cast<int>(out_.issues.size()) - 1;
    }

    const InstructionKind& instruction(const IssuePart& part) const {
        return plan_.instructions[static_cast<std::size_t>(part.instruction)];
    }

    /// All but the last batch, which the warp goes on from, and those that access shared memory
    /// concern nothing but their sub-partition.
    void find_quiet_times(const CompiledIssue& issue) {
        if (plan_.machine.tensor_scope == UnitScope::sub_partition) {
            return;  // there they may hold the tensor core up
        }
        Tick after = 0;  // of the next one
        for (int i = issue.batches - 2; i >= 0; --i) {
            BatchStep& step = out_.steps[static_cast<std::size_t>(issue.first_step + i)];
            const Batch& batch = out_.batches[static_cast<std::size_t>(step.batch)];
            after = batch.smem_bytes > 0 ? 0 : std::min(longest_quiet, after + batch.next);
            step.quiet = after;
        }
    }

    /// Whether nothing but FMA instructions follow one another at the pipe's own rate. Beside a
    /// wgmma such a stream has the register file first; other units' instructions never do
    /// (README.md).
    [[nodiscard]] bool streams(const IssueOp& op) const {
        const IssuePart* only = nullptr;
        for (const IssuePart& part : op.parts) {
            if (part.count > 0 && only != nullptr) {
                return false;
            }
            only = part.count > 0 ? &part : only;
        }
        if (only == nullptr || instruction(*only).unit != Unit::fma) {
            return false;
        }
        const InstructionKind& kind = instruction(*only);
        return only->chains == 0 || only->chains * kind.interval >= kind.latency;
    }

    /// The batch of instruction `i` alone. It is that of any other of its part: only what it
    /// depends on differs.
    void add_instruction(const IssueOp& op, std::size_t i) {
        const auto number = static_cast<std::size_t>(order_[i].part);
        const IssuePart& part = op.parts[number];
        int& batch = batch_of_part_[number];
        if (batch < 0) {
            add_batch(op, i, i + 1, 1);
            batch = out_.steps.back().batch;
            return;
        }
        BatchStep& step = out_.steps.emplace_back();
        step.batch = batch;
        std::size_t* const positions = position_.data() + first_of_[number];
        const std::int64_t before = order_[i].number - part.chains;
        if (part.chains > 0 && before >= 0) {
            const InstructionKind& kind = instruction(part);
            step.dependence = {kind.latency, static_cast<int>(i - positions[before]), kind.unit};
        }
        positions[order_[i].number] = i;
    }

    void add_batch(const IssueOp& op, std::size_t begin, std::size_t end, std::size_t granularity) {
        Batch batch;
        const bool stream = streams(op);
        Tick earliest = 0;
        uses_.clear();
        dependences_.clear();
        for (std::size_t i = begin; i < end; ++i) {
            const IssuePart& part = op.parts[static_cast<std::size_t>(order_[i].part)];
            const InstructionKind& kind = instruction(part);
            const auto unit = static_cast<std::size_t>(kind.unit);
            Tick at = earliest;
            Unit pacing = Unit::issue;
            if (free_[unit] > at) {
                at = free_[unit];
                pacing = kind.unit;
            }
            std::size_t* const positions =
                position_.data() + first_of_[static_cast<std::size_t>(order_[i].part)];
            const std::int64_t before = order_[i].number - part.chains;
            if (part.chains > 0 && before >= 0) {
                const std::size_t producer = positions[before];
                if (producer >= begin) {
                    if (offset_[producer] + kind.latency > at) {
                        at = offset_[producer] + kind.latency;
                        pacing = kind.unit;
                    }
                } else {
                    add_dependence(begin, producer, granularity, kind.latency - at, kind.unit);
                }
            }
            positions[order_[i].number] = i;
            offset_[i] = at;
            const Tick slots = kind.issue_slots * slot;
            earliest = at + slots;
            batch.slots += slots;
            batch.hold += stream ? slots : std::max(slots, kind.wgmma_hold);
            batch.wgmma_delay += stream && kind.wgmma_interval > 0 ? kind.interval : 0;
            batch.smem_bytes += kind.smem_bytes;
            if (pacing != Unit::issue) {
                batch.pacing = pacing;
            }
            const Tick beside = stream ? kind.interval : kind.wgmma_interval;
            add_use({kind.unit, at, kind.interval, std::max(kind.interval, beside)});
            free_[unit] = at + kind.interval;
        }
        batch.next = earliest;
        for (std::size_t i = begin; i < end; ++i) {
            const IssuePart& part = op.parts[static_cast<std::size_t>(order_[i].part)];
            free_[static_cast<std::size_t>(instruction(part).unit)] = 0;
        }
        std::sort(uses_.begin(), uses_.end(),
                  [](const UnitUse& x, const UnitUse& y) { return x.unit < y.unit; });
        BatchStep step;
        if (!uses_.empty()) {
            batch.use = uses_.front();
            batch.first_more_use = append_rest(uses_, out_.uses);
            batch.more_uses = static_cast<int>(uses_.size()) - 1;
        }
        if (!dependences_.empty()) {
            step.dependence = dependences_.front();
            batch.first_more_dependence = append_rest(dependences_, out_.dependences);
            batch.more_dependences = static_cast<int>(dependences_.size()) - 1;
        }
        step.batch = index_of(batch, out_);
        out_.steps.push_back(step);
    }

    /// Appends all but the first; returns where they begin, 0 when there are none.
    template <typename Item>
    static int append_rest(const std::vector<Item>& items, std::vector<Item>& to) {
        if (items.size() == 1) {
            return 0;
        }
        to.insert(to.end(), items.begin() + 1, items.end());
        return static_cast<int>(to.size() - items.size()) + 1;
    }

    /// Adds to the use of a unit by the batch being cut.
    void add_use(const UnitUse& use) {
        if (use.demand == 0 || use.unit == Unit::issue) {
            return;
        }
        for (UnitUse& known : uses_) {
            if (known.unit == use.unit) {
                known.demand += use.demand;
                known.beside_wgmma += use.beside_wgmma;
                return;
            }
        }
        uses_.push_back(use);
    }

    /// Records that the batch at `begin` must issue `gap` after the issue of instruction
    /// `producer`, keeping the tightest constraint on each earlier batch.
    void add_dependence(std::size_t begin, std::size_t producer, std::size_t granularity, Tick gap,
                        Unit unit) {
        const int back = static_cast<int>(begin / granularity - producer / granularity);
        const Tick total = offset_[producer] + gap;
        for (BatchDependence& known : dependences_) {
            if (known.back == back) {
                known.gap = std::max(known.gap, total);
                return;
            }
        }
        dependences_.push_back({total, back, unit});
    }

    const KernelPlan& plan_;
    const EngineOptions& options_;
    CompiledPlan& out_;
    std::vector<const IssueOp*> ops_;  ///< of out_.issues
    std::vector<WovenInstruction> order_;
    std::vector<UnitUse> uses_;                 ///< of the batch being cut
    std::vector<BatchDependence> dependences_;  ///< of the same
    std::array<Tick, unit_count> free_{};       ///< of each unit, by the batch being cut; else 0
    std::vector<std::size_t> first_of_;         ///< of each part: its first entry in position_
    std::vector<int> batch_of_part_;            ///< of single instructions, -1: not cut yet
    std::vector<std::size_t> position_;         ///< of each part's instructions in order_
    std::vector<Tick> offset_;                  ///< of each instruction in its batch
};

/// The issue slots, and LSU time, of an operation that is not an IssueOp; 0 slots = it costs none.
struct SlotCost {
    Tick slots = 0;
    Tick lsu = 0;
};

SlotCost slot_cost(const OpBody& body, const MachineTimings& machine) {
    if (const auto* async = std::get_if<AsyncOp>(&body)) {
        if (const auto* mma = std::get_if<MmaOp>(&async->work)) {
            return {std::max<std::int64_t>(1, mma->steps * mma->issue_slots) * slot, 0};
        }
        if (const auto* tmem = std::get_if<TmemOp>(&async->work)) {
            return {std::max<std::int64_t>(1, tmem->instructions) * slot, 0};
        }
        const auto& copy = std::get<CopyOp>(async->work);
        const std::int64_t instructions = std::max<std::int64_t>(1, copy.instructions);
        return {instructions * slot,
                copy.engine == CopyEngine::lsu ? instructions * machine.lsu_global_interval : 0};
    }
    const bool control = std::holds_alternative<LoopBegin>(body) ||
                         std::holds_alternative<LoopEnd>(body) ||
                         std::holds_alternative<SkipUnless>(body) ||
                         std::holds_alternative<Jump>(body) || std::holds_alternative<TakeOp>(body);
    return {control ? 0 : slot, 0};
}

int add_single(const SlotCost& cost, CompiledPlan& out) {
    if (cost.slots == 0) {
        return -1;
    }
    Batch batch;
    batch.slots = cost.slots;
    batch.hold = cost.slots;
    batch.next = cost.slots;
    if (cost.lsu > 0) {
        batch.use = {Unit::lsu, 0, cost.lsu, cost.lsu};
    }
    return index_of(batch, out);
}

void add_predicate(const Predicate& predicate, LoopTraits& loop) {
    const PredicateReach reach = reach_of(predicate);
    loop.first.insert(loop.first.end(), reach.first.begin(), reach.first.end());
    loop.last.insert(loop.last.end(), reach.last.begin(), reach.last.end());
    loop.guard = std::max(loop.guard, reach.guard);
    loop.period = std::lcm(loop.period, reach.period);
}

/// Traits of the loop at `begin` from the predicates whose innermost loop it is.
LoopTraits traits_of(const Program& program, std::size_t begin) {
    const auto& head = std::get<LoopBegin>(program[begin].body);
    LoopTraits loop;
    loop.over_tiles = head.over == LoopBegin::Over::tiles;
    loop.scales = head.over == LoopBegin::Over::count && head.count.blocks != 0;
    int depth = 0;
    for (std::size_t i = begin + 1; i < static_cast<std::size_t>(head.end); ++i) {
        if (std::holds_alternative<LoopBegin>(program[i].body)) {
            ++depth;
        } else if (std::holds_alternative<LoopEnd>(program[i].body)) {
            --depth;
        } else if (const auto* skip = std::get_if<SkipUnless>(&program[i].body);
                   skip && depth == 0) {
            add_predicate(skip->predicate, loop);
        }
    }
    return loop;
}

}  // namespace

std::int64_t LoopTraits::head(const TileClass& tile, std::int64_t count) const {
    std::int64_t most = guard;
    for (const Affine& value : first) {
        const std::int64_t below = value.at(tile);
        most = below < count ? std::max(most, below) : most;
    }
    return most;
}

std::int64_t LoopTraits::tail(const TileClass& tile) const {
    std::int64_t most = 0;
    for (const Affine& value : last) {
        most = std::max(most, value.at(tile));
    }
    return most;
}

CompiledPlan compile(const KernelPlan& plan, const EngineOptions& options) {
    CompiledPlan out;
    IssueCompiler issues(plan, options, out);
    for (const Role& role : plan.roles) {
        CompiledRole compiled;
        for (std::size_t i = 0; i < role.program.size(); ++i) {
            const OpBody& body = role.program[i].body;
            CompiledOp op;
            if (const auto* issue = std::get_if<IssueOp>(&body)) {
                op.issue = issues.compile(*issue);
            } else {
                op.single = add_single(slot_cost(body, plan.machine), out);
            }
            if (std::holds_alternative<LoopBegin>(body)) {
                op.loop = static_cast<int>(out.loops.size());
                out.loops.push_back(traits_of(role.program, i));
            }
            compiled.ops.push_back(op);
        }
        out.roles.push_back(std::move(compiled));
    }
    return out;
}

}  // namespace warpline
