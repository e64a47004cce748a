// warpline sensitivity KERNEL: which numbers of the hardware and of the design matter.
#include "cli/output_files.hpp"
#include "cli/parse.hpp"
#include "cli/point_options.hpp"
#include "cli/session.hpp"
#include "warpline/reports/sensitivity_report.hpp"

#include <memory>

namespace warpline::cli {
namespace {

struct SensitivityArguments {
    std::string kernel;
    ProblemOptions problem;
    std::string clock, threads, csv_file;
    double step_percent = 5.0;
    bool csv = false;
};

Result<std::string> sensitivity_answer(const Request& request,
                                       const SensitivityArguments& arguments) {
    const auto threads = thread_count(arguments.threads);
    if (!threads) {
        return tl::unexpected(threads.error());
    }
    const Predictor predictor(request.data_dir);
    const auto point = make_point(predictor, arguments.kernel, arguments.problem, arguments.clock);
    if (!point) {
        return tl::unexpected(point.error());
    }
    const auto found = sensitivity(predictor, *point, {arguments.step_percent / 100.0, *threads});
    if (!found) {
        return tl::unexpected(found.error());
    }
    if (!arguments.csv) {
        return sensitivity_text(*found, request.style);
    }
    if (arguments.csv_file.empty()) {
        return sensitivity_csv(*found);
    }
    return deliver({{arguments.csv_file, sensitivity_csv(*found)}},
                   sensitivity_text(*found, request.style));
}

}  // namespace

void add_sensitivity(const Command& program, Request& request) {
    const Command command =
        program.add_subcommand("sensitivity", "How much each constant and parameter matters");
    const auto arguments = std::make_shared<SensitivityArguments>();
    command.add_option("kernel", arguments->kernel, "an id of `warpline kernels` or a .yaml file")
        .required()
        .type_name("KERNEL");
    arguments->problem.declare(command);
    command.add_option("--clock", arguments->clock, "boost or 1755MHz [sustained clock]")
        .type_name("CLOCK");
    command.add_option("--step", arguments->step_percent, "relative step, % [5]")
        .type_name("PERCENT");
    const Option csv =
        command.add_option("--csv", arguments->csv_file, "CSV to FILE, or instead of the text")
            .type_name("[FILE]")
            .with_optional_value();
    command.add_option("--threads", arguments->threads, "threads [one a core]").type_name("N");
    command.when_named([&request, arguments, csv] {
        arguments->csv = csv.given();
        request.action = [&request, arguments] { return sensitivity_answer(request, *arguments); };
    });
}

}  // namespace warpline::cli
