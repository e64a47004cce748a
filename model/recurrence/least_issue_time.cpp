#include "warpline/recurrence/least_times.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace warpline {
namespace {

/// Sequences longer than this are bounded by their slots and intervals instead of being issued one
/// by one.
constexpr std::int64_t longest_sequence = 100'000;

/// One part of a woven sequence while it is being issued.
struct PartProgress {
    const InstructionKind* kind = nullptr;
    std::int64_t count = 0;
    std::int64_t chains = 0;
    std::vector<Tick> results;  ///< of the last `chains` instructions, as a ring
};

Tick slots(const InstructionKind& kind) {
    return ticks_from_cycles(kind.issue_slots);
}

Tick bound_by_throughput(const std::vector<PartProgress>& parts) {
    Tick slot_sum = 0;
    std::array<Tick, unit_count> intervals{};
    for (const PartProgress& part : parts) {
        slot_sum += part.count * slots(*part.kind);
        intervals[static_cast<std::size_t>(part.kind->unit)] += part.count * part.kind->interval;
    }
    Tick most = slot_sum;
    for (const PartProgress& part : parts) {
        // The next operation does not wait for the last interval of a unit.
        if (part.count == 0) {
            continue;
        }
        most = std::max(most,
                        intervals[static_cast<std::size_t>(part.kind->unit)] - part.kind->interval);
    }
    return most;
}

struct LastIssue {
    Tick at = 0;
    Tick slots = 0;
};

LastIssue issue_woven(std::vector<PartProgress>& parts,
                      const std::vector<WovenInstruction>& order) {
    std::array<Tick, unit_count> unit_free{};
    Tick next = 0;
    LastIssue last;
    for (const WovenInstruction& instruction : order) {
        PartProgress* const chosen = &parts[static_cast<std::size_t>(instruction.part)];
        Tick& free = unit_free[static_cast<std::size_t>(chosen->kind->unit)];
        Tick at = std::max(next, free);
        if (chosen->chains > 0) {
            Tick& result =
                chosen->results[static_cast<std::size_t>(instruction.number % chosen->chains)];
            at = std::max(at, result);
            result = at + chosen->kind->latency;
        }
        free = at + chosen->kind->interval;
        next = at + slots(*chosen->kind);
        last = {at, slots(*chosen->kind)};
    }
    return last;
}

}  // namespace

Tick least_issue_time(const KernelPlan& plan, const IssueOp& issue) {
    std::vector<PartProgress> parts;
    std::int64_t total = 0;
    Tick latencies = 0;
    for (const IssuePart& part : issue.parts) {
        PartProgress progress;
        progress.kind = &plan.instructions[static_cast<std::size_t>(part.instruction)];
        progress.count = std::max<std::int64_t>(0, part.count);
        progress.chains = std::min(part.chains, progress.count);
        latencies += progress.count > 0 ? progress.kind->latency : 0;
        total += progress.count;
        parts.push_back(std::move(progress));
    }
    if (total == 0) {
        return 0;
    }
    if (total > longest_sequence) {
        return bound_by_throughput(parts);
    }
    for (PartProgress& part : parts) {
        part.results.assign(static_cast<std::size_t>(part.chains), 0);
    }
    const LastIssue last = issue_woven(parts, weave(issue));
    return last.at + (issue.results_needed ? std::max(latencies, last.slots) : last.slots);
}

}  // namespace warpline
