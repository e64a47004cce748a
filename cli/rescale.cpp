// warpline rescale: how often a warp has to rescale O, and what thresholds cost in accuracy.
#include "cli/output_files.hpp"
#include "cli/parse.hpp"
#include "cli/point_options.hpp"
#include "cli/session.hpp"
#include "warpline/explore/study.hpp"
#include "warpline/numerics/rescale_study.hpp"
#include "warpline/reports/rescale_report.hpp"

#include <cstdlib>
#include <memory>

#include <fmt/format.h>

namespace warpline::cli {
namespace {

constexpr std::int64_t most_keys = 1 << 21, most_warps = 1 << 20, most_block = 1 << 16;

struct RescaleArguments {
    std::string scores = "normal:1", taus = "0..16", precisions = "bf16,fp16,fp8";
    std::string keys = "8192", block = "128", warps = "64", degree = "0", seed = "1";
    std::string threads, csv_file;
    bool csv = false;
};

/// "0..16" counts by ones; else a list or FROM:TO:STEP.
Result<std::vector<double>> taus_of(const std::string& text) {
    const std::size_t dots = text.find("..");
    const auto values = parse_values(dots == std::string::npos ? text
                                                               : text.substr(0, dots) + ":" +
                                                                     text.substr(dots + 2) + ":1");
    if (!values) {
        return fail(FailureKind::usage,
                    fmt::format("--tau: \"{}\" is no list of thresholds", printable(text)),
                    "for example 0..16, 0,4,8 or 0:16:0.5");
    }
    std::vector<double> taus;
    for (const std::string& value : *values) {
        char* end = nullptr;
        taus.push_back(std::strtod(value.c_str(), &end));
        if (*end != '\0') {
            return fail(FailureKind::usage,
                        fmt::format("--tau: \"{}\" is no number", printable(value)));
        }
    }
    return taus;
}

Result<std::vector<Precision>> precisions_of(const std::string& text) {
    std::vector<Precision> out;
    const auto names = parse_values(text);
    if (!names) {
        return tl::unexpected(names.error());
    }
    for (const std::string& name : *names) {
        const auto precision = precision_from_name(name);
        if (!precision) {
            return fail(FailureKind::usage,
                        fmt::format("--precision: there is no format \"{}\"", printable(name)),
                        "fp32, bf16, fp16, fp8");
        }
        out.push_back(*precision);
    }
    return out;
}

/// Reads every option; the first that is wrong is the error.
Result<RescaleOptions> options_of(const RescaleArguments& arguments) {
    RescaleOptions options;
    const auto scores = parse_scores(arguments.scores);
    const auto taus = taus_of(arguments.taus);
    const auto precisions = precisions_of(arguments.precisions);
    const auto threads = thread_count(arguments.threads);
    if (!scores || !taus || !precisions || !threads) {
        return tl::unexpected(!scores       ? scores.error()
                              : !taus       ? taus.error()
                              : !precisions ? precisions.error()
                                            : threads.error());
    }
    options.scores = *scores;
    options.taus = *taus;
    options.precisions = *precisions;
    options.threads = *threads;
    struct Count {
        const std::string& text;
        const char* name;
        std::int64_t least, most;
        std::int64_t& field;
    };
    std::int64_t degree = 0, seed = 0;
    for (const Count& count : {Count{arguments.keys, "--keys", 1, most_keys, options.keys},
                               Count{arguments.block, "--block", 1, most_block, options.block},
                               Count{arguments.warps, "--warps", 1, most_warps, options.warps},
                               Count{arguments.degree, "--degree", 0, 5, degree},
                               Count{arguments.seed, "--seed", 0, 1'000'000'000, seed}}) {
        const auto value = parse_count(count.text, count.name, count.least, count.most);
        if (!value) {
            return tl::unexpected(value.error());
        }
        count.field = *value;
    }
    options.exp2_degree = static_cast<int>(degree);
    options.seed = static_cast<std::uint64_t>(seed);
    return options;
}

Result<std::string> rescale_answer(const Request& request, const RescaleArguments& arguments) {
    const auto options = options_of(arguments);
    if (!options) {
        return tl::unexpected(options.error());
    }
    const auto rows = study_rescaling(*options);
    if (!rows) {
        return tl::unexpected(rows.error());
    }
    if (arguments.csv && arguments.csv_file.empty()) {
        return rescale_csv(*options, *rows);
    }
    std::string text = rescale_text(*options, *rows, request.style);
    return arguments.csv ? deliver({{arguments.csv_file, rescale_csv(*options, *rows)}}, text)
                         : Result<std::string>(std::move(text));
}

}  // namespace

void add_rescale(const Command& program, Request& request) {
    const Command command = program.add_subcommand(
        "rescale", "How often conditional rescaling rescales O, and how accurate it is");
    const auto arguments = std::make_shared<RescaleArguments>();
    const auto option = [&](const char* name, std::string& field, const char* type,
                            const char* help) {
        command.add_option(name, field, help).type_name(type);
    };
    option("--scores", arguments->scores, "DIST",
           "normal:S, uniform:S, student:N, outlier:S or rising:S, of scaled logits [normal:1]");
    option("--tau", arguments->taus, "LIST", "thresholds, log2: 0..16, 0,4,8 or 0:16:0.5 [0..16]");
    option("--precision", arguments->precisions, "LIST",
           "of P and V: fp32, bf16, fp16, fp8 [bf16,fp16,fp8]");
    option("--keys", arguments->keys, "N", "keys [8192]");
    option("--block", arguments->block, "N", "keys a step [128]");
    option("--warps", arguments->warps, "N", "warps that the frequency is counted over [64]");
    option("--degree", arguments->degree, "N",
           "polynomial for every exponential, 1 to 5; 0: exact [0]");
    option("--seed", arguments->seed, "N", "of the random numbers [1]");
    option("--threads", arguments->threads, "N", "threads [one a core]");
    const Option csv =
        command.add_option("--csv", arguments->csv_file, "CSV to FILE, or instead of the text")
            .type_name("[FILE]")
            .with_optional_value();
    command.when_named([&request, arguments, csv] {
        arguments->csv = csv.given();
        request.action = [&request, arguments] { return rescale_answer(request, *arguments); };
    });
}

}  // namespace warpline::cli
