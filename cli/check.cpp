// warpline check FILE: whether a pipeline, a specification or another file is right, without
// running a prediction.
#include "cli/check_files.hpp"
#include "cli/problem_options.hpp"
#include "cli/session.hpp"
#include "warpline/device/missing_work.hpp"
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

constexpr std::int64_t most_blocks = 3;

/// Runs the programs on tiles of few blocks, where prologues and epilogues go wrong.
Result<void> run_short_tiles(const KernelPlan& plan, const MemoryEnvironment& memory) {
    for (std::int64_t blocks = 0; blocks <= most_blocks; ++blocks) {
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
Result<std::string> check_plan(const Request& request, const KernelPlan& plan, const GpuSpec& spec,
                               const AttentionProblem& problem) {
    const MemoryEnvironment memory = idle_memory(spec);
    const auto bound = recurrence_bound(plan, memory);
    if (!bound) {
        return tl::unexpected(bound.error());
    }
    if (const Result<void> ran = run_short_tiles(plan, memory); !ran) {
        return tl::unexpected(ran.error());
    }
    const auto missing = missing_work_of_tile(plan, problem, memory);
    if (!missing) {
        return tl::unexpected(missing.error());
    }
    std::string text = fmt::format(
        "  roles {}, barriers {}, rings {}; arrivals balance, no deadlock on tiles of 0 to {} "
        "blocks; at least {:.1f} cycles a step\n",
        plan.roles.size(), plan.barriers.size(), plan.rings.size(), most_blocks,
        bound->ticks_per_block / static_cast<double>(ticks_per_cycle));
    if (*missing) {
        text += request.style.warn("warning: ") + **missing + "\n";
    }
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
        auto checked = check_plan(request, loaded->plan(), loaded->spec, loaded->problem);
        return checked ? text + *checked : checked;
    }
    for (const KernelPlan& plan : kernels) {
        auto checked = check_plan(request, plan, loaded->spec, loaded->problem);
        if (!checked) {
            return checked;
        }
        text += printable(plan.kernel) + "\n" + *checked;
    }
    return text;
}

Result<std::string> check(const Request& request, const CheckArguments& arguments) {
    const std::string& file = arguments.file;
    if (file.size() < 6 || file.compare(file.size() - 5, 5, ".yaml") != 0) {
        return fail(FailureKind::usage, fmt::format("{} does not end in .yaml", file));
    }
    // What a file is, its schema says: any YAML can be read as a pipeline's source.
    const Result<PipelineSource> source = read_pipeline(request.data_dir, file);
    if (!source) {
        return tl::unexpected(source.error());
    }
    const Result<FileKind> kind = kind_of_file(source->root, file);
    if (!kind) {
        return tl::unexpected(kind.error());
    }
    switch (*kind) {
        case FileKind::pipeline:
        case FileKind::operation:
            return check_pipeline(request, arguments, *source);
        case FileKind::family:
            return check_family(request, file, arguments.problem.gpu);
        case FileKind::specification:
            return check_spec(request, file);
        case FileKind::study:
            return check_study(file);
        case FileKind::block_lists:
            return check_block_lists(file);
    }
    return std::string();
}

}  // namespace

void add_check(const Command& program, Request& request) {
    const Command command =
        program.add_subcommand("check",
                               "Validate a pipeline (budgets, arrivals, deadlock; not data races), "
                               "specification, family or study file");
    const auto arguments = std::make_shared<CheckArguments>();
    command.add_option("file", arguments->file, "a .yaml file").required().type_name("FILE");
    arguments->problem.declare(command);
    command.when_named([&request, arguments] {
        request.action = [&request, arguments] { return check(request, *arguments); };
    });
}

}  // namespace warpline::cli
