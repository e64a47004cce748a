#include "warpline/planner/shortfall.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::int64_t head_dim_step = 16;

double distance(const Design& design) {
    double sum = 0.0;
    for (const Budget& budget : design.fit.budgets) {
        sum += static_cast<double>(excess(budget)) / static_cast<double>(budget.limit);
    }
    return sum;
}

Result<bool> some_design_fits(const DesignRequest& request) {
    bool found = false;
    auto walked = for_each_design(request, [&](const Design& design) {
        found = design.fit.fits();
        return !found;
    });
    if (!walked) {
        return tl::unexpected(walked.error());
    }
    return found;
}

using SetDim = void (*)(AttentionProblem&, std::int64_t);

/// The largest multiple of the step below `asked` that fits, or 0.
Result<std::int64_t> largest_that_fits(DesignRequest request, std::int64_t asked, SetDim set) {
    std::int64_t low = 0;
    std::int64_t high = (asked + head_dim_step - 1) / head_dim_step;
    while (high - low > 1) {
        const std::int64_t middle = low + (high - low) / 2;
        set(request.problem, middle * head_dim_step);
        const auto fits = some_design_fits(request);
        if (!fits) {
            return tl::unexpected(fits.error());
        }
        (*fits ? low : high) = middle;
    }
    return low * head_dim_step;
}

void set_both(AttentionProblem& problem, std::int64_t dim) {
    problem.head_dim_qk = dim;
    problem.head_dim_v = dim;
}
void set_qk(AttentionProblem& problem, std::int64_t dim) {
    problem.head_dim_qk = dim;
}
void set_v(AttentionProblem& problem, std::int64_t dim) {
    problem.head_dim_v = dim;
}

std::string dims_text(std::int64_t qk, std::int64_t v) {
    return qk == v ? fmt::format("{}", qk) : fmt::format("{}:{}", qk, v);
}

Diagnostic said(std::string message, std::string hint = {}) {
    Diagnostic diagnostic;
    diagnostic.message = std::move(message);
    diagnostic.hint = std::move(hint);
    return diagnostic;
}

/// "--head-dim 480 fits"; empty when nothing does.
std::string remedy_text(const DesignRequest& request) {
    const auto dims = head_dims_that_fit(request);
    if (!dims || dims->empty()) {
        return {};
    }
    std::vector<std::string> texts;
    for (const auto& [qk, v] : *dims) {
        texts.push_back(dims_text(qk, v));
    }
    return fmt::format("--head-dim {} would fit", fmt::join(texts, " or "));
}

}  // namespace

std::string describe(const Shortfall& shortfall) {
    const Budget& budget = shortfall.budget;
    return fmt::format("{}: {}{} {} needed, {} available, {} over, {}{} ({})", budget.name,
                       shortfall.every_design ? "at least " : "", budget.used, budget.unit,
                       budget.limit, excess(budget), shortfall.set.empty() ? "" : "with ",
                       design_text(shortfall.set), budget.detail);
}

std::vector<Shortfall> shortfalls(const std::vector<Design>& designs) {
    std::vector<Shortfall> out;
    const Design* nearest = nullptr;
    std::map<std::string, Shortfall> least;
    std::vector<std::string> order;
    for (const Design& design : designs) {
        if (design.fit.budgets.empty()) {
            continue;
        }
        if (nearest == nullptr || distance(design) < distance(*nearest)) {
            nearest = &design;
        }
        for (const Budget& budget : design.fit.budgets) {
            const auto [known, fresh] =
                least.emplace(budget.name, Shortfall{budget, design.set, true});
            if (fresh) {
                order.push_back(budget.name);
            } else if (budget.used < known->second.budget.used) {
                known->second = {budget, design.set, true};
            }
        }
    }
    for (const std::string& name : order) {
        if (excess(least.at(name).budget) > 0) {
            out.push_back(least.at(name));
        }
    }
    if (out.empty() && nearest != nullptr) {
        for (const Budget& budget : nearest->fit.budgets) {
            if (excess(budget) > 0) {
                out.push_back({budget, nearest->set, false});
            }
        }
    }
    return out;
}

Result<std::vector<std::pair<std::int64_t, std::int64_t>>> head_dims_that_fit(
    const DesignRequest& request) {
    const std::int64_t qk = request.problem.head_dim_qk;
    const std::int64_t v = request.problem.head_dim_v;
    std::vector<std::pair<std::int64_t, std::int64_t>> out;
    const auto add = [&](std::int64_t asked, SetDim set) -> Result<void> {
        const auto found = largest_that_fits(request, asked, set);
        if (!found) {
            return tl::unexpected(found.error());
        }
        if (*found > 0) {
            AttentionProblem problem = request.problem;
            set(problem, *found);
            out.emplace_back(problem.head_dim_qk, problem.head_dim_v);
        }
        return {};
    };
    auto done = qk == v ? add(qk, set_both) : add(v, set_v);
    if (done && qk != v) {
        done = add(qk, set_qk);
    }
    if (!done) {
        return tl::unexpected(done.error());
    }
    return out;
}

Failure explain_refusal(const DesignRequest& request, Failure refusal) {
    std::vector<Design> designs;
    const auto walked = for_each_design(request, [&](Design design) {
        designs.push_back(std::move(design));
        return true;
    });
    if (refusal.kind != FailureKind::infeasible || !walked || designs.size() < 2) {
        return refusal;
    }
    const auto fits = std::find_if(designs.begin(), designs.end(),
                                   [](const Design& design) { return design.fit.fits(); });
    if (fits != designs.end()) {
        std::string set;
        for (const ParameterOverride& one : fits->set) {
            set += fmt::format(" --set {}={}", one.name, one.expression);
        }
        refusal.diagnostics.push_back(
            said(fmt::format("other designs of {} fit, the first is{}", request.source.kernel, set),
                 "`warpline plan` ranks all of them"));
        return refusal;
    }
    const std::vector<Shortfall> short_of = shortfalls(designs);
    for (const Shortfall& one : short_of) {
        refusal.diagnostics.push_back(said(
            (one.every_design ? "whatever the design, " : "nearest design, ") + describe(one)));
    }
    if (!short_of.empty()) {
        refusal.diagnostics.back().hint = remedy_text(request);
    }
    return refusal;
}

Failure explain_shortfall(const DesignRequest& request, const std::vector<Design>& designs) {
    Failure failure;
    failure.kind = FailureKind::infeasible;
    const AttentionProblem& problem = request.problem;
    failure.diagnostics.push_back(
        said(fmt::format("none of the {} designs of {} runs head dim {} on {}", designs.size(),
                         request.source.kernel, dims_text(problem.head_dim_qk, problem.head_dim_v),
                         request.spec.id),
             remedy_text(request)));
    const std::vector<Shortfall> short_of = shortfalls(designs);
    for (const Shortfall& one : short_of) {
        failure.diagnostics.push_back(said(describe(one)));
    }
    // Where a budget is the reason, designs that a check forbids beside it are no news.
    std::map<std::string, std::int64_t> forbidden;
    for (const Design& design : designs) {
        for (const std::string& message : design.fit.forbidden) {
            forbidden[message] += short_of.empty() ? 1 : 0;
        }
    }
    for (const auto& [message, count] : forbidden) {
        if (count > 0) {
            failure.diagnostics.push_back(said(fmt::format("{} designs: {}", count, message)));
        }
    }
    return failure;
}

}  // namespace warpline
