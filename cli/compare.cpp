// warpline compare FILE...: predicted against measured, row by row. compare --timeline FILE: what
// the roles of a real kernel did when, against what the simulated ones do.
#include "cli/compare_timeline.hpp"
#include "cli/output_files.hpp"
#include "cli/page_output.hpp"
#include "cli/parse.hpp"
#include "cli/problem_options.hpp"
#include "cli/session.hpp"
#include "cli/table_options.hpp"
#include "cli/version.hpp"
#include "warpline/reports/comparison_json.hpp"
#include "warpline/reports/comparison_report.hpp"
#include "warpline/reports/subject_page.hpp"
#include "warpline/validate/golden.hpp"

#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

#include <fmt/format.h>

namespace warpline::cli {
namespace {

/// As text, as the user wrote it; empty = not given.
struct CompareArguments {
    TableOptions tables;
    std::vector<std::string> set;
    std::string clock, split, fail_above;
    std::string csv_file, json_file, golden_file, timeline_file;
    bool csv = false, json = false;
    bool fit_clock = false, best_run = false, no_power_limit = false;
    PageOutput output;
};

/// "10%" or "0.1" as a fraction.
Result<double> parse_fraction(const std::string& text) {
    const bool percent = !text.empty() && text.back() == '%';
    const char* const end = text.data() + text.size() - (percent ? 1 : 0);
    double value = 0.0;
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end || !(value >= 0.0) || value > 1e6) {
        return fail(FailureKind::usage, fmt::format("--fail-above '{}' is not an error", text),
                    "such as 10%");
    }
    return percent ? value / 100.0 : value;
}

Result<CompareOptions> options_of(const CompareArguments& arguments) {
    CompareOptions options;
    if (arguments.clock == "boost") {
        options.predict.boost_clock = true;
    } else if (!arguments.clock.empty()) {
        const auto clock = parse_clock_option(arguments.clock);
        if (!clock) {
            return tl::unexpected(clock.error());
        }
        options.predict.clock = *clock;
    }
    if (arguments.fit_clock && !arguments.clock.empty()) {
        return fail(FailureKind::usage, "--clock and --fit-clock contradict each other");
    }
    Result<Overrides> overrides = split_overrides(arguments.set);
    if (!overrides) {
        return tl::unexpected(overrides.error());
    }
    options.constants = std::move(overrides->hardware);
    options.parameters = std::move(overrides->parameters);
    options.power_limit = !arguments.no_power_limit;
    options.rows.fit_clock = arguments.fit_clock;
    options.rows.best_run = arguments.best_run;
    if (!arguments.split.empty()) {
        options.rows.split = arguments.split == "test" ? Split::test : Split::calibration;
    }
    return options;
}

/// Whether some group's mean error is above the limit, or a fitted clock rests on its bound.
bool fails(const Comparison& comparison, double limit) {
    const bool above =
        std::any_of(comparison.groups.begin(), comparison.groups.end(),
                    [&](const ErrorSummary& group) { return group.mean_absolute > limit; });
    const bool at_bound =
        std::any_of(comparison.files.begin(), comparison.files.end(),
                    [](const FileSummary& file) { return file.clock && file.clock->at_bound; });
    return above || at_bound;
}

/// What goes to standard output; what goes to files is written first.
Result<std::string> written(const Comparison& comparison, const CompareArguments& arguments,
                            const Style& style) {
    std::vector<OutputFile> files;
    std::string text;
    bool replaced = false;
    if (arguments.csv) {
        std::string csv = comparison_csv(comparison);
        if (arguments.csv_file.empty() || arguments.csv_file == "-") {
            text += csv;
            replaced = true;
        } else {
            files.push_back({arguments.csv_file, std::move(csv)});
        }
    }
    if (arguments.json) {
        std::string json = comparison_json(comparison);
        if (arguments.json_file.empty() || arguments.json_file == "-") {
            text += json;
            replaced = true;
        } else {
            files.push_back({arguments.json_file, std::move(json)});
        }
    }
    if (!arguments.golden_file.empty()) {
        files.push_back({arguments.golden_file, golden_table(comparison)});
    }
    return deliver(std::move(files), replaced ? text : comparison_text(comparison, style));
}

/// The steps of one kernel, in text or CSV.
Result<std::string> timeline_answer(const Request& request, const CompareArguments& arguments) {
    const Result<TimelineComparison> comparison =
        compare_timeline(request, arguments.timeline_file, arguments.set);
    if (!comparison) {
        return tl::unexpected(comparison.error());
    }
    if (!arguments.csv) {
        return timeline_text(*comparison, request.style);
    }
    if (arguments.csv_file.empty()) {
        return timeline_csv(*comparison);
    }
    return deliver({{arguments.csv_file, timeline_csv(*comparison)}},
                   timeline_text(*comparison, request.style));
}

Result<std::string> compare_text(Request& request, const CompareArguments& arguments) {
    if (!arguments.timeline_file.empty()) {
        return timeline_answer(request, arguments);
    }
    const Result<CompareOptions> options = options_of(arguments);
    if (!options) {
        return tl::unexpected(options.error());
    }
    if (arguments.csv && arguments.csv_file.empty() && arguments.json &&
        arguments.json_file.empty()) {
        return fail(FailureKind::usage, "--csv and --json both want standard output",
                    "give one of them a file");
    }
    const Result<double> limit =
        arguments.fail_above.empty() ? 0.0 : parse_fraction(arguments.fail_above);
    if (!limit) {
        return tl::unexpected(limit.error());
    }
    if (arguments.tables.files.empty()) {
        return fail(FailureKind::usage, "compare wants tables of measured kernels, or --timeline",
                    "warpline compare FILE...");
    }
    const Result<MeasuredTable> table = arguments.tables.read();
    if (!table) {
        return tl::unexpected(table.error());
    }
    const bool golden = !arguments.golden_file.empty();
    const Result<Comparison> comparison =
        compare(request.data_dir, golden ? golden_rows(*table) : *table, *options);
    if (!comparison) {
        return tl::unexpected(comparison.error());
    }
    const auto page = [&] { return comparison_page(*comparison, version_text(), request.command); };
    if (const auto done = arguments.output.write(page); !done) {
        return tl::unexpected(done.error());
    }
    request.check_failed = !arguments.fail_above.empty() && fails(*comparison, *limit);
    return written(*comparison, arguments, request.style);
}

/// `--json rows.csv` takes the table for its target: a table is read, never written over.
void give_table_back(CompareArguments& arguments) {
    const std::string& file = arguments.json_file;
    if (file.size() > 4 && file.substr(file.size() - 4) == ".csv") {
        arguments.tables.files.insert(arguments.tables.files.begin(), file);
        arguments.json_file.clear();
    }
}

void declare_options(const Command& command, CompareArguments& arguments) {
    command.add_option("--clock", arguments.clock, "clock of rows that state none")
        .type_name("CLOCK");
    command.add_flag("--no-power-limit", arguments.no_power_limit,
                     "believe clocks that were set, even where the board's power limit would hold "
                     "the SMs below them, and give rows without one the GPU's usual clock");
    command.add_flag("--fit-clock", arguments.fit_clock,
                     "fit one clock per GPU, file, kernel, direction and mask to rows without one; "
                     "rows lie as far apart as the power limit puts them");
    command.add_flag("--best-run", arguments.best_run,
                     "of runs of one kernel on one problem in a file, keep the fastest");
    command.add_option("--split", arguments.split, "calibration or test rows only")
        .type_name("SIDE")
        .one_of({"calibration", "test"});
    command
        .add_option("--fail-above", arguments.fail_above,
                    "exit 1 when the mean error of a group is larger, or a fitted clock rests on "
                    "its bound")
        .type_name("10%");
    command
        .add_option("--golden", arguments.golden_file,
                    "write the golden table: the predictions of each group's shortest and longest "
                    "row")
        .type_name("FILE");
    arguments.tables.declare(command);
    command.add_option("--set", arguments.set, "a parameter, or a constant as hw.KEY=VALUE")
        .type_name("NAME=VALUE")
        .repeatable();
}

}  // namespace

void add_compare(const Command& program, Request& request) {
    const Command command =
        program.add_subcommand("compare", "Predicted against measured, row by row");
    const auto arguments = std::make_shared<CompareArguments>();
    const Option files =
        command.add_option("files", arguments->tables.files, "tables of measured kernels, CSV")
            .type_name("FILE");
    command
        .add_option("--timeline", arguments->timeline_file,
                    "an in-kernel timeline, CSV: against the simulated steps")
        .type_name("FILE")
        .excludes(files);
    const Option csv =
        command.add_option("--csv", arguments->csv_file, "CSV to FILE, or instead of the text")
            .type_name("[FILE]")
            .with_optional_value();
    const Option json =
        command.add_option("--json", arguments->json_file, "JSON to FILE, or instead of the text")
            .type_name("[FILE]")
            .with_optional_value();
    arguments->output.declare(command);
    declare_options(command, *arguments);
    command.when_named([&request, arguments, csv, json] {
        arguments->csv = csv.given();
        arguments->json = json.given();
        give_table_back(*arguments);
        request.action = [&request, arguments] { return compare_text(request, *arguments); };
    });
}

}  // namespace warpline::cli
