// warpline report KERNEL -o FILE.html: a prediction to look at, alone or
// beside another GPU's or design's; or a sweep.
#include "cli/output_files.hpp"
#include "cli/point_options.hpp"
#include "cli/report_exports.hpp"
#include "cli/session.hpp"
#include "cli/simulation_options.hpp"
#include "cli/version.hpp"
#include "warpline/device/operation.hpp"
#include "warpline/device/record_schedule.hpp"
#include "warpline/hardware/dtype.hpp"
#include "warpline/reports/subject_page.hpp"
#include "warpline/reports/sweep_page.hpp"
#include "warpline/reports/text.hpp"
#include "warpline/validate/csv.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace warpline::cli {
namespace {

struct ReportArguments {
    std::string kernel;
    ProblemOptions problem;
    SimulationOptions simulation;
    std::string output;
    std::string against;
    std::vector<std::string> changes;
    std::string sweep;
    ExportFolders exports;
};

Result<ReportSubject> make_subject(const Request& request, const ReportArguments& arguments,
                                   const ProblemOptions& problem) {
    const Result<PredictOptions> options = arguments.simulation.read();
    if (!options) {
        return tl::unexpected(options.error());
    }
    const Result<LoadedKernel> kernel = load_kernel(request.data_dir, arguments.kernel, problem);
    if (!kernel) {
        return tl::unexpected(kernel.error());
    }
    if (const auto one = check_one_kernel(*kernel, "a page"); !one) {
        return tl::unexpected(one.error());
    }
    const Result<Overrides> overrides = split_overrides(problem.set);
    if (!overrides) {
        return tl::unexpected(overrides.error());
    }
    Result<StoragePlan> storage =
        make_storage_plan(kernel->source, kernel->spec, kernel->problem, overrides->parameters);
    if (!storage) {
        return tl::unexpected(storage.error());
    }
    Result<Prediction> prediction =
        predict_operation(kernel->spec, kernel->operation, kernel->problem, *options);
    if (!prediction) {
        return tl::unexpected(prediction.error());
    }
    prediction->version = version_text();
    EngineOptions engine;
    engine.granularity = options->granularity;
    engine.ideal = options->ideal;
    Result<Recording> recording = record_tile(kernel->spec, prediction->plan, kernel->problem,
                                              engine, Iterations::folded, kernel->operation.blocks);
    if (!recording) {
        return tl::unexpected(recording.error());
    }
    ReportSubject subject;
    subject.name = kernel->spec.id;
    subject.storage = std::move(*storage);
    subject.peak_flops = peak_flops(kernel->spec, prediction->clock.hz, kernel->problem.dtype);
    subject.hbm_bytes_per_second = kernel->spec.memory.hbm_bytes_per_second;
    subject.prediction = std::move(*prediction);
    subject.recording = std::move(*recording);
    return subject;
}

/// The question that stands beside the first. A change takes the place of a --set of that name.
ProblemOptions changed(const ReportArguments& arguments) {
    ProblemOptions problem = arguments.problem;
    if (!arguments.against.empty()) {
        problem.gpu = arguments.against;
    }
    for (const std::string& change : arguments.changes) {
        const std::string name = change.substr(0, change.find('=')) + "=";
        problem.set.erase(
            std::remove_if(problem.set.begin(), problem.set.end(),
                           [&](const std::string& set) { return set.rfind(name, 0) == 0; }),
            problem.set.end());
        problem.set.push_back(change);
    }
    return problem;
}

/// What each difference of the two GPUs brings; nothing where no GPU is beside the first, or
/// something else is changed, too.
Result<std::optional<WhatIf>> differences(const Request& request,
                                          const ReportArguments& arguments) {
    if (arguments.against.empty() || !arguments.changes.empty() ||
        !arguments.problem.blocks.empty()) {
        return std::nullopt;
    }
    const Predictor predictor(request.data_dir);
    Result<Point> point = make_point(predictor, arguments.kernel, arguments.problem, "");
    if (!point) {
        return tl::unexpected(point.error());
    }
    const Result<PredictOptions> options = arguments.simulation.read();
    if (!options) {
        return tl::unexpected(options.error());
    }
    point->options = *options;
    Result<WhatIf> found =
        compare_gpus(predictor, {WhatIfShape{{std::move(*point)}}}, arguments.against);
    if (!found) {
        return tl::unexpected(found.error());
    }
    return std::move(*found);
}

Result<ReportPage> asked_page(const Request& request, const ReportArguments& arguments) {
    std::vector<ReportSubject> subjects;
    std::vector<ProblemOptions> problems = {arguments.problem};
    if (!arguments.against.empty() || !arguments.changes.empty()) {
        problems.push_back(changed(arguments));
    }
    for (const ProblemOptions& problem : problems) {
        Result<ReportSubject> subject = make_subject(request, arguments, problem);
        if (!subject) {
            return tl::unexpected(subject.error());
        }
        subjects.push_back(std::move(*subject));
    }
    if (!arguments.changes.empty()) {
        subjects.back().name += fmt::format(
            " with {}", printable(fmt::format("{}", fmt::join(arguments.changes, ", "))));
    }
    const Result<std::optional<WhatIf>> whatif = differences(request, arguments);
    if (!whatif) {
        return tl::unexpected(whatif.error());
    }
    return subject_page(subjects, request.command, *whatif ? &**whatif : nullptr);
}

Result<ReportPage> page_of(const Request& request, const ReportArguments& arguments) {
    if (arguments.kernel.empty() == arguments.sweep.empty()) {
        return fail(FailureKind::usage, "report wants a KERNEL, or --sweep FILE and no KERNEL");
    }
    if (arguments.sweep.empty()) {
        return asked_page(request, arguments);
    }
    const Result<std::string> text = read_table_text(arguments.sweep);
    if (!text) {
        return tl::unexpected(text.error());
    }
    const Result<SweepTable> table = parse_sweep(*text, arguments.sweep);
    if (!table) {
        return tl::unexpected(table.error());
    }
    return sweep_page(*table, version_text(), request.command);
}

Result<std::string> write_report(const Request& request, const ReportArguments& arguments) {
    const Result<ReportPage> page = page_of(request, arguments);
    if (!page) {
        return tl::unexpected(page.error());
    }
    const ReportAssets assets = report_assets();
    Result<std::vector<OutputFile>> files = exported(*page, arguments.exports);
    if (!files) {
        return tl::unexpected(files.error());
    }
    const std::string html = report_html(*page, assets);
    const std::size_t size = html.size();
    files->push_back({arguments.output, html});
    return deliver(
        std::move(*files),
        fmt::format("{}: {}, opens in a browser without a network{}\n", printable(arguments.output),
                    byte_text(static_cast<double>(size)),
                    assets.charts.empty()
                        ? "; tables only, since npm was not there when warpline was built"
                        : ""));
}

}  // namespace

void add_report(const Command& program, Request& request) {
    const Command command =
        program.add_subcommand("report", "A page with figures: where the cycles go");
    const auto arguments = std::make_shared<ReportArguments>();
    command.add_option("kernel", arguments->kernel, "an id of `warpline kernels` or a .yaml file")
        .type_name("KERNEL");
    command.add_option("--sweep", arguments->sweep, "instead of KERNEL: the rows of a sweep, CSV")
        .type_name("FILE");
    command.add_option("-o,--output", arguments->output, "where to write the page")
        .required()
        .type_name("FILE");
    arguments->problem.declare(command);
    arguments->simulation.declare(command);
    command.add_option("--against", arguments->against, "a second GPU, beside the first")
        .type_name("ID");
    command
        .add_option("--change", arguments->changes,
                    "beside it, the same with another parameter, or constant as hw.KEY=VALUE")
        .type_name("NAME=VALUE")
        .repeatable();
    arguments->exports.declare(command);
    command.when_named([&request, arguments] {
        request.action = [&request, arguments] { return write_report(request, *arguments); };
    });
}

}  // namespace warpline::cli
