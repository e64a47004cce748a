// warpline tune KERNEL: the best values of chosen parameters.
#include "warpline/explore/tune.hpp"

#include "cli/parse.hpp"
#include "cli/point_options.hpp"
#include "cli/session.hpp"
#include "warpline/reports/tune_report.hpp"

#include <memory>

namespace warpline::cli {
namespace {

constexpr std::int64_t most_exhaustive = 10'000'000;

struct TuneArguments {
    std::string kernel;
    ProblemOptions problem;
    std::vector<std::string> axes;
    std::string clock, threads, exhaustive;
};

Result<std::vector<StudyAxis>> axes_of(const std::vector<std::string>& texts) {
    std::vector<StudyAxis> axes;
    for (const std::string& text : texts) {
        const auto assignment = parse_assignment(text);
        if (!assignment) {
            return tl::unexpected(assignment.error());
        }
        auto values = parse_values(assignment->second);
        if (!values) {
            return tl::unexpected(values.error());
        }
        axes.push_back({assignment->first, std::move(*values)});
    }
    return axes;
}

Result<TuneOptions> options_of(const TuneArguments& arguments) {
    TuneOptions options;
    const auto threads = thread_count(arguments.threads);
    if (!threads) {
        return tl::unexpected(threads.error());
    }
    options.threads = *threads;
    if (!arguments.exhaustive.empty()) {
        const auto limit = parse_count(arguments.exhaustive, "--exhaustive", 0, most_exhaustive);
        if (!limit) {
            return tl::unexpected(limit.error());
        }
        options.exhaustive = *limit;
    }
    return options;
}

Result<std::string> tune_answer(const Request& request, const TuneArguments& arguments) {
    const auto axes = axes_of(arguments.axes);
    if (!axes) {
        return tl::unexpected(axes.error());
    }
    const auto options = options_of(arguments);
    if (!options) {
        return tl::unexpected(options.error());
    }
    const Predictor predictor(request.data_dir);
    const auto point = make_point(predictor, arguments.kernel, arguments.problem, arguments.clock);
    if (!point) {
        return tl::unexpected(point.error());
    }
    const auto found = tune(predictor, *point, *axes, *options);
    if (!found) {
        return tl::unexpected(found.error());
    }
    return tune_text(*found, request.style);
}

}  // namespace

void add_tune(const Command& program, Request& request) {
    const Command command = program.add_subcommand(
        "tune", "The best values of parameters, and how flat the optimum is");
    const auto arguments = std::make_shared<TuneArguments>();
    command.add_option("kernel", arguments->kernel, "an id of `warpline kernels` or a .yaml file")
        .required()
        .type_name("KERNEL");
    command
        .add_option("--param", arguments->axes,
                    "a parameter or hw.KEY, and its values: A,B,C or FROM:TO:STEP")
        .required()
        .type_name("NAME=VALUES")
        .repeatable();
    arguments->problem.declare(command);
    command.add_option("--clock", arguments->clock, "boost or 1755MHz [sustained clock]")
        .type_name("CLOCK");
    command
        .add_option("--exhaustive", arguments->exhaustive,
                    "largest space of which every point is tried [4096]")
        .type_name("N");
    command.add_option("--threads", arguments->threads, "threads [one a core]").type_name("N");
    command.when_named([&request, arguments] {
        request.action = [&request, arguments] { return tune_answer(request, *arguments); };
    });
}

}  // namespace warpline::cli
