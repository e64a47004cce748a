// warpline check FILE: whether a specification or pipeline is right, without running a prediction.
#include "cli/problem_options.hpp"
#include "cli/session.hpp"
#include "warpline/engine/engine.hpp"
#include "warpline/recurrence/recurrence.hpp"

#include <memory>

#include <fmt/format.h>

namespace warpline::cli {
namespace {

struct CheckArguments {
    std::string file;
    ProblemOptions problem;
};

/// Runs the programs on tiles of 0 to 3 blocks, where prologues and epilogues go wrong.
Result<void> run_short_tiles(const KernelPlan& plan, const MemoryEnvironment& memory) {
    for (std::int64_t blocks = 0; blocks <= 3; ++blocks) {
        const TileClass tile{blocks, blocks > 0 ? 1 : 0, 0};
        if (const auto schedule = simulate(plan, {{tile, 2}}, memory); !schedule) {
            Failure failure = schedule.error();
            for (Diagnostic& diagnostic : failure.diagnostics) {
                diagnostic.message =
                    fmt::format("two tiles of {} blocks: {}", blocks, diagnostic.message);
            }
            return tl::unexpected(std::move(failure));
        }
    }
    return {};
}

/// What there is to say of one kernel that was lowered, below a line that names it.
Result<std::string> check_plan(const Request& request, const KernelPlan& plan,
                               const GpuSpec& spec) {
    const MemoryEnvironment memory = idle_memory(spec);
    const auto bound = recurrence_bound(plan, memory);
    if (!bound) {
        return tl::unexpected(bound.error());
    }
    if (const Result<void> ran = run_short_tiles(plan, memory); !ran) {
        return tl::unexpected(ran.error());
    }
    std::string text = fmt::format(
        "  roles {}, barriers {}, rings {}; no deadlock, no race found; at least {:.1f} cycles a "
        "step\n",
        plan.roles.size(), plan.barriers.size(), plan.rings.size(),
        bound->ticks_per_block / static_cast<double>(ticks_per_cycle));
    for (const Diagnostic& warning : plan.warnings) {
        text += request.style.warn("warning: ") + printable(warning.text()) + "\n";
    }
    for (const Budget& budget : plan.budgets) {
        text += fmt::format("  {}: {} of {} {}\n", printable(budget.name), budget.used,
                            budget.limit, printable(budget.unit));
    }
    return text;
}

Result<std::string> check_pipeline(const Request& request, const CheckArguments& arguments,
                                   const PipelineSource& source) {
    const auto loaded = load_kernel(request.data_dir, source, arguments.problem);
    if (!loaded) {
        return tl::unexpected(loaded.error());
    }
    const std::vector<KernelPlan>& kernels = loaded->operation.kernels;
    std::string text = fmt::format("{}: a sound {} for {} on {}\n", printable(arguments.file),
                                   kernels.empty() ? "pipeline" : "list of kernels",
                                   describe(loaded->problem), printable(loaded->spec.id));
    if (kernels.empty()) {
        auto checked = check_plan(request, loaded->plan(), loaded->spec);
        return checked ? text + *checked : checked;
    }
    for (const KernelPlan& plan : kernels) {
        auto checked = check_plan(request, plan, loaded->spec);
        if (!checked) {
            return checked;
        }
        text += printable(plan.kernel) + "\n" + *checked;
    }
    return text;
}

Result<std::string> check_spec(const Request& request, const std::string& file) {
    const auto spec = load_gpu_spec(request.data_dir, file);
    if (!spec) {
        return tl::unexpected(spec.error());
    }
    std::string text = fmt::format("{}: a sound specification of {} with {} constants\n",
                                   printable(file), printable(spec->title), spec->constants.size());
    for (const Diagnostic& warning : spec->warnings) {
        text += request.style.warn("warning: ") + printable(warning.text()) + "\n";
    }
    return text;
}

Result<std::string> check(const Request& request, const CheckArguments& arguments) {
    const std::string& file = arguments.file;
    if (file.size() < 6 || file.compare(file.size() - 5, 5, ".yaml") != 0) {
        return fail(FailureKind::usage, fmt::format("{} does not end in .yaml", file));
    }
    // Which of the two a file is, its schema says: any YAML can be read as a pipeline's source.
    const Result<PipelineSource> source = read_pipeline(request.data_dir, file);
    if (!source) {
        return tl::unexpected(source.error());
    }
    if (source->root.kind == YamlNode::Kind::null) {
        return fail(FailureKind::input, fmt::format("{} is empty", file),
                    "a specification begins with 'schema: warpline-hardware/1', a pipeline with "
                    "'schema: warpline-pipeline/1'");
    }
    const YamlNode* const schema = source->root.find("schema");
    const bool pipeline = schema != nullptr && (schema->scalar.rfind("warpline-pipeline", 0) == 0 ||
                                                schema->scalar.rfind("warpline-operation", 0) == 0);
    return pipeline ? check_pipeline(request, arguments, *source) : check_spec(request, file);
}

}  // namespace

void add_check(const Command& program, Request& request) {
    const Command command =
        program.add_subcommand("check", "Validate a specification or pipeline file");
    const auto arguments = std::make_shared<CheckArguments>();
    command.add_option("file", arguments->file, "a .yaml file").required().type_name("FILE");
    arguments->problem.declare(command);
    command.when_named([&request, arguments] {
        request.action = [&request, arguments] { return check(request, *arguments); };
    });
}

}  // namespace warpline::cli
