#include "warpline/pipeline/load_plan.hpp"

#include "warpline/pipeline/balance.hpp"
#include "warpline/pipeline/budget.hpp"
#include "warpline/pipeline/lowering.hpp"
#include "warpline/pipeline/operation_file.hpp"
#include "warpline/pipeline/problem_names.hpp"
#include "warpline/pipeline/read_pipeline.hpp"
#include "warpline/pipeline/remedy.hpp"
#include "warpline/pipeline/resolve.hpp"
#include "warpline/pipeline/side_launches.hpp"
#include "warpline/pipeline/tile_work.hpp"
#include "warpline/pipeline/traced_plan.hpp"
#include "warpline/pipeline/unknown_constants.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace warpline {
namespace {

/// mma.sync is not queued: a warp that comes to one waits until the tensor core takes it.
constexpr int mma_sync_queue_depth = 1;

MachineTimings machine_of(const GpuSpec& spec, MmaPath path) {
    MachineTimings machine;
    machine.sub_partitions = spec.sub_partitions;
    machine.tensor_scope = spec.tensor_scope;
    machine.smem_bytes_per_clk = spec.smem_bytes_per_clk;
    machine.smem_quantum = spec.smem_quantum;
    machine.tensor_queue_depth =
        path == MmaPath::mma_sync ? mma_sync_queue_depth : spec.tensor_queue_depth;
    machine.arbitration = spec.arbitration;
    if (const auto load = spec.instructions.find("ldg.128"); load != spec.instructions.end()) {
        machine.lsu_global_interval = load->second.interval;
    }
    machine.sync = spec.sync;
    machine.tma = spec.tma;
    return machine;
}

void warn_unused_buffers(const Declarations& declarations, const std::set<const Buffer*>& used,
                         DiagnosticSink& warnings) {
    for (const Buffer& buffer : declarations.buffers) {
        if (buffer.present && used.count(&buffer) == 0) {
            warnings.error(
                buffer.where,
                fmt::format("no statement names buffer '{}': it counts in the budget only",
                            buffer.name));
        }
    }
}

/// The value with all its digits. Whole numbers, as most parameters are, take the short way to the
/// same text.
std::string exact_text(double value) {
    constexpr double largest_plain = 1e15;
    const bool negative_zero = value == 0.0 && std::signbit(value);
    if (std::abs(value) < largest_plain && std::trunc(value) == value && !negative_zero) {
        return fmt::format_int(static_cast<std::int64_t>(value)).str();
    }
    return fmt::format("{:.17g}", value);
}

std::string hash_of(const Fingerprint& text, const std::vector<Parameter>& parameters) {
    Fingerprint all = text;
    for (const Parameter& parameter : parameters) {
        all.add("\n");
        all.add(parameter.name);
        all.add("=");
        all.add(exact_text(parameter.value));
    }
    return all.text();
}

bool fits_with(const Request& request, const std::vector<ParameterOverride>& overrides) {
    Resolved attempt(request);
    resolve(request, overrides, attempt);
    return attempt.problems.none() && all_fit(compute_budgets(attempt.declarations, request.spec));
}

void check_storage(const Request& request, const std::vector<ParameterOverride>& overrides,
                   const std::vector<Budget>& budgets, Resolved& resolved) {
    std::string remedy;
    if (!all_fit(budgets)) {
        remedy = find_remedy(resolved.parameters, overrides,
                             [&](const std::vector<ParameterOverride>& candidate) {
                                 return fits_with(request, candidate);
                             });
    }
    check_budgets(budgets, resolved.declarations, request.spec, resolved.problems, remedy);
}

void lower_roles(const Request& request, Resolved& resolved, KernelPlan& plan) {
    LoweringContext context{request.spec, request.problem, resolved.declarations, resolved.reader,
                            mma_path_of(request.source.root)};
    for (const DeclaredRole& declared : resolved.declarations.roles) {
        plan.roles.push_back(lower_role(context, declared));
    }
    if (resolved.problems.input.empty()) {
        check_balance(resolved.declarations, plan.roles, resolved.problems);
        warn_unused_buffers(resolved.declarations, context.used_buffers,
                            resolved.problems.warnings);
    }
    plan.instructions = std::move(context.instructions);
}

/// Moves what the file declares into the plan.
void describe_kernel(const PipelineSource& source, Resolved& resolved, KernelPlan& plan) {
    plan.kernel = source.kernel;
    plan.title = source.root.find("title")->scalar;
    plan.file = source.file;
    set_parameters(plan, source, resolved.parameters);
    plan.cluster = resolved.declarations.cluster;
    plan.ctas_per_sm = resolved.declarations.ctas_per_sm;
    plan.counted_share = resolved.declarations.counted_share;
    plan.tiles = resolved.declarations.tiles;
    plan.rings = resolved.declarations.rings;
    for (const DeclaredBarrier& declared : resolved.declarations.barriers) {
        plan.barriers.push_back(declared.barrier);
    }
    plan.assumptions = texts_of(source.root, "assumptions", resolved.problems.input);
    if (!resolved.problems.warnings.empty()) {
        plan.warnings = resolved.problems.warnings.failure(FailureKind::input).value().diagnostics;
    }
}

/// Says first what is only assumed of the GPU: the answer stands or falls with it.
void say_unknowns(const Request& request, KernelPlan& plan) {
    const std::vector<std::string> unknowns =
        unknown_constants(request.spec, plan, mma_path_of(request.source.root));
    plan.assumptions.insert(plan.assumptions.begin(), unknowns.begin(), unknowns.end());
    for (const std::string& text : unknowns) {
        Diagnostic warning;
        warning.message = text;
        plan.warnings.push_back(std::move(warning));
    }
}

/// A plan that was made, and what of it only traced plans tell.
struct MadePlan {
    KernelPlan plan;
    std::vector<SideLaunch> launches;
};

/// `asked`: where to put the names that were asked for after the parameters; null: nobody wants
/// them.
Result<MadePlan> make(const Request& request, const std::vector<ParameterOverride>& overrides,
                      const std::vector<Parameter>& known, Resolved& resolved,
                      std::vector<std::string>* asked) {
    const PipelineSource& source = request.source;
    if (names_kernels(source.root)) {
        return several_kernels(source, "a plan is of one");
    }
    resolve(request, overrides, resolved, known);
    if (resolved.problems.input.empty() && !resolved.problems.none()) {
        return resolved.problems.failure();
    }
    MadePlan made;
    KernelPlan& plan = made.plan;
    plan.machine = machine_of(request.spec, mma_path_of(source.root));
    plan.budgets = compute_budgets(resolved.declarations, request.spec);
    lower_roles(request, resolved, plan);
    const TileWork work = read_tile_work(source.root.find("tiles"), resolved.reader);
    if (asked != nullptr) {
        *asked = resolved.evaluator.asked();  // launches change no plan
    }
    made.launches = read_side_launches(source.root.find("launches"), resolved.reader);
    if (resolved.problems.input.empty()) {
        check_storage(request, overrides, plan.budgets, resolved);
    }
    if (resolved.problems.none()) {
        describe_kernel(source, resolved, plan);
        write_tile_work(work, plan.parameters);
        say_unknowns(request, plan);
    }
    if (!resolved.problems.none()) {
        return resolved.problems.failure();
    }
    return made;
}

}  // namespace

NameValues given_values(const AttentionProblem& problem, const std::vector<Parameter>& parameters) {
    NameValues values;
    for (const auto& [name, value] : problem_names(problem)) {
        values[name] = value;
    }
    for (const Parameter& parameter : parameters) {
        values[parameter.name] = parameter.value;
    }
    return values;
}

void set_parameters(KernelPlan& plan, const PipelineSource& source,
                    const std::vector<Parameter>& parameters) {
    plan.hash = hash_of(source.text, parameters);
    for (const Parameter& parameter : parameters) {
        plan.parameters[parameter.name] = parameter.value;
    }
}

Result<KernelPlan> make_plan(const PipelineSource& source, const GpuSpec& spec,
                             const AttentionProblem& problem,
                             const std::vector<ParameterOverride>& overrides) {
    const Request request{source, spec, problem};
    Resolved resolved(request);
    auto made = make(request, overrides, {}, resolved, nullptr);
    return made ? Result<KernelPlan>(std::move(made->plan))
                : tl::unexpected(std::move(made.error()));
}

Result<TracedPlan> make_traced_plan(const PipelineSource& source, const GpuSpec& spec,
                                    const AttentionProblem& problem,
                                    const std::vector<ParameterOverride>& overrides,
                                    const std::vector<Parameter>& known) {
    const Request request{source, spec, problem};
    Resolved resolved(request);
    std::vector<std::string> asked;
    auto made = make(request, overrides, known, resolved, &asked);
    if (!made) {
        return tl::unexpected(std::move(made.error()));
    }
    TracedPlan traced{std::move(made->plan), {}, std::move(made->launches)};
    for (auto& [name, value] : given_values(problem, resolved.parameters)) {
        if (std::binary_search(asked.begin(), asked.end(), name)) {
            traced.asked.emplace(name, value);
        }
    }
    return traced;
}

Result<KernelPlan> load_plan(const std::filesystem::path& data_dir, const std::string& id,
                             const GpuSpec& spec, const AttentionProblem& problem,
                             const std::vector<ParameterOverride>& overrides) {
    const auto source = read_pipeline(data_dir, id);
    if (!source) {
        return tl::unexpected(source.error());
    }
    return make_plan(*source, spec, problem, overrides);
}

Result<std::vector<Diagnostic>> check_pipeline(const std::filesystem::path& file,
                                               const GpuSpec& spec, const AttentionProblem& problem,
                                               const std::vector<ParameterOverride>& overrides) {
    YamlDocuments documents;
    const auto source = read_pipeline_file(file, {}, documents);
    if (!source) {
        return tl::unexpected(source.error());
    }
    AttentionProblem asked = problem;
    asked.direction = pipeline_direction(*source);
    std::vector<Diagnostic> warnings;
    const auto check = [&](const PipelineSource& kernel,
                           const std::vector<ParameterOverride>& set) -> Result<void> {
        auto plan = make_plan(kernel, spec, asked, set);
        if (!plan) {
            return tl::unexpected(std::move(plan.error()));
        }
        warnings.insert(warnings.end(), plan->warnings.begin(), plan->warnings.end());
        return {};
    };
    if (!names_kernels(source->root)) {
        auto checked = check(*source, overrides);
        return checked ? Result<std::vector<Diagnostic>>(std::move(warnings))
                       : tl::unexpected(std::move(checked.error()));
    }
    if (auto head = operation_head(*source, spec, asked, overrides); !head) {
        return tl::unexpected(std::move(head.error()));
    }
    for (const PipelineSource& kernel : source->parts) {
        if (auto checked = check(kernel, overrides_of(kernel, overrides)); !checked) {
            return tl::unexpected(std::move(checked.error()));
        }
    }
    return warnings;
}

}  // namespace warpline
