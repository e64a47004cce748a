#include "warpline/reports/prediction_json.hpp"

#include "warpline/reports/accounts.hpp"
#include "warpline/reports/phrases.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

namespace warpline {
namespace {

/// Keeps the order in which a person reads the keys.
using Json = nlohmann::ordered_json;

Json number(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json problem_json(const AttentionProblem& problem) {
    Json json = {{"text", describe(problem)},
                 {"direction", direction_name(problem.direction)},
                 {"dtype", dtype_name(problem.dtype)},
                 {"batch", problem.batch},
                 {"heads_q", problem.heads_q},
                 {"heads_kv", problem.heads_kv},
                 {"seqlen_q", problem.seqlen_q},
                 {"seqlen_kv", problem.seqlen_kv},
                 {"head_dim_qk", problem.head_dim_qk},
                 {"head_dim_v", problem.head_dim_v},
                 {"mask", mask_name(problem.mask.kind)},
                 {"window", problem.mask.window},
                 {"deterministic", problem.deterministic}};
    Json sequences = Json::array();
    for (const SequencePair& pair : problem.varlen) {
        sequences.push_back({{"q", pair.q}, {"kv", pair.kv}});
    }
    json["varlen"] = std::move(sequences);
    return json;
}

Json causes_json(const KernelPlan& plan, const std::vector<RoleAccount::Stall>& stalls) {
    Json json = Json::array();
    for (const auto& [cause, share] : stalls) {
        json.push_back({{"kind", cause_kind_name(cause.kind)},
                        {"text", cause_phrase(plan, cause)},
                        {"share", number(share)}});
    }
    return json;
}

Json bounds_json(const Prediction& prediction) {
    return {{"rows", prediction.steady.rows},
            {"block", prediction.steady.block},
            {"roofline_cycles", number(prediction.steady.roofline)},
            {"recurrence_cycles", number(prediction.steady.recurrence)},
            {"simulated_cycles", number(prediction.steady.simulated)},
            {"roofline_unit", unit_name(prediction.steady_roofline.bound)}};
}

Json units_json(const Prediction& prediction) {
    Json json = Json::array();
    for (const UnitReport& unit : prediction.units) {
        const UnitOverRun run = unit_over_run(prediction.schedule, unit.unit);
        json.push_back({{"unit", unit_name(unit.unit)},
                        {"busy", number(unit.busy)},
                        {"demand_cycles", number(unit.demand_cycles)},
                        {"only_this_limits_tflops", number(unit.only_this_limits)},
                        {"run_busy", number(run.busy)},
                        {"idle", causes_json(prediction.plan, run.idle)}});
    }
    return json;
}

Json roles_json(const Prediction& prediction) {
    Json json = Json::array();
    for (const RoleAccount& account : role_accounts(prediction.schedule)) {
        json.push_back({{"role", role_label(prediction.plan, account.role)},
                        {"warps", account.warps},
                        {"issuing", number(account.busy)},
                        {"stalls", causes_json(prediction.plan, account.stalls)}});
    }
    return json;
}

Json cycle_json(const Prediction& prediction) {
    const RecurrenceBound& bound = prediction.recurrence;
    Json steps = Json::array();
    for (const CycleStep& step : bound.critical_cycle) {
        steps.push_back({{"role", role_label(prediction.plan, step.role)},
                         {"label", step.label},
                         {"iteration", step.iteration},
                         {"cycles", cycles_from_ticks(step.weight)},
                         {"reason", step.reason}});
    }
    return {{"cycles_per_step",
             number(bound.cycle_ticks_per_block / static_cast<double>(ticks_per_cycle))},
            {"unit", bound.unit_bound ? Json(unit_name(bound.unit)) : Json(nullptr)},
            {"steps", std::move(steps)}};
}

Json budgets_json(const KernelPlan& plan) {
    Json json = Json::array();
    for (const Budget& budget : plan.budgets) {
        json.push_back({{"name", budget.name},
                        {"used", budget.used},
                        {"limit", budget.limit},
                        {"unit", budget.unit},
                        {"detail", budget.detail}});
    }
    return json;
}

Json nearest_json(const std::vector<ComparedRow>& rows) {
    const auto known = [](double value) { return value > 0.0 ? number(value) : Json(nullptr); };
    Json json = Json::array();
    for (const ComparedRow& row : rows) {
        json.push_back({{"source", row.row.source},
                        {"gpu", row.row.gpu},
                        {"kernel", row.row.kernel},
                        {"problem", problem_json(row.row.problem)},
                        {"clock_mhz", number(megahertz(row.clock.hz))},
                        {"clock_is_measured", row.clock_source == ClockSource::measured},
                        {"error_of", row.by_time ? "time" : "active_cycles"},
                        {"measured_ms", known(row.measured_ms)},
                        {"predicted_ms", known(row.predicted_ms)},
                        {"error", number(row.error)}});
    }
    return json;
}

Json provenance_json(const Prediction& prediction) {
    Json parameters = Json::object();
    for (const auto& [name, value] : prediction.plan.parameters) {
        parameters[name] = number(value);
    }
    const auto clock_limit = [](const std::optional<ClockHz>& clock) {
        return clock ? number(megahertz(*clock)) : Json(nullptr);
    };
    const WaveSummary& waves = prediction.waves;
    return {{"version", prediction.version},
            {"spec_hash", prediction.spec_hash},
            {"pipeline_hash", prediction.plan.hash},
            {"pipeline_file", prediction.plan.file},
            {"parameters", std::move(parameters)},
            {"clock_origin", prediction.clock.origin},
            {"clock_low_mhz", clock_limit(prediction.clock.low)},
            {"clock_high_mhz", clock_limit(prediction.clock.high)},
            {"counted_flops", number(prediction.counted_flops)},
            {"executed_flops", number(prediction.executed_flops)},
            {"tiles", waves.tiles},
            {"slots", waves.slots},
            {"waves", number(waves.waves)},
            {"hbm_bytes", number(waves.hbm_bytes)},
            {"l2_bytes", number(waves.l2_bytes)},
            {"turn_wait_cycles", number(waves.turn_wait_cycles)},
            {"code_bytes", number(waves.code_bytes)},
            {"fetched_code_share", number(waves.fetched_code_share)},
            {"fetch_bound", waves.fetch_bound},
            {"memory_bound", waves.memory_bound}};
}

Json power_json(const Prediction& prediction) {
    if (!prediction.power) {
        return nullptr;
    }
    Json parts = Json::object();
    for (const PowerAccount::Part& part : prediction.power->parts) {
        parts[part.name] = number(part.watts);
    }
    return {{"watts", number(prediction.power->watts)},
            {"limit_watts", number(prediction.power->limit_watts)},
            {"ceiling_mhz", number(megahertz(prediction.power->ceiling))},
            {"parts", std::move(parts)}};
}

Json value_of(const Prediction& prediction, const std::vector<ComparedRow>& nearest) {
    return {{"schema", prediction_schema},
            {"kernel", prediction.kernel},
            {"gpu", prediction.gpu},
            {"problem", problem_json(prediction.problem)},
            {"clock_mhz", number(megahertz(prediction.clock.hz))},
            {"time_ms", number(prediction.seconds * 1e3)},
            {"tflops", number(prediction.tflops)},
            {"utilization", number(prediction.utilization)},
            {"makespan_cycles", number(prediction.makespan_cycles)},
            {"mean_active_cycles", number(prediction.waves.mean_active_cycles)},
            {"bound_by", prediction.bound_by},
            {"bounds", bounds_json(prediction)},
            {"units", units_json(prediction)},
            {"roles", roles_json(prediction)},
            {"critical_cycle", cycle_json(prediction)},
            {"budgets", budgets_json(prediction.plan)},
            {"power", power_json(prediction)},
            {"nearest_measured", nearest_json(nearest)},
            {"assumptions", prediction.assumptions},
            {"provenance", provenance_json(prediction)}};
}

/// The launches beside the kernels, and the kernels, each with its share of the time.
void add_parts(Json& json, const Prediction& sum) {
    const auto share = [&](double seconds) {
        return number(sum.seconds > 0.0 ? seconds / sum.seconds : 0.0);
    };
    json["launches"] = Json::array();
    for (const SideTime& side : sum.side_times) {
        json["launches"].push_back({{"name", side.name},
                                    {"runs", side.after ? "after" : "before"},
                                    {"time_ms", number(side.seconds * 1e3)},
                                    {"share", share(side.seconds)}});
    }
    json["kernels"] = Json::array();
    for (const Prediction& kernel : sum.kernels) {
        json["kernels"].push_back({{"share", share(kernel.seconds)},
                                   {"executed_tflops", number(executed_tflops(kernel))},
                                   {"prediction", value_of(kernel, {})}});
    }
}

Json sum_value(const Prediction& sum, const std::vector<ComparedRow>& nearest) {
    Json json = {{"schema", operation_prediction_schema},
                 {"kernel", sum.kernel},
                 {"gpu", sum.gpu},
                 {"problem", problem_json(sum.problem)},
                 {"clock_mhz", number(megahertz(sum.clock.hz))},
                 {"time_ms", number(sum.seconds * 1e3)},
                 {"tflops", number(sum.tflops)},
                 {"executed_tflops", number(executed_tflops(sum))},
                 {"utilization", number(sum.utilization)},
                 {"counted_flops", number(sum.counted_flops)},
                 {"executed_flops", number(sum.executed_flops)},
                 {"makespan_cycles", number(sum.makespan_cycles)},
                 {"mean_active_cycles", number(sum.waves.mean_active_cycles)},
                 {"hbm_bytes", number(sum.waves.hbm_bytes)},
                 {"l2_bytes", number(sum.waves.l2_bytes)},
                 {"bound_by", sum.bound_by}};
    add_parts(json, sum);
    json["power"] = power_json(sum);
    json["nearest_measured"] = nearest_json(nearest);
    json["assumptions"] = sum.assumptions;
    json["provenance"] = {{"version", sum.version},
                          {"spec_hash", sum.spec_hash},
                          {"pipeline_hash", sum.plan.hash},
                          {"pipeline_file", sum.plan.file},
                          {"clock_origin", sum.clock.origin}};
    return json;
}

}  // namespace

std::string prediction_json(const Prediction& prediction, const std::vector<ComparedRow>& nearest) {
    const Json json =
        prediction.kernels.empty() ? value_of(prediction, nearest) : sum_value(prediction, nearest);
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace warpline
