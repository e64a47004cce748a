// warpline calibrate FILE... --fit NAME,...: hardware constants fitted to measured rows.
#include "warpline/validate/calibrate.hpp"

#include "cli/output_files.hpp"
#include "cli/session.hpp"
#include "cli/table_options.hpp"
#include "warpline/reports/calibration_report.hpp"

#include <memory>

#include <fmt/format.h>

namespace warpline::cli {
namespace {

/// As text, as the user wrote it; empty = not given.
struct CalibrateArguments {
    TableOptions tables;
    CalibrateOptions options;
    std::string split = "calibration";
    std::string overlay_file;
};

Result<std::string> calibrate_text(Request& request, CalibrateArguments& arguments) {
    const Result<MeasuredTable> table = arguments.tables.read();
    if (!table) {
        return tl::unexpected(table.error());
    }
    arguments.options.side = arguments.split == "test" ? Split::test : Split::calibration;
    const auto calibration = calibrate(request.data_dir, *table, arguments.options);
    if (!calibration) {
        return tl::unexpected(calibration.error());
    }
    std::string text = calibration_text(*calibration, request.style);
    request.infeasible = !calibration->succeeded();
    if (arguments.overlay_file.empty()) {
        return text;
    }
    if (request.infeasible) {
        return text + fmt::format("\n{} is not written\n", printable(arguments.overlay_file));
    }
    text += fmt::format("\nwritten to {}: use it as --gpu {}\n", printable(arguments.overlay_file),
                        printable(arguments.overlay_file));
    return deliver({{arguments.overlay_file, calibration_overlay(*calibration)}}, std::move(text));
}

}  // namespace

void add_calibrate(const Command& program, Request& request) {
    const Command command =
        program.add_subcommand("calibrate", "Fit hardware constants to measured rows");
    const auto arguments = std::make_shared<CalibrateArguments>();
    command.add_option("files", arguments->tables.files, "tables of measured kernels, CSV")
        .type_name("FILE")
        .required();
    command
        .add_option("--fit", arguments->options.constants,
                    "constants of `warpline specs GPU` that state an interval")
        .type_name("NAME,...")
        .separated_by(',')
        .repeatable()
        .required();
    command.add_option("--gpu", arguments->options.gpu, "of several GPUs, the one to fit")
        .type_name("GPU");
    command
        .add_option("--split", arguments->split,
                    "rows to fit on, calibration or test; the others judge")
        .type_name("SIDE")
        .one_of({"calibration", "test"});
    command.add_flag("--best-run", arguments->options.best_run,
                     "of runs of one kernel on one problem in a file, keep the fastest");
    command
        .add_option("-o,--output", arguments->overlay_file,
                    "write a specification with the fitted constants, which inherits the GPU's")
        .type_name("FILE.yaml");
    arguments->tables.declare(command);
    command.when_named([&request, arguments] {
        request.action = [&request, arguments] { return calibrate_text(request, *arguments); };
    });
}

}  // namespace warpline::cli
