// warpline compare FILE...: predicted against measured, row by row.
#include "warpline/validate/compare.hpp"

#include "cli/output_files.hpp"
#include "cli/parse.hpp"
#include "cli/problem_options.hpp"
#include "cli/session.hpp"
#include "warpline/reports/comparison_report.hpp"

#include <memory>
#include <utility>

#include <CLI/CLI.hpp>

namespace warpline::cli {
namespace {

struct CompareArguments {
    std::vector<std::string> files;
    std::vector<std::string> set;
    std::string clock;
    std::string csv_file;
    bool csv = false;
};

Result<MeasuredTable> read_tables(const std::vector<std::string>& files) {
    MeasuredTable all;
    for (const std::string& file : files) {
        Result<MeasuredTable> table = read_measured(file);
        if (!table) {
            return tl::unexpected(table.error());
        }
        std::move(table->rows.begin(), table->rows.end(), std::back_inserter(all.rows));
        std::move(table->unusable.begin(), table->unusable.end(), std::back_inserter(all.unusable));
    }
    return all;
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
    Result<Overrides> overrides = split_overrides(arguments.set);
    if (!overrides) {
        return tl::unexpected(overrides.error());
    }
    options.constants = std::move(overrides->hardware);
    options.parameters = std::move(overrides->parameters);
    return options;
}

Result<std::string> compare_text(const Request& request, const CompareArguments& arguments) {
    const Result<CompareOptions> options = options_of(arguments);
    if (!options) {
        return tl::unexpected(options.error());
    }
    const Result<MeasuredTable> table = read_tables(arguments.files);
    if (!table) {
        return tl::unexpected(table.error());
    }
    const Result<Comparison> comparison = compare(request.data_dir, *table, *options);
    if (!comparison) {
        return tl::unexpected(comparison.error());
    }
    if (arguments.csv && arguments.csv_file.empty()) {
        return comparison_csv(*comparison);
    }
    std::string text = comparison_text(*comparison, request.style);
    if (arguments.csv) {
        const auto written = write_files({{arguments.csv_file, comparison_csv(*comparison)}});
        if (!written) {
            return tl::unexpected(written.error());
        }
    }
    return text;
}

}  // namespace

void add_compare(CLI::App& app, Request& request) {
    CLI::App* const command =
        app.add_subcommand("compare", "Predicted against measured, row by row");
    const auto arguments = std::make_shared<CompareArguments>();
    command->add_option("files", arguments->files, "tables of measured kernels, CSV")
        ->required()
        ->type_name("FILE");
    CLI::Option* const csv =
        command->add_option("--csv", arguments->csv_file, "CSV to FILE, or instead of the text")
            ->type_name("[FILE]")
            ->expected(0, 1);
    command->add_option("--clock", arguments->clock, "clock of rows that state none")
        ->type_name("CLOCK");
    command->add_option("--set", arguments->set, "a parameter, or a constant as hw.KEY=VALUE")
        ->type_name("NAME=VALUE")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command->callback([&request, arguments, csv] {
        arguments->csv = csv->count() > 0;
        request.action = [&request, arguments] { return compare_text(request, *arguments); };
    });
}

}  // namespace warpline::cli
