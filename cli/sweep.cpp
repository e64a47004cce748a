// warpline sweep STUDY.yaml: every point of a study, streamed to a file.
#include "warpline/explore/sweep.hpp"

#include "cli/parse.hpp"
#include "cli/point_options.hpp"
#include "cli/progress.hpp"
#include "cli/row_file.hpp"
#include "cli/row_merge.hpp"
#include "cli/session.hpp"
#include "cli/version.hpp"
#include "warpline/diagnostics/fingerprint.hpp"
#include "warpline/reports/sweep_rows.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>

#include <fmt/format.h>

namespace warpline::cli {
namespace {

constexpr std::int64_t most_without_limit = 100'000'000;
constexpr std::int64_t most_shards = 1'000'000;

struct SweepArguments {
    std::string study, out, shard, limit, threads;
    std::vector<std::string> merge;
    bool resume = false;
};

Result<SweepFormat> format_of(const std::string& path) {
    const auto ends_in = [&](const std::string& end) {
        return path.size() >= end.size() &&
               path.compare(path.size() - end.size(), end.size(), end) == 0;
    };
    if (ends_in(".csv")) {
        return SweepFormat::csv;
    }
    if (ends_in(".jsonl")) {
        return SweepFormat::jsonl;
    }
    return fail(FailureKind::usage,
                fmt::format("--out: {} ends neither in .csv nor in .jsonl", printable(path)));
}

/// `file`: where the study is from.
Result<std::int64_t> points_of(const Study& study, const std::string& file,
                               const std::string& limit) {
    const std::int64_t size = study.size();
    if (size == 0) {
        return fail(FailureKind::input, fmt::format("{}: the study has no points", printable(file)),
                    "space: has an axis or more, each with values; or points: lists them");
    }
    if (!limit.empty()) {
        const auto most =
            parse_count(limit, "--limit", 1, std::numeric_limits<std::int64_t>::max());
        if (!most) {
            return tl::unexpected(most.error());
        }
        return size < 0 ? *most : std::min(size, *most);
    }
    if (size < 0 || size > most_without_limit) {
        return fail(FailureKind::usage,
                    fmt::format("{}: the study has {} points", printable(file),
                                size < 0 ? std::string("more than 2^62") : std::to_string(size)),
                    "--limit N answers the first N; --limit with their number answers all");
    }
    return size;
}

/// "2/8": the part and how many there are.
Result<SweepRange> range_of(std::int64_t points, const std::string& shard) {
    if (shard.empty()) {
        return SweepRange{0, points};
    }
    const std::size_t slash = shard.find('/');
    const auto shards =
        slash == std::string::npos
            ? Result<std::int64_t>(fail(FailureKind::usage,
                                        fmt::format("--shard: \"{}\" is not I/N", printable(shard)),
                                        "for example 1/8"))
            : parse_count(shard.substr(slash + 1), "N of --shard", 1, most_shards);
    if (!shards) {
        return tl::unexpected(shards.error());
    }
    const auto part = parse_count(shard.substr(0, slash), "I of --shard", 1, *shards);
    if (!part) {
        return tl::unexpected(part.error());
    }
    return shard_of(points, *part, *shards);
}

/// What a run is of; output files are checked against it before they are continued.
struct SweepRun {
    Study study;
    SweepRange range;
    SweepWriter writer;
    int threads = 0;
};

Result<SweepRun> prepare(const SweepArguments& arguments) {
    SweepRun run;
    auto study = read_study(arguments.study);
    if (!study) {
        return tl::unexpected(study.error());
    }
    run.study = std::move(*study);
    const auto format = format_of(arguments.out);
    if (!format) {
        return tl::unexpected(format.error());
    }
    run.writer = {*format, fingerprint(run.study.fingerprint + version_text())};
    const auto points = points_of(run.study, arguments.study, arguments.limit);
    if (!points) {
        return tl::unexpected(points.error());
    }
    const auto range = range_of(*points, arguments.shard);
    if (!range) {
        return tl::unexpected(range.error());
    }
    run.range = *range;
    const auto threads = thread_count(arguments.threads);
    if (!threads) {
        return tl::unexpected(threads.error());
    }
    run.threads = *threads;
    return run;
}

RowLayout layout_of(const SweepRun& run) {
    return {run.writer.header(run.study),
            [&run](std::int64_t row) { return run.writer.beginning(run.range.begin + row); },
            run.writer.run,
            [&run](std::int64_t row, const std::string& line) {
                const std::int64_t points = run.range.end - run.range.begin;
                return row < points
                           ? run.writer.problem(run.study, run.range.begin + row, line)
                           : fmt::format("there are {} points, and this is one more", points);
            }};
}

/// Answers what the file lacks.
Result<void> run_sweep(const Request& request, const SweepRun& run, const Predictor& predictor,
                       const std::string& path, RowFile& file) {
    const PointMaker make_point = study_points(predictor);
    const std::int64_t all = run.range.end - run.range.begin;
    Progress progress(*request.err, request.err_is_terminal, file.rows(), all);
    std::string trouble;
    const auto take = [&](const std::string& row) {
        if (!file.append(row)) {
            trouble = std::strerror(errno);
            return false;
        }
        progress.report(file.rows());
        return true;
    };
    sweep(
        run.study, {run.range.begin + file.rows(), run.range.end}, predictor, make_point,
        run.threads, [&](const SweepRow& row) { return run.writer.row(row); }, take);
    progress.finish();
    if (!trouble.empty()) {
        return fail(FailureKind::input,
                    fmt::format("{} cannot be written: {}", printable(path), trouble),
                    fmt::format("{} of {} points are in it; --resume goes on", file.rows(), all));
    }
    return {};
}

Result<std::string> merge_answer(const SweepRun& run, const SweepArguments& arguments) {
    const std::int64_t points = run.range.end - run.range.begin;
    const auto merged = merge_rows(arguments.merge, arguments.out, layout_of(run), points);
    if (!merged) {
        return tl::unexpected(merged.error());
    }
    return fmt::format("{}: {} points of {} files in {}\n", printable(run.study.title), points,
                       arguments.merge.size(), printable(arguments.out));
}

Result<std::string> sweep_answer(const Request& request, const SweepArguments& arguments) {
    const auto run = prepare(arguments);
    if (!run) {
        return tl::unexpected(run.error());
    }
    if (!arguments.merge.empty()) {
        return merge_answer(*run, arguments);
    }
    const Predictor predictor(request.data_dir);
    if (const auto names = check_names(run->study, predictor, study_points(predictor)); !names) {
        return tl::unexpected(names.error());
    }
    auto file = arguments.resume ? RowFile::resume(arguments.out, layout_of(*run))
                                 : RowFile::create(arguments.out, layout_of(*run));
    if (!file) {
        return tl::unexpected(file.error());
    }
    const std::int64_t before = file->rows();
    if (const auto done = run_sweep(request, *run, predictor, arguments.out, *file); !done) {
        return tl::unexpected(done.error());
    }
    return fmt::format("{}: {} points in {}, {} of them new\n", printable(run->study.title),
                       file->rows(), printable(arguments.out), file->rows() - before);
}

}  // namespace

void add_sweep(const Command& program, Request& request) {
    const Command command = program.add_subcommand(
        "sweep", "Every point of a study, streamed to a CSV or JSON-lines file");
    const auto arguments = std::make_shared<SweepArguments>();
    command.add_option("study", arguments->study, "a study, see studies/README.md")
        .required()
        .type_name("STUDY.yaml");
    command.add_option("-o,--out", arguments->out, "where the rows go: .csv or .jsonl")
        .required()
        .type_name("FILE");
    const Option resume =
        command.add_flag("--resume", arguments->resume, "go on where an interrupted run stopped");
    const Option shard =
        command.add_option("--shard", arguments->shard, "part I of N, for job arrays")
            .type_name("I/N");
    command
        .add_option("--merge", arguments->merge,
                    "compute nothing: put the files of all shards together")
        .type_name("FILE...")
        .excludes(resume)
        .excludes(shard);
    command.add_option("--limit", arguments->limit, "the first N points only").type_name("N");
    command.add_option("--threads", arguments->threads, "threads [one a core]").type_name("N");
    command.when_named([&request, arguments] {
        request.action = [&request, arguments] { return sweep_answer(request, *arguments); };
    });
}

}  // namespace warpline::cli
