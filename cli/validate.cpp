// warpline validate: measures this machine's GPU and compares the model with it; without one, with
// the measurements that come along.
#include "cli/validate.hpp"

#include "cli/measure_kernels.hpp"
#include "cli/output_files.hpp"

#include <algorithm>
#include <memory>
#include <ostream>
#include <sstream>
#include <utility>

#include <fmt/format.h>

namespace warpline::cli {
namespace {

namespace fs = std::filesystem;

struct ValidateArguments {
    std::string gpu = "auto";
    std::string output = "validation";
    std::string build = "build/cuda";
    bool quick = false;
};

/// The text of the report as it grows.
struct Report {
    std::string text;       ///< what is said at once
    std::string timelines;  ///< step by step: in the file only
    bool failed = false;
};

/// What another subcommand answers.
Result<std::string> answer(const Request& request, const std::vector<std::string>& arguments) {
    std::ostringstream out;
    std::ostringstream err;
    if (run(arguments, {out, err, request.data_dir}) != 0) {
        return fail(FailureKind::input,
                    fmt::format("warpline {} failed: {}", fmt::join(arguments, " "), err.str()));
    }
    return out.str();
}

/// The microbenchmarks, which have their own say about what went wrong. The rest goes on without.
void measure_constants(const Request& request, const ValidateArguments& arguments,
                       std::ostream& progress, Report& report) {
    std::ostringstream out;
    const std::string table = (fs::path(arguments.output) / "micro.csv").string();
    const int code = run({"microbench", "-o", table, "--build", arguments.build, "--passes",
                          arguments.quick ? "1" : "2"},
                         {out, progress, request.data_dir});
    report.failed = report.failed || code != 0;
    report.text += "\n" + (code > 1 ? "the microbenchmarks could not be run\n" : out.str());
}

Result<void> compare_tables(const Request& request, const ValidateArguments& arguments,
                            const std::vector<fs::path>& tables,
                            const std::vector<std::string>& options, Report& report) {
    if (tables.empty()) {
        return {};
    }
    const fs::path output = arguments.output;
    std::vector<std::string> command{"compare"};
    for (const fs::path& table : tables) {
        command.push_back(table.string());
    }
    command.insert(command.end(), options.begin(), options.end());
    for (const auto& [option, file] :
         {std::pair{"--report", "report.html"}, {"--json", "comparison.json"}}) {
        command.emplace_back(option);
        command.push_back((output / file).string());
    }
    const auto text = answer(request, command);
    if (!text) {
        return tl::unexpected(text.error());
    }
    report.text += "\n" + *text;
    return {};
}

/// The line of a timeline's comparison that says how long a step takes.
std::string interval_line(const std::string& text) {
    const auto begin = text.find("interval of a step");
    return begin == std::string::npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
}

Result<void> compare_timelines(const Request& request, const std::vector<fs::path>& timelines,
                               Report& report) {
    for (const fs::path& timeline : timelines) {
        const auto text = answer(request, {"compare", "--timeline", timeline.string()});
        if (!text) {
            return tl::unexpected(text.error());
        }
        if (report.timelines.empty()) {
            report.text +=
                "\nCycles of a step of the project's own kernels, by what their warps stamped "
                "(report.txt has every step)\n";
        }
        report.text +=
            fmt::format("  {}: {}\n", timeline.filename().string(), interval_line(*text));
        report.timelines += "\n" + *text;
    }
    return {};
}

std::vector<fs::path> tables_in(const fs::path& folder) {
    std::vector<fs::path> tables;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        if (entry.is_regular_file() && entry.path().extension() == ".csv") {
            tables.push_back(entry.path());
        }
    }
    std::sort(tables.begin(), tables.end());
    return tables;
}

/// Against the measurements that come with the program.
Result<void> with_shipped(const Request& request, const ValidateArguments& arguments,
                          const std::string& why, Report& report) {
    const fs::path measured = fs::path(request.data_dir) / "validate" / "measured";
    std::vector<fs::path> tables = tables_in(measured);
    if (tables.empty()) {
        return fail(FailureKind::input,
                    fmt::format("there are no measurements in {}", measured.string()),
                    "--data-dir names the folder that holds validate/measured");
    }
    report.text += fmt::format(
        "Nothing was measured here: {}.\nOn a machine with an H100, H200, B200, B300 or the like "
        "and "
        "nvcc, this command measures that GPU and compares.\nWhat follows compares the model with "
        "{} measured elsewhere, in {}.\n",
        why, arguments.quick ? "one table" : fmt::format("the {} tables", tables.size()),
        measured.string());
    if (arguments.quick) {
        tables = {measured / "h200_warpline_sm90_fwd.csv"};
    }
    if (auto done =
            compare_tables(request, arguments, tables, {"--fit-clock", "--best-run"}, report);
        !done) {
        return done;
    }
    return compare_timelines(request, tables_in(measured / "timelines"), report);
}

/// On this machine's GPU.
Result<void> with_own(const Request& request, const ValidateArguments& arguments,
                      const CudaGpu& gpu, std::ostream& progress, Report& report) {
    const fs::path data = fs::path(request.data_dir) / "validate";
    const Measuring measuring{
        {data / "cuda", arguments.build}, data / "installed", arguments.output, arguments.quick};
    if (auto ready = configure_cuda(measuring.build, gpu, progress); !ready) {
        return ready;
    }
    report.text += fmt::format("Measured on {} (compute capability {}).\n", gpu.name, gpu.arch);
    measure_constants(request, arguments, progress, report);
    const auto measured = measure_kernels(measuring, gpu, progress);
    if (!measured) {
        return tl::unexpected(measured.error());
    }
    report.failed = report.failed || !measured->correct;
    for (const std::string& remark : measured->remarks) {
        report.text += remark + "\n";
    }
    if (auto done = compare_tables(request, arguments, measured->tables, {}, report); !done) {
        return done;
    }
    return compare_timelines(request, measured->timelines, report);
}

/// Why the GPU cannot be measured, or that GPU.
tl::expected<CudaGpu, std::string> gpu_to_measure(const ValidateArguments& arguments) {
    if (arguments.gpu == "none") {
        return tl::unexpected<std::string>("--gpu none says so");
    }
    const auto gpu = find_measurable_gpu();
    if (!gpu) {
        return tl::unexpected(gpu.error().diagnostics.front().message);
    }
    if (const auto compiler = find_cuda_compiler(); !compiler) {
        return tl::unexpected(compiler.error().diagnostics.front().message);
    }
    return *gpu;
}

Result<std::string> validate(Request& request, const ValidateArguments& arguments,
                             std::ostream& progress) {
    std::error_code error;
    fs::create_directories(arguments.output, error);
    if (error) {
        return fail(FailureKind::input,
                    fmt::format("{} cannot be made: {}", arguments.output, error.message()),
                    "-o names the folder for what is written");
    }
    Report report;
    const auto gpu = gpu_to_measure(arguments);
    const Result<void> done = gpu ? with_own(request, arguments, *gpu, progress, report)
                                  : with_shipped(request, arguments, gpu.error(), report);
    if (!done) {
        return tl::unexpected(done.error());
    }
    request.check_failed = report.failed;
    const std::string file = (fs::path(arguments.output) / "report.txt").string();
    if (auto written = write_files({{file, report.text + report.timelines}}); !written) {
        return tl::unexpected(written.error());
    }
    return report.text + fmt::format(
                             "\nThe report is in {}: report.html, report.txt, "
                             "comparison.json\n",
                             arguments.output);
}

}  // namespace

void add_validate(const Command& program, Request& request, std::ostream& progress) {
    const Command command = program.add_subcommand(
        "validate",
        "Measure this machine's GPU and compare; without one, compare with shipped rows");
    const auto arguments = std::make_shared<ValidateArguments>();
    command.add_option("--gpu", arguments->gpu, "auto: the one that is here, if any; or none")
        .type_name("WHICH")
        .one_of({"auto", "none"});
    command
        .add_option("-o,--output", arguments->output, "folder for tables and report [validation]")
        .type_name("DIR");
    command.add_option("--build", arguments->build, "folder to build in [build/cuda]")
        .type_name("DIR");
    command.add_flag("--quick", arguments->quick, "a few rows, briefly: to see that all works");
    command.when_named([&request, arguments, &progress] {
        request.action = [&request, arguments, &progress] {
            return validate(request, *arguments, progress);
        };
    });
}

}  // namespace warpline::cli
