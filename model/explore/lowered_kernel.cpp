#include "warpline/explore/lowered_kernel.hpp"

#include "warpline/pipeline/operation_file.hpp"
#include "warpline/pipeline/problem_names.hpp"
#include "warpline/pipeline/resolve.hpp"
#include "warpline/pipeline/side_launches.hpp"

#include <algorithm>

namespace warpline {
namespace {

constexpr std::size_t most_problems = 256, most_bodies = 32;  // beyond, memory is begun anew

}  // namespace

LoweredKernel::LoweredKernel(Source source, Spec spec, std::vector<ParameterOverride> overrides)
    : source_(std::move(source)), spec_(std::move(spec)), overrides_(std::move(overrides)) {
    for (const PipelineSource& kernel : source_->parts) {
        kernels_.push_back(std::make_unique<LoweredKernel>(Source(source_, &kernel), spec_,
                                                           overrides_of(kernel, overrides_)));
    }
}

std::size_t LoweredKernel::held() const {
    std::size_t held = held_;
    for (const auto& kernel : kernels_) {
        held += kernel->held();
    }
    return held;
}

std::int64_t LoweredKernel::lowerings() const {
    std::int64_t lowerings = lowerings_;
    for (const auto& kernel : kernels_) {
        lowerings += kernel->lowerings();
    }
    return lowerings;
}

LoweredKernel::Key LoweredKernel::key_of(const AttentionProblem& problem) {
    std::vector<double> values;
    for (const auto& [name, value] : problem_names(problem)) {
        values.push_back(value);
    }
    return {problem.direction, problem.dtype, std::move(values)};
}

LoweredKernel::Lowered LoweredKernel::at(const AttentionProblem& problem) {
    Key key = key_of(problem);
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (const auto known = by_problem_.find(key); known != by_problem_.end()) {
            return known->second;
        }
    }
    // Not under the lock: two threads may both lower it, and find the same.
    Lowered fresh = lower(problem);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (by_problem_.size() >= most_problems) {
        by_problem_.clear();
    }
    const auto known = by_problem_.emplace(std::move(key), std::move(fresh)).first;
    held_ = by_problem_.size() + bodies_.size();
    return known->second;
}

std::shared_ptr<const Operation> LoweredKernel::body_for(const AttentionProblem& problem,
                                                         const NameValues& given) const {
    const auto same = [&](const auto& asked) {
        const auto now = given.find(asked.first);
        return now != given.end() && now->second == asked.second;
    };
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const Body& body : bodies_) {
        if (body.dtype == problem.dtype &&
            std::all_of(body.asked.begin(), body.asked.end(), same)) {
            return body.operation;
        }
    }
    return nullptr;
}

std::vector<Parameter> LoweredKernel::last_parameters() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return last_;
}

void LoweredKernel::set_last_parameters(std::vector<Parameter> parameters) {
    const std::lock_guard<std::mutex> lock(mutex_);
    last_ = std::move(parameters);
}

LoweredKernel::Lowered LoweredKernel::lower_kernels(const AttentionProblem& problem) {
    auto operation = operation_of_kernels(
        *source_, *spec_, problem, overrides_, [&](std::size_t index) -> Result<KernelPlan> {
            const auto lowered = kernels_[index]->at(problem);
            return lowered ? Result<KernelPlan>((*lowered)->plan) : tl::unexpected(lowered.error());
        });
    return operation ? Lowered(std::make_shared<Operation>(std::move(*operation)))
                     : tl::unexpected(std::move(operation.error()));
}

LoweredKernel::Lowered LoweredKernel::lower(const AttentionProblem& problem) {
    if (names_kernels(source_->root)) {
        return lower_kernels(problem);
    }
    const Request request{*source_, *spec_, problem};
    Resolved resolved(request);
    if (!resolve_parameters(request, overrides_, resolved, last_parameters()) ||
        !resolved.problems.none()) {
        return lower_body(problem);
    }
    set_last_parameters(resolved.parameters);
    const auto body = body_for(problem, given_values(problem, resolved.parameters));
    if (body == nullptr) {
        return lower_body(problem, resolved.parameters);
    }
    auto operation = std::make_shared<Operation>(*body);
    set_parameters(operation->plan, *source_, resolved.parameters);
    if (const YamlNode* const section = source_->root.find("launches")) {
        resolved.evaluator.define("cluster", operation->plan.cluster);
        resolved.evaluator.define("ctas_per_sm", operation->plan.ctas_per_sm);
        operation->launches = read_side_launches(section, resolved.reader);
        if (!resolved.problems.none()) {
            return lower_body(problem);
        }
    }
    return operation;
}

LoweredKernel::Lowered LoweredKernel::lower_body(const AttentionProblem& problem,
                                                 const std::vector<Parameter>& known) {
    ++lowerings_;
    auto traced = make_traced_plan(*source_, *spec_, problem, overrides_, known);
    if (!traced) {
        return tl::unexpected(std::move(traced.error()));
    }
    auto operation = std::make_shared<const Operation>(
        Operation{std::move(traced->plan), std::move(traced->launches), std::nullopt});
    const std::lock_guard<std::mutex> lock(mutex_);
    if (bodies_.size() >= most_bodies) {
        bodies_.clear();
    }
    bodies_.push_back({problem.dtype, std::move(traced->asked), operation});
    return operation;
}

}  // namespace warpline
