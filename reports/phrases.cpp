#include "warpline/reports/phrases.hpp"

#include <variant>

#include <boost/rational.hpp>
#include <fmt/format.h>

namespace warpline {
namespace {

template <typename T>
const T* element(const std::vector<T>& values, int index) {
    const auto position = static_cast<std::size_t>(index);
    return index >= 0 && position < values.size() ? &values[position] : nullptr;
}

std::string barrier_label(const KernelPlan& plan, int index) {
    const Barrier* const barrier = element(plan.barriers, index);
    return barrier != nullptr ? barrier->name : fmt::format("{}", index);
}

std::string unit_label(int index) {
    return index >= 0 && index < static_cast<int>(unit_count)
               ? std::string(unit_name(static_cast<Unit>(index)))
               : fmt::format("unit {}", index);
}

/// Names a statement that the pipeline left without a label.
struct StatementName {
    const KernelPlan& plan;

    std::string operator()(const IssueOp&) const { return "issue"; }
    std::string operator()(const AsyncOp&) const { return "async"; }
    std::string operator()(const CommitOp& op) const {
        return op.on ? "commit on " + barrier_label(plan, op.on->barrier) : "commit";
    }
    std::string operator()(const DrainOp&) const { return "drain"; }
    std::string operator()(const ArriveOp& op) const {
        return "arrive " + barrier_label(plan, op.on.barrier);
    }
    std::string operator()(const WaitOp& op) const {
        return "wait " + barrier_label(plan, op.on.barrier);
    }
    std::string operator()(const TakeOp&) const { return "take"; }
    std::string operator()(const TurnOp& op) const { return op.passes ? "pass turn" : "turn"; }
    std::string operator()(const LoopBegin&) const { return "loop"; }
    std::string operator()(const LoopEnd&) const { return "loop end"; }
    std::string operator()(const SkipUnless&) const { return "when"; }
    std::string operator()(const Jump&) const { return "else"; }
};

}  // namespace

std::string cause_phrase(const KernelPlan& plan, const Cause& cause) {
    switch (cause.kind) {
        case Cause::Kind::none:
            return "nothing before it";
        case Cause::Kind::barrier:
            return "barrier " + barrier_label(plan, cause.index);
        case Cause::Kind::unit:
            return unit_label(cause.index) + " busy";
        case Cause::Kind::latency:
            return unit_label(cause.index) + " latency";
        case Cause::Kind::issue:
            return "in-order issue";
        case Cause::Kind::drain:
            return unit_label(cause.index) + " completion";
        case Cause::Kind::memory:
            return "memory latency";
        case Cause::Kind::finished:
            return "work finished";
    }
    return "unknown cause";
}

std::string_view cause_kind_name(Cause::Kind kind) {
    switch (kind) {
        case Cause::Kind::none:
            return "none";
        case Cause::Kind::barrier:
            return "barrier";
        case Cause::Kind::unit:
            return "unit";
        case Cause::Kind::latency:
            return "latency";
        case Cause::Kind::issue:
            return "issue";
        case Cause::Kind::drain:
            return "drain";
        case Cause::Kind::memory:
            return "memory";
        case Cause::Kind::finished:
            return "finished";
    }
    return "unknown";
}

std::string role_label(const KernelPlan& plan, int role) {
    const Role* const found = element(plan.roles, role);
    return found != nullptr ? found->name : fmt::format("role {}", role);
}

std::string op_label(const KernelPlan& plan, int role, int op) {
    const Role* const owner = element(plan.roles, role);
    const Op* const found = owner != nullptr ? element(owner->program, op) : nullptr;
    if (found == nullptr) {
        return fmt::format("op {}", op);
    }
    return found->label.empty() ? std::visit(StatementName{plan}, found->body) : found->label;
}

std::string_view mask_name(MaskKind kind) {
    switch (kind) {
        case MaskKind::full:
            return "full";
        case MaskKind::causal:
            return "causal";
        case MaskKind::sliding_window:
            return "sliding_window";
    }
    return "unknown";
}

std::string_view direction_name(Direction direction) {
    return direction == Direction::forward ? "forward" : "backward";
}

std::string_view confidence_phrase(Confidence confidence) {
    switch (confidence) {
        case Confidence::a:
            return "two independent measurements or an exact fit";
        case Confidence::b:
            return "one measurement";
        case Confidence::c:
            return "a document";
        case Confidence::d:
            return "inference or analogy";
        case Confidence::f:
            return "fitted by this project";
    }
    return "unknown";
}

double megahertz(const ClockHz& clock) {
    return boost::rational_cast<double>(clock) * 1e-6;
}

}  // namespace warpline
