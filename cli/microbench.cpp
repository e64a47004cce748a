// warpline microbench: builds and runs the CUDA microbenchmarks for the GPU at hand, into one
// table.
#include "cli/microbench.hpp"

#include "cli/cuda_parts.hpp"
#include "cli/output_files.hpp"
#include "cli/parse.hpp"
#include "cli/run_program.hpp"
#include "warpline/reports/text.hpp"
#include "warpline/validate/micro_rows.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <ostream>

#include <fmt/format.h>

namespace warpline::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t max_passes = 20;
constexpr const char* purpose = "microbench";
constexpr int unsupported = 77;  // status of a program that is not for this GPU

struct MicrobenchArguments {
    std::string output = "micro.csv";
    std::string build = "build/cuda";
    std::string passes = "2";
    std::vector<std::string> compare;
};

std::vector<std::string> lines_of_file(const fs::path& path) {
    std::ifstream file(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) {
        if (!line.empty()) {
            lines.push_back(line);
        }
    }
    return lines;
}

/// Builds what is out of date and returns the programs for this GPU.
Result<std::vector<std::string>> build_programs(const CudaBuild& build, const CudaGpu& gpu,
                                                std::ostream& progress) {
    if (auto configured = configure_cuda(build, gpu, progress); !configured) {
        return tl::unexpected(configured.error());
    }
    std::vector<std::string> programs = lines_of_file(build.folder / "micro" / "programs.txt");
    if (programs.empty()) {
        return fail(
            FailureKind::input,
            fmt::format("there are no microbenchmarks for {} ({})", printable(gpu.name), gpu.arch),
            "they are for compute capabilities 9.0, 10.0 and 10.3");
    }
    if (auto built = build_cuda(build, "micro_programs", progress); !built) {
        return tl::unexpected(built.error());
    }
    return programs;
}

struct Pass {
    std::vector<MicroRow> rows;
    std::vector<std::string> failed;
};

/// One pass over all programs. A program that fails leaves its name, and the others run.
Pass run_programs(const fs::path& folder, const std::vector<std::string>& programs,
                  std::ostream& progress) {
    Pass pass;
    for (const std::string& program : programs) {
        const auto done = run_to_end({(folder / program).string()}, purpose);
        if (done && done->status == unsupported) {
            progress << "skipped " << program << '\n' << std::flush;
            continue;
        }
        auto rows = done && done->status == 0
                        ? parse_micro_rows(micro_header() + done->out, program)
                        : fail(FailureKind::input, "failed");
        if (!rows) {
            progress << fmt::format("FAILED {}: {}", program, rows.error().text()) << '\n';
            pass.failed.push_back(program);
            continue;
        }
        progress << fmt::format("ran {}: {} rows\n", program, rows->size()) << std::flush;
        pass.rows.insert(pass.rows.end(), rows->begin(), rows->end());
    }
    return pass;
}

/// Whether the timed loops hold the instructions meant: one line about it, and a row of the table.
/// Empty status: it could not be checked.
struct SassCheck {
    std::optional<bool> passed;
    std::string text;
};

SassCheck check_sass(const fs::path& source, const fs::path& folder, std::ostream& progress) {
    if (!find_on_path("cuobjdump") || !find_on_path("python3")) {
        return {std::nullopt, "machine instructions not checked: that needs cuobjdump and python3"};
    }
    const auto done = run_to_end(
        {"python3", (source / "micro" / "check_sass.py").string(), folder.string()}, purpose);
    if (!done) {
        return {std::nullopt, "machine instructions not checked: python3 cannot be run"};
    }
    const bool passed = done->status == 0;
    if (!passed) {
        progress << done->out;
    }
    const auto lines = static_cast<int>(std::count(done->out.begin(), done->out.end(), '\n'));
    return {passed, passed
                        ? fmt::format("{} timed loops hold the machine instructions meant", lines)
                        : "some timed loops do not hold the machine instructions meant"};
}

std::string comparison_text(const MicroComparison& comparison, const std::string& first,
                            const std::string& second) {
    std::string text = fmt::format("{} constants in both; {} agree within their stated spreads\n",
                                   comparison.common, comparison.common - comparison.beyond.size());
    Table table({Align::left, Align::right, Align::right, Align::right, Align::right});
    table.add({"constant", "first", "second", "spreads", "apart"});
    for (const MicroDifference& row : comparison.beyond) {
        table.add({printable(row.constant), fmt::format("{:g}", row.first),
                   fmt::format("{:g}", row.second), fmt::format("{:.3g}", row.allowed),
                   fmt::format("{:.2f} %", 100.0 * row.relative)});
    }
    if (!comparison.beyond.empty()) {
        text += table.text("  ");
    }
    const auto missing = [&](const std::vector<std::string>& names, const std::string& file) {
        if (!names.empty()) {
            text += fmt::format("{} constants in {} alone\n", names.size(), printable(file));
        }
    };
    missing(comparison.only_first, first);
    missing(comparison.only_second, second);
    return text;
}

Result<std::string> compare_files(const std::vector<std::string>& files) {
    const auto first = read_micro_rows(files[0]);
    const auto second = read_micro_rows(files[1]);
    if (!first || !second) {
        return tl::unexpected(first ? second.error() : first.error());
    }
    return comparison_text(compare_micro_runs(*first, *second), files[0], files[1]);
}

Result<std::string> measure(Request& request, const MicrobenchArguments& arguments,
                            std::ostream& progress) {
    const auto passes = parse_count(arguments.passes, "--passes", 1, max_passes);
    if (!passes) {
        return tl::unexpected(passes.error());
    }
    const CudaBuild build{fs::path(request.data_dir) / "validate" / "cuda", arguments.build};
    const auto gpu = find_measurable_gpu();
    if (!gpu) {
        return tl::unexpected(gpu.error());
    }
    const auto programs = build_programs(build, *gpu, progress);
    if (!programs) {
        return tl::unexpected(programs.error());
    }
    const fs::path folder = build.folder / "micro";
    std::vector<std::vector<MicroRow>> tables;
    std::vector<std::string> failed;
    for (std::int64_t pass = 1; pass <= *passes; ++pass) {
        progress << fmt::format("pass {} of {}\n", pass, *passes) << std::flush;
        Pass done = run_programs(folder, *programs, progress);
        tables.push_back(std::move(done.rows));
        failed.insert(failed.end(), done.failed.begin(), done.failed.end());
    }
    const SassCheck sass = check_sass(build.source, folder, progress);
    const std::vector<MicroRow> rows = merge_passes(tables);
    if (const auto written = write_files({{arguments.output, micro_csv(rows)}}); !written) {
        return tl::unexpected(written.error());
    }
    request.check_failed = !failed.empty() || !sass.passed.value_or(true);
    std::string text =
        fmt::format("{}: {} constants of {}, {} passes\n{}\n", printable(arguments.output),
                    rows.size(), printable(gpu->name), *passes, sass.text);
    if (!failed.empty()) {
        text += fmt::format("failed: {}\n", fmt::join(failed, " "));
    }
    return text;
}

}  // namespace

void add_microbench(const Command& program, Request& request, std::ostream& progress) {
    const Command command = program.add_subcommand(
        "microbench", "Measure this machine's GPU, or compare two such runs");
    const auto arguments = std::make_shared<MicrobenchArguments>();
    command.add_option("-o,--output", arguments->output, "table of results [micro.csv]")
        .type_name("FILE");
    command.add_option("--build", arguments->build, "folder to build in [build/cuda]")
        .type_name("DIR");
    command
        .add_option("--passes", arguments->passes,
                    "times that every program runs; spreads reach over all of them [2]")
        .type_name("N");
    command
        .add_option("--compare", arguments->compare,
                    "measure nothing; list the constants on which two tables disagree")
        .with_values(2)
        .type_name("FILE FILE");
    command.when_named([&request, &progress, arguments] {
        request.action = [&request, &progress, arguments] {
            return arguments->compare.empty() ? measure(request, *arguments, progress)
                                              : compare_files(arguments->compare);
        };
    });
}

}  // namespace warpline::cli
