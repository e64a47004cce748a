// warpline report KERNEL -o FILE.html: a prediction to look at, alone or beside another GPU's.
#include "cli/output_files.hpp"
#include "cli/problem_options.hpp"
#include "cli/report_exports.hpp"
#include "cli/session.hpp"
#include "cli/simulation_options.hpp"
#include "cli/version.hpp"
#include "warpline/device/operation.hpp"
#include "warpline/device/record_schedule.hpp"
#include "warpline/reports/subject_page.hpp"
#include "warpline/reports/text.hpp"

#include <memory>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace warpline::cli {
namespace {

struct ReportArguments {
    std::string kernel;
    ProblemOptions problem;
    SimulationOptions simulation;
    std::string output;
    std::string against;
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
    Result<Prediction> prediction = predict_operation(
        kernel->spec, {kernel->plan, kernel->launches, kernel->blocks}, kernel->problem, *options);
    if (!prediction) {
        return tl::unexpected(prediction.error());
    }
    prediction->version = version_text();
    EngineOptions engine;
    engine.granularity = options->granularity;
    engine.ideal = options->ideal;
    Result<Recording> recording =
        record_tile(kernel->spec, kernel->plan, kernel->problem, engine, Iterations::folded);
    if (!recording) {
        return tl::unexpected(recording.error());
    }
    ReportSubject subject;
    const double width = kernel->problem.dtype == DType::fp8 ? 2.0 : 1.0;
    subject.peak_flops = width * kernel->spec.peak_flops(prediction->clock.hz);
    subject.hbm_bytes_per_second = kernel->spec.memory.hbm_bytes_per_second;
    subject.prediction = std::move(*prediction);
    subject.recording = std::move(*recording);
    return subject;
}

Result<std::string> write_report(const Request& request, const ReportArguments& arguments) {
    std::vector<ReportSubject> subjects;
    ProblemOptions problem = arguments.problem;
    for (const std::string& gpu : {arguments.problem.gpu, arguments.against}) {
        if (gpu.empty()) {
            continue;
        }
        problem.gpu = gpu;
        Result<ReportSubject> subject = make_subject(request, arguments, problem);
        if (!subject) {
            return tl::unexpected(subject.error());
        }
        subjects.push_back(std::move(*subject));
    }
    const ReportPage page = subject_page(subjects, request.command);
    const ReportAssets assets = report_assets();
    Result<std::vector<OutputFile>> files = exported(page, arguments.exports);
    if (!files) {
        return tl::unexpected(files.error());
    }
    const std::string html = report_html(page, assets);
    const std::size_t size = html.size();
    files->push_back({arguments.output, html});
    if (const auto written = write_files(*files); !written) {
        return tl::unexpected(written.error());
    }
    return fmt::format("{}: {}, opens in a browser without a network{}\n",
                       printable(arguments.output), byte_text(static_cast<double>(size)),
                       assets.charts.empty()
                           ? "; tables only, since npm was not there when warpline was built"
                           : "");
}

}  // namespace

void add_report(CLI::App& app, Request& request) {
    CLI::App* const command =
        app.add_subcommand("report", "A page with figures: where the cycles go");
    const auto arguments = std::make_shared<ReportArguments>();
    command->add_option("kernel", arguments->kernel, "an id of `warpline kernels` or a .yaml file")
        ->required()
        ->type_name("KERNEL");
    command->add_option("-o,--output", arguments->output, "where to write the page")
        ->required()
        ->type_name("FILE");
    arguments->problem.declare(*command);
    arguments->simulation.declare(*command);
    command->add_option("--against", arguments->against, "a second GPU, beside the first")
        ->type_name("ID");
    arguments->exports.declare(*command);
    command->callback([&request, arguments] {
        request.action = [&request, arguments] { return write_report(request, *arguments); };
    });
}

}  // namespace warpline::cli
