// warpline plan KERNEL: the designs of a kernel that fit a GPU, ranked, or why none fits.
#include "cli/parse.hpp"
#include "cli/problem_options.hpp"
#include "cli/session.hpp"
#include "warpline/planner/plan_designs.hpp"
#include "warpline/reports/plan_report.hpp"

#include <memory>

namespace warpline::cli {
namespace {

constexpr std::int64_t default_top = 10;
constexpr std::int64_t most_shown = 100'000;

struct PlanArguments {
    std::string kernel;
    ProblemOptions problem;
    std::string clock, top;
    bool json = false;
    bool quiet = false;
};

Result<PlanOptions> options_of(const PlanArguments& arguments) {
    PlanOptions options;
    if (arguments.clock == "boost") {
        options.predict.boost_clock = true;
    } else if (!arguments.clock.empty()) {
        const auto clock = parse_clock_option(arguments.clock);
        if (!clock) {
            return tl::unexpected(clock.error());
        }
        options.predict.clock = *clock;
    }
    std::int64_t top = default_top;
    if (!arguments.top.empty()) {
        const auto count = parse_count(arguments.top, "--top", 1, most_shown);
        if (!count) {
            return tl::unexpected(count.error());
        }
        top = *count;
    }
    options.splits_of = arguments.quiet ? 0 : static_cast<std::size_t>(top);
    return options;
}

Result<std::string> plan_answer(const Request& request, const PlanArguments& arguments) {
    const auto options = options_of(arguments);
    if (!options) {
        return tl::unexpected(options.error());
    }
    const auto source = read_pipeline(request.data_dir, arguments.kernel);
    if (!source) {
        return tl::unexpected(source.error());
    }
    const auto overrides = split_overrides(arguments.problem.set);
    if (!overrides) {
        return tl::unexpected(overrides.error());
    }
    const auto problem = arguments.problem.problem(pipeline_direction(*source));
    if (!problem) {
        return tl::unexpected(problem.error());
    }
    const auto spec = load_gpu_spec(request.data_dir, arguments.problem.gpu, overrides->hardware);
    if (!spec) {
        return tl::unexpected(spec.error());
    }
    const auto plan = plan_designs({*source, *spec, *problem, overrides->parameters}, *options);
    if (!plan) {
        return with_gpus_that_can(request.data_dir, *source, *spec, plan.error());
    }
    if (arguments.quiet && !arguments.json) {
        return plan_headline(*plan);
    }
    return arguments.json ? plan_json(*plan, options->splits_of)
                          : plan_text(*plan, options->splits_of, request.style);
}

}  // namespace

void add_plan(const Command& program, Request& request) {
    const Command command = program.add_subcommand(
        "plan", "Designs of a kernel that fit a GPU, ranked; or which budget stands in the way");
    const auto arguments = std::make_shared<PlanArguments>();
    command.add_option("kernel", arguments->kernel, "an id of `warpline kernels` or a .yaml file")
        .required()
        .type_name("KERNEL");
    arguments->problem.declare(command);
    command.add_option("--clock", arguments->clock, "boost or 1755MHz [sustained clock]")
        .type_name("CLOCK");
    command.add_option("--top", arguments->top, "designs shown [10]").type_name("N");
    command.add_flag("--json", arguments->json, "JSON instead of the text");
    command.add_flag("-q,--quiet", arguments->quiet, "one line: the fastest");
    command.when_named([&request, arguments] {
        request.action = [&request, arguments] { return plan_answer(request, *arguments); };
    });
}

}  // namespace warpline::cli
