#include "warpline/pipeline/budget.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::int64_t barrier_bytes = 8;      // an mbarrier object
constexpr std::int64_t tmem_granularity = 32;  // columns; allocations are powers of two
constexpr std::int64_t register_granularity = 8;
constexpr std::int64_t threads_of_warp = 32;

std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

std::int64_t sum_of(const Declarations& declarations, BufferSpace space, std::string& detail) {
    std::int64_t sum = 0;
    for (const Buffer& buffer : declarations.buffers) {
        if (buffer.space != space || !buffer.present || buffer.alias >= 0) {
            continue;
        }
        const std::int64_t size = buffer.copies * buffer.copy_size();
        sum += size;
        detail += fmt::format("{}{} {}", detail.empty() ? "" : " + ", buffer.name, size);
    }
    return sum;
}

Budget smem_budget(const Declarations& declarations, const GpuSpec& spec) {
    Budget budget{"SMEM", 0, spec.limits.smem_per_cta, "B", {}};
    std::int64_t bytes = sum_of(declarations, BufferSpace::smem, budget.detail);
    std::int64_t barriers = 0;
    for (const DeclaredBarrier& declared : declarations.barriers) {
        if (declared.present && declared.barrier.kind != BarrierKind::named) {
            barriers += std::int64_t{declared.barrier.copies} * declared.barrier.stages;
        }
    }
    bytes += barriers * barrier_bytes;
    budget.detail +=
        fmt::format("{}barriers {}", budget.detail.empty() ? "" : " + ", barriers * barrier_bytes);
    budget.used = bytes;
    if (declarations.ctas_per_sm > 1 && bytes <= spec.limits.smem_per_cta) {
        // What one CTA cannot use of an SM is what the system keeps for each CTA.
        const std::int64_t kept = spec.limits.smem_per_sm - spec.limits.smem_per_cta;
        budget.used = declarations.ctas_per_sm * (bytes + kept);
        budget.limit = spec.limits.smem_per_sm;
        budget.detail = fmt::format("{} CTAs of {} each and {} for the system: {}",
                                    declarations.ctas_per_sm, bytes, kept, budget.detail);
    }
    return budget;
}

Budget tmem_budget(const Declarations& declarations, const GpuSpec& spec) {
    Budget budget{"TMEM columns", 0, spec.tmem.columns, "columns", {}};
    const std::int64_t columns = sum_of(declarations, BufferSpace::tmem, budget.detail);
    if (columns > 0) {
        std::int64_t allocated = tmem_granularity;
        while (allocated < columns) {
            allocated *= 2;
        }
        budget.used = declarations.ctas_per_sm * allocated;
        if (allocated != columns) {
            budget.detail += fmt::format(", allocated as {}", allocated);
        }
    }
    return budget;
}

Budget register_budget(const Declarations& declarations, const GpuSpec& spec) {
    Budget budget{"registers", 0, spec.limits.registers_per_sm, "registers", {}};
    for (const DeclaredRole& declared : declarations.roles) {
        const Role& role = declared.role;
        const std::int64_t each = round_up(role.registers, register_granularity);
        const std::int64_t threads = threads_of_warp * role.warps;
        budget.used += threads * each * declarations.ctas_per_sm;
        budget.detail += fmt::format("{}{} {} x {}", budget.detail.empty() ? "" : " + ", role.name,
                                     threads, each);
    }
    return budget;
}

/// Of the role that asks for most: what no split of the register file can give.
Budget thread_register_budget(const Declarations& declarations, const GpuSpec& spec) {
    Budget budget{"registers a thread", 0, spec.limits.max_registers_per_thread, "registers", {}};
    for (const DeclaredRole& declared : declarations.roles) {
        if (declared.role.registers > budget.used) {
            budget.used = declared.role.registers;
            budget.detail = declared.role.name;
        }
    }
    if (budget.used <= round_up(budget.limit, register_granularity)) {
        budget.used = std::min(budget.used, budget.limit);  // 256 asks for what there is
    }
    return budget;
}

std::int64_t threads_of(const Declarations& declarations) {
    std::int64_t warps = 0;
    for (const DeclaredRole& declared : declarations.roles) {
        warps = std::max<std::int64_t>(warps, declared.role.first_warp + declared.role.warps);
    }
    return warps * threads_of_warp;
}

Budget thread_budget(const Declarations& declarations, const GpuSpec& spec) {
    const std::int64_t threads = threads_of(declarations);
    if (threads > spec.limits.max_threads_per_cta) {
        return {"threads", threads, spec.limits.max_threads_per_cta, "threads", "of one CTA"};
    }
    return {"threads", declarations.ctas_per_sm * threads, spec.limits.max_threads_per_sm,
            "threads", fmt::format("{} CTAs of {}", declarations.ctas_per_sm, threads)};
}

/// The largest contributor, so that an error has a place.
SourceLocation culprit(const Budget& budget, const Declarations& declarations) {
    const bool smem = budget.name == "SMEM";
    if (smem || budget.name == "TMEM columns") {
        const Buffer* largest = nullptr;
        for (const Buffer& buffer : declarations.buffers) {
            const bool counted = buffer.space == (smem ? BufferSpace::smem : BufferSpace::tmem) &&
                                 buffer.present && buffer.alias < 0;
            if (counted && (largest == nullptr || buffer.copies * buffer.copy_size() >
                                                      largest->copies * largest->copy_size())) {
                largest = &buffer;
            }
        }
        return largest == nullptr ? SourceLocation{} : largest->where;
    }
    return declarations.roles.empty() ? SourceLocation{} : declarations.roles.front().where;
}

}  // namespace

std::vector<Budget> compute_budgets(const Declarations& declarations, const GpuSpec& spec) {
    return {smem_budget(declarations, spec), tmem_budget(declarations, spec),
            register_budget(declarations, spec), thread_budget(declarations, spec)};
}

std::vector<Budget> compute_needs(const Declarations& declarations, const GpuSpec& spec) {
    std::vector<Budget> needs = compute_budgets(declarations, spec);
    needs.push_back(thread_register_budget(declarations, spec));
    for (Budget& need : needs) {
        if (need.unit == "columns" && need.used > need.limit) {
            std::string ignored;
            const std::int64_t columns =
                declarations.ctas_per_sm * sum_of(declarations, BufferSpace::tmem, ignored);
            need.used = columns > need.limit ? columns : need.used;
        }
    }
    return needs;
}

bool all_fit(const std::vector<Budget>& budgets) {
    return std::all_of(budgets.begin(), budgets.end(),
                       [](const Budget& budget) { return budget.used <= budget.limit; });
}

void check_budgets(const std::vector<Budget>& budgets, const Declarations& declarations,
                   const GpuSpec& spec, Problems& problems, const std::string& remedy) {
    for (const Budget& budget : budgets) {
        if (budget.used > budget.limit) {
            problems.infeasible.error(
                culprit(budget, declarations),
                fmt::format("{}: {} {} needed, {} available, {} over ({})", budget.name,
                            budget.used, budget.unit, budget.limit, budget.used - budget.limit,
                            budget.detail),
                remedy);
        }
    }
    const std::int64_t most = round_up(spec.limits.max_registers_per_thread, register_granularity);
    for (const DeclaredRole& declared : declarations.roles) {
        if (declared.role.registers > most) {
            problems.infeasible.error(
                declared.where, fmt::format("role '{}' asks for {} registers a thread, the GPU has "
                                            "{}",
                                            declared.role.base_name, declared.role.registers,
                                            spec.limits.max_registers_per_thread));
        }
    }
    if (declarations.ctas_per_sm > spec.limits.max_ctas_per_sm) {
        problems.infeasible.error(
            {}, fmt::format("{} CTAs on an SM, {} is the most", declarations.ctas_per_sm,
                            spec.limits.max_ctas_per_sm));
    }
}

}  // namespace warpline
