// Barriers, rings and groups of asynchronous operations.
#include "warpline/pipeline/lowering.hpp"

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::int64_t threads_of_warp = 32;
constexpr std::int64_t most_groups = 1024;

}  // namespace

void RoleLowering::commit(const YamlNode& node, const YamlNode& head) {
    const auto name = name_of(head, "commit");
    if (!name) {
        return;
    }
    CommitOp op;
    op.op_class = op_class(*name, head, false);
    op.at = at_of(node);
    if (const YamlNode* on = node.find("on")) {
        op.on = barrier(*on);
        if (!op.on) {
            return;
        }
        const DeclaredBarrier& declared =
            context_.declarations.barriers[static_cast<std::size_t>(op.on->barrier)];
        if (declared.barrier.kind == BarrierKind::named) {
            input_.error(on->where,
                         fmt::format("a completion cannot arrive on the named barrier '{}'",
                                     declared.barrier.name));
        }
    } else if (const YamlNode* at = node.find("at")) {
        input_.error(at->where, "'at' needs 'on': the barrier to arrive on");
    }
    emit(op, node);
}

void RoleLowering::drain(const YamlNode& node, const YamlNode& head) {
    const auto name = name_of(head, "drain");
    if (!name) {
        return;
    }
    DrainOp op;
    op.op_class = op_class(*name, head, false);
    op.leave = optional_integer(node, "leave", 0, 0, most_groups);
    emit(op, node);
}

void RoleLowering::emit_arrive(const YamlNode& node, const BarrierRef& on) {
    const Barrier& target =
        context_.declarations.barriers[static_cast<std::size_t>(on.barrier)].barrier;
    if (target.kind == BarrierKind::bytes) {
        input_.error(
            node.where,
            fmt::format("landing copies flip barrier '{}', nobody arrives there", target.name),
            "let the copy signal it, or make it an mbarrier");
        return;
    }
    ArriveOp op;
    op.on = on;
    op.count = optional_integer(node, "count", threads_of_warp, 1, threads_of_warp);
    op.at = at_of(node);
    if (target.kind == BarrierKind::named && op.at != At::self) {
        input_.error(node.where, "a named barrier belongs to one CTA");
    }
    emit(op, node);
}

void RoleLowering::arrive(const YamlNode& node, const YamlNode& head) {
    if (const auto on = barrier(head)) {
        emit_arrive(node, *on);
    }
}

void RoleLowering::wait(const YamlNode& node, const YamlNode& head) {
    if (const auto on = barrier(head)) {
        emit(WaitOp{*on}, node);
    }
}

void RoleLowering::sync(const YamlNode& node, const YamlNode& head) {
    const auto on = barrier(head);
    if (!on) {
        return;
    }
    const Barrier& target =
        context_.declarations.barriers[static_cast<std::size_t>(on->barrier)].barrier;
    if (target.kind != BarrierKind::named) {
        input_.error(head.where,
                     fmt::format("'sync' needs a named barrier, and '{}' is none", target.name),
                     "write arrive and wait");
        return;
    }
    emit_arrive(node, *on);
    emit(WaitOp{*on}, node);
}

Tick RoleLowering::turn_cycles(const YamlNode& node, const char* key) {
    const YamlNode* written = node.find(key);
    const auto cycles = written == nullptr ? std::nullopt : reader_.number(*written, key);
    if (cycles && (*cycles < 0.0 || *cycles > 1e9)) {
        reader_.value_error(written->where,
                            fmt::format("{} must be from 0 to 1e9 cycles, is {}", key, *cycles));
        return 0;
    }
    return round_to_ticks(cycles.value_or(0.0));
}

void RoleLowering::turn(const YamlNode& node, const YamlNode& head) {
    if (head.kind != YamlNode::Kind::null) {
        input_.error(head.where, "'turn' has no value", "write turn: and, below it, cost: cycles");
    }
    emit(TurnOp{turn_cycles(node, "cost")}, node);
}

void RoleLowering::pass_turn(const YamlNode& node, const YamlNode& head) {
    if (head.kind != YamlNode::Kind::null) {
        input_.error(head.where, "'pass_turn' has no value",
                     "write pass_turn: and, below it, cost: and visible: cycles");
    }
    const Tick cost = turn_cycles(node, "cost");
    emit(TurnOp{cost, true, turn_cycles(node, "visible")}, node);
}

std::vector<RoleLowering::Handle> RoleLowering::take_handles(const YamlNode& node,
                                                             const YamlNode& head) {
    const auto parsed = reference(head, "a ring");
    const YamlNode* as = input_.require(node, "as", "this statement");
    if (!parsed || as == nullptr) {
        return {};
    }
    const Buffer* found = buffer(head, *reader_.text(head, "a ring"), 0);
    if (found == nullptr) {
        return {};
    }
    if (found->ring < 0) {
        input_.error(head.where,
                     fmt::format("buffer '{}' has no stages, so it is no ring", found->name));
        return {};
    }
    Handle slot;
    slot.ring = found->ring;
    if (found->has_copies && !parsed->indices.empty()) {
        slot.copy = copy_index(head, parsed->indices[0], found->name, found->copies).value_or(0);
    }
    std::vector<Handle> taken;
    const auto take_as = [&](const YamlNode& item) {
        const auto name = name_of(item, "as");
        if (!name) {
            return;
        }
        if (reader_.evaluator().defines(*name)) {
            input_.error(item.where, fmt::format("the name '{}' is taken", *name));
            return;
        }
        const auto known = handles_.find(*name);
        if (known != handles_.end() && known->second.ring != slot.ring) {
            input_.error(item.where, fmt::format("'{}' is already a slot of another ring", *name));
            return;
        }
        slot.index = known != handles_.end() ? known->second.index : handle_count_++;
        handles_[*name] = slot;
        taken.push_back(slot);
        emit(TakeOp{slot.ring, slot.index}, node);
    };
    if (as->is_sequence()) {
        for (const YamlNode& item : as->items) {
            take_as(item);
        }
    } else {
        take_as(*as);
    }
    return taken;
}

void RoleLowering::take(const YamlNode& node, const YamlNode& head) {
    static_cast<void>(take_handles(node, head));
}

std::optional<BarrierRef> RoleLowering::ring_barrier(const YamlNode& node, const Handle& slot,
                                                     std::string_view suffix) {
    const Ring& ring = context_.declarations.rings[static_cast<std::size_t>(slot.ring)];
    const std::string name = fmt::format("{}{}", ring.name, suffix);
    const auto index = find_barrier(context_.declarations, name);
    if (!index) {
        input_.error(node.where, fmt::format("no barrier '{}'", name),
                     "the shorthand for a ring R uses barriers R_full and R_empty");
        return std::nullopt;
    }
    const DeclaredBarrier& declared =
        context_.declarations.barriers[static_cast<std::size_t>(*index)];
    if (declared.barrier.ring != slot.ring) {
        input_.error(node.where,
                     fmt::format("barrier '{}' does not belong to the ring '{}'", name, ring.name));
        return std::nullopt;
    }
    if (slot.copy >= declared.barrier.copies) {
        reader_.value_error(node.where,
                            fmt::format("barrier '{}' has no copy {}", name, slot.copy));
        return std::nullopt;
    }
    return BarrierRef{*index, slot.copy, slot.index};
}

void RoleLowering::acquire(const YamlNode& node, const YamlNode& head, std::string_view suffix) {
    for (const Handle& slot : take_handles(node, head)) {
        if (const auto on = ring_barrier(head, slot, suffix)) {
            emit(WaitOp{*on}, node);
        }
    }
}

void RoleLowering::release(const YamlNode& node, const YamlNode& head, std::string_view suffix) {
    const auto text = reader_.text(head, "a slot");
    if (!text) {
        return;
    }
    const Handle* slot = handle(head, {*text, 0});
    if (slot == nullptr) {
        return;
    }
    const auto on = ring_barrier(head, *slot, suffix);
    if (!on) {
        return;
    }
    const YamlNode* named = node.find("class");
    if (named == nullptr) {
        emit_arrive(node, *on);
        return;
    }
    if (const YamlNode* count = node.find("count")) {
        input_.error(count->where, "a commit arrives once: 'count' and 'class' exclude each other");
    }
    if (const auto name = name_of(*named, "class")) {
        emit(CommitOp{op_class(*name, *named, false), *on, at_of(node)}, node);
    }
}

void RoleLowering::producer_acquire(const YamlNode& node, const YamlNode& head) {
    acquire(node, head, "_empty");
}
void RoleLowering::consumer_wait(const YamlNode& node, const YamlNode& head) {
    acquire(node, head, "_full");
}
void RoleLowering::producer_commit(const YamlNode& node, const YamlNode& head) {
    release(node, head, "_full");
}
void RoleLowering::consumer_release(const YamlNode& node, const YamlNode& head) {
    release(node, head, "_empty");
}

}  // namespace warpline
