#include "warpline/pipeline/design.hpp"

#include "warpline/pipeline/budget.hpp"
#include "warpline/pipeline/operation_file.hpp"
#include "warpline/pipeline/resolve.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace warpline {
namespace {

std::vector<std::string> messages_of(const DiagnosticSink& sink) {
    std::vector<std::string> messages;
    if (sink.empty()) {
        return messages;
    }
    const tl::unexpected<Failure> failure = sink.failure(FailureKind::infeasible);
    for (const Diagnostic& one : failure.value().diagnostics) {
        messages.push_back(one.message);
    }
    return messages;
}

}  // namespace

bool DesignFit::fits() const {
    return forbidden.empty() && all_fit(budgets);
}

double DesignFit::value(std::string_view parameter) const {
    return std::find_if(parameters.begin(), parameters.end(),
                        [&](const Parameter& one) { return one.name == parameter; })
        ->value;
}

std::int64_t excess(const Budget& budget) {
    return std::max<std::int64_t>(0, budget.used - budget.limit);
}

Result<DesignFit> fit_design(const PipelineSource& source, const GpuSpec& spec,
                             const AttentionProblem& problem,
                             const std::vector<ParameterOverride>& overrides) {
    if (names_kernels(source.root)) {
        return several_kernels(source, "designs are of one");
    }
    const Request request{source, spec, problem};
    Resolved resolved(request);
    resolve(request, overrides, resolved);
    Problems& problems = resolved.problems;
    const bool never = resolved.parameters.empty() && !problems.infeasible.empty();
    if (!problems.input.empty() || !problems.usage.empty() || never) {
        return problems.failure();
    }
    DesignFit fit;
    fit.parameters = std::move(resolved.parameters);
    if (problems.infeasible.empty()) {
        fit.budgets = compute_needs(resolved.declarations, spec);
        if (all_fit(fit.budgets)) {
            check_budgets(fit.budgets, resolved.declarations, spec, problems, {});
        }
    }
    fit.forbidden = messages_of(problems.infeasible);
    return fit;
}

std::vector<std::string> register_parameters(const PipelineSource& source) {
    std::vector<std::string> names;
    const YamlNode* const roles = source.root.find("roles");
    const YamlNode* const parameters = source.root.find("parameters");
    if (roles == nullptr || parameters == nullptr || !roles->is_map()) {
        return names;
    }
    for (const auto& [role, node] : roles->fields) {
        const YamlNode* const registers = node.find("registers");
        const bool parameter =
            registers != nullptr && parameters->find(registers->scalar) != nullptr;
        if (parameter && std::find(names.begin(), names.end(), registers->scalar) == names.end()) {
            names.push_back(registers->scalar);
        }
    }
    return names;
}

std::string design_text(const std::vector<ParameterOverride>& set) {
    std::string text;
    for (const ParameterOverride& one : set) {
        text += fmt::format("{}{}={}", text.empty() ? "" : " ", one.name, one.expression);
    }
    return text.empty() ? "as the kernel is" : text;
}

}  // namespace warpline
