#include "warpline/reports/schedule_csv.hpp"

#include "warpline/reports/phrases.hpp"
#include "warpline/reports/text.hpp"

#include <iterator>
#include <string_view>

#include <fmt/format.h>

namespace warpline {
namespace {

std::string_view kind_name(ScheduleEvent::Kind kind) {
    switch (kind) {
        case ScheduleEvent::Kind::issue:
            return "issue";
        case ScheduleEvent::Kind::async:
            return "async";
        case ScheduleEvent::Kind::wait:
            return "wait";
    }
    return "unknown";
}

/// Role, copy and place of a warp: the leading fields of its events.
std::string warp_fields(const KernelPlan& plan, const RoleUsage& usage) {
    const auto index = static_cast<std::size_t>(usage.role);
    const bool known = usage.role >= 0 && index < plan.roles.size();
    const std::string name = known ? plan.roles[index].base_name : role_label(plan, usage.role);
    const std::string copy = known && plan.roles[index].copy >= 0
                                 ? fmt::format("{}", plan.roles[index].copy)
                                 : std::string();
    return fmt::format("{},{},{},{},{}", csv_text(name), copy, usage.sm, usage.resident,
                       usage.warp);
}

}  // namespace

std::string schedule_csv(const KernelPlan& plan, const Schedule& schedule) {
    std::vector<std::string> warps;
    for (const RoleUsage& usage : schedule.roles) {
        warps.push_back(warp_fields(plan, usage));
    }
    std::string text =
        "role,copy,sm,resident,warp,kind,op,unit,tile,iteration,requested,start,end,completed,"
        "cause\n";
    const auto out = std::back_inserter(text);
    for (const ScheduleEvent& event : schedule.events) {
        const auto usage = static_cast<std::size_t>(event.usage);
        if (event.usage < 0 || usage >= warps.size()) {
            continue;
        }
        fmt::format_to(
            out, "{},{},{},{},{},{},{},{},{},{},{}\n", warps[usage], kind_name(event.kind),
            csv_text(op_label(plan, schedule.roles[usage].role, event.op)), unit_name(event.unit),
            event.tile, event.iteration >= 0 ? fmt::format("{}", event.iteration) : std::string(),
            cycles_from_ticks(event.requested), cycles_from_ticks(event.start),
            cycles_from_ticks(event.end), cycles_from_ticks(event.completed),
            csv_text(cause_phrase(plan, event.cause)));
    }
    return text;
}

}  // namespace warpline
