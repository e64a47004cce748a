#include "warpline/reports/phrases.hpp"
#include "warpline/reports/plan_report.hpp"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

namespace warpline {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json values_json(const std::vector<std::string>& names, const std::vector<double>& values) {
    Json json = Json::object();
    for (std::size_t i = 0; i < names.size(); ++i) {
        json[names[i]] = number(values[i]);
    }
    return json;
}

Json budgets_json(const std::vector<Budget>& budgets) {
    Json json = Json::array();
    for (const Budget& budget : budgets) {
        json.push_back({{"name", budget.name},
                        {"used", budget.used},
                        {"limit", budget.limit},
                        {"unit", budget.unit},
                        {"detail", budget.detail}});
    }
    return json;
}

Json design_json(const DesignPlan& plan, const PlannedDesign& design) {
    Json set = Json::array();
    for (const ParameterOverride& one : design.set) {
        set.push_back(one.name + "=" + one.expression);
    }
    Json splits = Json::array();
    for (const std::vector<double>& split : design.register_splits) {
        splits.push_back(values_json(plan.register_names, split));
    }
    return {{"values", values_json(plan.names, design.values)},
            {"set", std::move(set)},
            {"as_it_is", design.as_it_is},
            {"time_ms", number(design.seconds * 1e3)},
            {"tflops", number(design.tflops)},
            {"utilization", number(design.utilization)},
            {"bound_by", design.bound_by},
            {"roofline_cycles", number(design.steady.roofline)},
            {"recurrence_cycles", number(design.steady.recurrence)},
            {"simulated_cycles", number(design.steady.simulated)},
            {"rows", design.steady.rows},
            {"block", design.steady.block},
            {"budgets", budgets_json(design.budgets)},
            {"register_splits", std::move(splits)}};
}

}  // namespace

std::string plan_json(const DesignPlan& plan, std::size_t top) {
    Json designs = Json::array();
    for (std::size_t i = 0; i < std::min(top, plan.ranked.size()); ++i) {
        designs.push_back(design_json(plan, plan.ranked[i]));
    }
    Json refused = Json::array();
    for (const RefusedDesigns& one : plan.refused) {
        Json entry = {{"reason", one.reason}, {"designs", one.designs}};
        if (!one.nearest.empty()) {
            entry["nearest"] = one.nearest;
        }
        refused.push_back(std::move(entry));
    }
    const Json json = {{"schema", plan_schema},
                       {"kernel", plan.kernel},
                       {"gpu", plan.gpu},
                       {"problem", describe(plan.problem)},
                       {"clock_mhz", number(megahertz(plan.clock.hz))},
                       {"tried", plan.tried},
                       {"fit", plan.ranked.size()},
                       {"designs", std::move(designs)},
                       {"refused", std::move(refused)},
                       {"assumptions", plan.assumptions}};
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace warpline
