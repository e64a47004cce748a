#include "warpline/planner/plan_designs.hpp"

#include "warpline/device/operation.hpp"
#include "warpline/planner/shortfall.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace warpline {
namespace {

std::vector<ParameterOverride> joined(std::vector<ParameterOverride> first,
                                      const std::vector<ParameterOverride>& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

std::vector<double> values_of(const DesignFit& fit, const std::vector<std::string>& names) {
    std::vector<double> values;
    values.reserve(names.size());
    for (const std::string& name : names) {
        values.push_back(fit.value(name));
    }
    return values;
}

std::vector<std::string> names_of(const std::vector<ParameterChoices>& choices) {
    std::vector<std::string> names;
    names.reserve(choices.size());
    for (const ParameterChoices& one : choices) {
        names.push_back(one.name);
    }
    return names;
}

class Planning {
  public:
    Planning(const DesignRequest& request, const PlanOptions& options)
        : request_(request), options_(options) {}

    Result<void> collect() {
        const auto chosen = open_choices(request_, false);
        const auto registers = open_choices(request_, true);
        if (!chosen || !registers) {
            return tl::unexpected(!chosen ? chosen.error() : registers.error());
        }
        plan_.names = names_of(*chosen);
        plan_.register_names = names_of(*registers);
        auto base = fit_design(request_.source, request_.spec, request_.problem, request_.fixed);
        if (!base) {
            return tl::unexpected(std::move(base.error()));
        }
        as_it_is_ = values_of(*base, plan_.names);
        designs_.push_back({{}, std::move(*base)});
        return for_each_design(request_, [&](Design design) {
            // The kernel as it is comes first, and once.
            if (values_of(design.fit, plan_.names) != as_it_is_) {
                designs_.push_back(std::move(design));
            }
            return true;
        });
    }

    Result<void> judge() {
        plan_.tried = static_cast<std::int64_t>(designs_.size());
        for (const Design& design : designs_) {
            if (!design.fit.forbidden.empty()) {
                count(plan_.refused, design.fit.forbidden.front());
            } else if (!design.fit.fits()) {
                over_budget(design);
            } else if (auto done = answer(design); !done) {
                return done;
            }
        }
        std::stable_sort(plan_.ranked.begin(), plan_.ranked.end(),
                         [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
        return {};
    }

    Result<void> split_registers() {
        const std::size_t count = std::min(options_.splits_of, plan_.ranked.size());
        for (std::size_t i = 0; i < count; ++i) {
            auto splits = register_splits(request_, plan_.ranked[i].set);
            if (!splits) {
                return tl::unexpected(std::move(splits.error()));
            }
            plan_.ranked[i].register_splits = std::move(*splits);
        }
        return {};
    }

    /// Why, when no design is left: what does not fit, and what those that fit stumble over.
    [[nodiscard]] Failure nothing_runs() const {
        Failure failure = explain_shortfall(request_, designs_);
        for (const RefusedDesigns& refused : stumbled_) {
            Diagnostic one;
            one.message = fmt::format("{} designs: {}", refused.designs, refused.reason);
            failure.diagnostics.push_back(std::move(one));
        }
        return failure;
    }

    [[nodiscard]] DesignPlan& plan() { return plan_; }

  private:
    static RefusedDesigns& count(std::vector<RefusedDesigns>& all, const std::string& reason) {
        auto known = std::find_if(all.begin(), all.end(),
                                  [&](const auto& one) { return one.reason == reason; });
        if (known == all.end()) {
            known = all.insert(all.end(), {reason, 0, {}});
        }
        ++known->designs;
        return *known;
    }

    /// Counts a design under the first budget that it exceeds.
    void over_budget(const Design& design) {
        const Budget& first = *std::find_if(design.fit.budgets.begin(), design.fit.budgets.end(),
                                            [](const Budget& one) { return excess(one) > 0; });
        RefusedDesigns& refused = count(plan_.refused, first.name);
        const auto [least, fresh] = least_excess_.emplace(first.name, excess(first));
        if (fresh || excess(first) < least->second) {
            least->second = excess(first);
            refused.nearest = describe({first, design.set, false});
        }
    }

    /// Predicts a design that fits. What its programs make impossible is a reason, too.
    Result<void> answer(const Design& design) {
        const auto operation = make_operation(request_.source, request_.spec, request_.problem,
                                              joined(request_.fixed, design.set));
        auto prediction = operation ? predict_operation(request_.spec, *operation, request_.problem,
                                                        options_.predict)
                                    : Result<Prediction>(tl::unexpected(operation.error()));
        if (!prediction) {
            if (prediction.error().kind == FailureKind::usage) {
                return tl::unexpected(std::move(prediction.error()));
            }
            const std::string& reason = prediction.error().diagnostics.front().message;
            count(plan_.refused, reason);
            count(stumbled_, reason);
            return {};
        }
        if (plan_.ranked.empty()) {
            plan_.clock = prediction->clock;
            plan_.assumptions = prediction->assumptions;
        }
        plan_.ranked.push_back({design.set,
                                values_of(design.fit, plan_.names),
                                design.set.empty(),
                                design.fit.budgets,
                                prediction->seconds,
                                prediction->tflops,
                                prediction->utilization,
                                prediction->steady,
                                prediction->bound_by,
                                {}});
        return {};
    }

    const DesignRequest& request_;
    const PlanOptions& options_;
    std::vector<double> as_it_is_;
    std::vector<Design> designs_;
    std::vector<RefusedDesigns> stumbled_;
    std::map<std::string, std::int64_t> least_excess_;  ///< by budget
    DesignPlan plan_;
};

}  // namespace

Result<DesignPlan> plan_designs(const DesignRequest& request, const PlanOptions& options) {
    Planning planning(request, options);
    if (auto done = planning.collect(); !done) {
        return tl::unexpected(std::move(done.error()));
    }
    if (auto done = planning.judge(); !done) {
        return tl::unexpected(std::move(done.error()));
    }
    if (planning.plan().ranked.empty()) {
        return tl::unexpected(planning.nothing_runs());
    }
    if (auto done = planning.split_registers(); !done) {
        return tl::unexpected(std::move(done.error()));
    }
    planning.plan().kernel = request.source.kernel;
    planning.plan().gpu = request.spec.id;
    planning.plan().problem = request.problem;
    return std::move(planning.plan());
}

}  // namespace warpline
