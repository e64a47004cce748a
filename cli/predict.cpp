// warpline predict KERNEL: how long one attention call takes, and why.
#include "cli/nearest.hpp"
#include "cli/output_files.hpp"
#include "cli/problem_options.hpp"
#include "cli/session.hpp"
#include "cli/simulation_options.hpp"
#include "cli/version.hpp"
#include "warpline/device/operation.hpp"
#include "warpline/device/prediction.hpp"
#include "warpline/device/record_schedule.hpp"
#include "warpline/explore/uncertainty.hpp"
#include "warpline/reports/gantt.hpp"
#include "warpline/reports/prediction_json.hpp"
#include "warpline/reports/schedule_csv.hpp"
#include "warpline/reports/sensitivity_report.hpp"
#include "warpline/reports/summary.hpp"

#include <memory>
#include <utility>

#include <fmt/format.h>

namespace warpline::cli {
namespace {

struct PredictArguments {
    std::string kernel;
    ProblemOptions problem;
    SimulationOptions simulation;
    bool gantt = false;
    bool quiet = false;
    bool uncertainty = false;
    std::string schedule_file;
    std::string json_file;
    bool json = false;
};

/// What goes to standard output; JSON without a file takes the place of the text.
std::string output_of(const PredictArguments& arguments, const Prediction& prediction,
                      const std::vector<ComparedRow>& nearest, const Style& style) {
    if (arguments.json && arguments.json_file.empty()) {
        return prediction_json(prediction, nearest);
    }
    std::string text =
        arguments.quiet ? headline(prediction) + "\n" : summary_text(prediction, style, nearest);
    if (arguments.gantt) {
        text += "\n" + gantt_text(prediction.plan, prediction.schedule, style);
    }
    return text;
}

/// The section that --uncertainty adds; empty without it.
Result<std::string> uncertainty_of(const Request& request, const PredictArguments& arguments,
                                   const LoadedKernel& kernel, const PredictOptions& options) {
    if (!arguments.uncertainty) {
        return std::string();
    }
    auto changes = split_overrides(arguments.problem.set);
    if (!changes) {
        return tl::unexpected(changes.error());
    }
    const Predictor predictor(request.data_dir);
    const auto scores = arguments.problem.score_distribution();
    if (!scores) {
        return tl::unexpected(scores.error());
    }
    Point point{arguments.kernel, arguments.problem.gpu,
                kernel.problem,   std::move(*changes),
                options,          *scores};
    point.options.record_events = false;
    if (kernel.operation.blocks) {
        point.blocks = std::make_shared<const BlockLists>(*kernel.operation.blocks);
    }
    const auto found = propagate_intervals(predictor, point);
    if (!found) {
        return tl::unexpected(found.error());
    }
    return "\n" + uncertainty_text(*found, request.style);
}

/// What shows one schedule cannot show several kernels'.
Result<void> one_kernel_where_asked(const LoadedKernel& kernel, const PredictArguments& arguments) {
    const bool schedule = !arguments.schedule_file.empty();
    return arguments.gantt || schedule
               ? check_one_kernel(kernel, arguments.gantt ? "--gantt" : "--schedule")
               : Result<void>{};
}

Result<std::string> predict_text(const Request& request, const PredictArguments& arguments) {
    Result<PredictOptions> options = arguments.simulation.read();
    if (!options) {
        return tl::unexpected(options.error());
    }
    options->record_events = arguments.gantt;
    const Result<LoadedKernel> kernel =
        load_kernel(request.data_dir, arguments.kernel, arguments.problem);
    if (!kernel) {
        return tl::unexpected(kernel.error());
    }
    if (const auto one = one_kernel_where_asked(*kernel, arguments); !one) {
        return tl::unexpected(one.error());
    }
    auto nearest_started = arguments.quiet ? decltype(start_nearest(request.data_dir, *kernel)){}
                                           : start_nearest(request.data_dir, *kernel);
    Result<Prediction> prediction =
        predict_operation(kernel->spec, kernel->operation, kernel->problem, *options);
    const std::vector<ComparedRow> nearest =
        finish_nearest(std::move(nearest_started), kernel->plan().kernel);
    if (!prediction) {
        return tl::unexpected(prediction.error());
    }
    prediction->version = version_text();
    std::vector<OutputFile> files;
    if (!arguments.schedule_file.empty()) {
        EngineOptions engine;
        engine.granularity = options->granularity;
        engine.ideal = options->ideal;
        const Result<Schedule> schedule = record_longest_tile(
            kernel->spec, kernel->plan(), kernel->problem, engine, kernel->operation.blocks);
        if (!schedule) {
            return tl::unexpected(schedule.error());
        }
        files.push_back({arguments.schedule_file, schedule_csv(prediction->plan, *schedule)});
    }
    if (!arguments.json_file.empty()) {
        files.push_back({arguments.json_file, prediction_json(*prediction, nearest)});
    }
    const Result<std::string> band = uncertainty_of(request, arguments, *kernel, *options);
    if (!band) {
        return tl::unexpected(band.error());
    }
    return deliver(std::move(files),
                   output_of(arguments, *prediction, nearest, request.style) + *band);
}

}  // namespace

void add_predict(const Command& program, Request& request) {
    const Command command =
        program.add_subcommand("predict", "How long an attention call takes, and why");
    const auto arguments = std::make_shared<PredictArguments>();
    command.add_option("kernel", arguments->kernel, "an id of `warpline kernels` or a .yaml file")
        .required()
        .type_name("KERNEL");
    arguments->problem.declare(command);
    arguments->simulation.declare(command);
    command.add_flag("--gantt", arguments->gantt, "chart of the steady state");
    command
        .add_option(
            "--schedule", arguments->schedule_file,
            "the events of the longest tile, each iteration of it, as CSV (-: instead of the "
            "text); four warps that do the same, one to a sub-partition, are listed once")
        .type_name("FILE");
    const Option json =
        command.add_option("--json", arguments->json_file, "JSON to FILE, or instead of the text")
            .type_name("[FILE]")
            .with_optional_value();
    command
        .add_flag("--uncertainty", arguments->uncertainty,
                  "what the intervals of the hardware's constants mean for the time")
        .excludes(json);
    command.add_flag("-q,--quiet", arguments->quiet, "one line");
    command.when_named([&request, arguments, json] {
        arguments->json = json.given();
        request.action = [&request, arguments] { return predict_text(request, *arguments); };
    });
}

}  // namespace warpline::cli
