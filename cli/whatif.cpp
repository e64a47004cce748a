// warpline whatif KERNEL: what a change of hardware or design, or another GPU, would bring.
#include "cli/page_output.hpp"
#include "cli/point_options.hpp"
#include "cli/session.hpp"
#include "cli/version.hpp"
#include "warpline/reports/whatif_page.hpp"
#include "warpline/reports/whatif_report.hpp"

#include <memory>

namespace warpline::cli {
namespace {

struct WhatIfArguments {
    std::string kernels;
    ProblemOptions problem;
    std::string clock, against, threads;
    PageOutput output;
};

/// One question that has no answer: why, as predict says it.
Result<void> answerable(const Predictor& predictor, const WhatIf& found,
                        const std::vector<WhatIfShape>& shapes, const Changes& changes) {
    if (found.mean_speedup() || found.rows.size() != 1) {
        return {};
    }
    for (const Changes& tried : {Changes{}, changes}) {
        Point point = shapes.front().kernels.front();
        point.changes = tried;
        if (const auto prediction = predictor.predict(point); !prediction) {
            return tl::unexpected(prediction.error());
        }
    }
    return {};
}

Result<WhatIf> found_by(const Request& request, const WhatIfArguments& arguments) {
    if (arguments.problem.set.empty() == arguments.against.empty()) {
        return fail(FailureKind::usage, "what is to change?",
                    "either --set NAME=VALUE, or another GPU with --against");
    }
    const auto threads = thread_count(arguments.threads);
    if (!threads) {
        return tl::unexpected(threads.error());
    }
    const Predictor predictor(request.data_dir);
    ProblemOptions base = arguments.problem;
    base.set.clear();
    const auto shapes = make_shapes(predictor, arguments.kernels, base, arguments.clock);
    if (!shapes) {
        return tl::unexpected(shapes.error());
    }
    if (!arguments.against.empty()) {
        return compare_gpus(predictor, *shapes, arguments.against, *threads);
    }
    const auto changes = split_overrides(arguments.problem.set);
    if (!changes) {
        return tl::unexpected(changes.error());
    }
    const auto spec = predictor.spec(arguments.problem.gpu, changes->hardware);
    if (!spec) {
        return tl::unexpected(spec.error());
    }
    WhatIf found = what_if(predictor, *shapes, *changes, *threads);
    if (const auto fine = answerable(predictor, found, *shapes, *changes); !fine) {
        return tl::unexpected(fine.error());
    }
    return found;
}

Result<std::string> whatif_answer(const Request& request, const WhatIfArguments& arguments) {
    const Result<WhatIf> found = found_by(request, arguments);
    if (!found) {
        return tl::unexpected(found.error());
    }
    const auto page = [&] { return whatif_page(*found, version_text(), request.command); };
    if (const auto written = arguments.output.write(page); !written) {
        return tl::unexpected(written.error());
    }
    return whatif_text(*found, request.style);
}

}  // namespace

void add_whatif(const Command& program, Request& request) {
    const Command command = program.add_subcommand(
        "whatif", "Before and after a change, shape by shape; or two GPUs (--against)");
    const auto arguments = std::make_shared<WhatIfArguments>();
    command
        .add_option("kernel", arguments->kernels,
                    "a kernel, or several by commas: the first that takes a shape answers it")
        .required()
        .type_name("KERNEL[,..]");
    arguments->problem.declare(command);
    command.option("--head-dim").type_name("D[:DV],..");
    command.option("--seqlen").type_name("N,..");
    command.option("--mask").type_name("MASK,..");
    command.add_option("--clock", arguments->clock, "boost or 1755MHz [sustained clock]")
        .type_name("CLOCK");
    command.add_option("--against", arguments->against, "another GPU, instead of --set")
        .type_name("ID");
    command.add_option("--threads", arguments->threads, "threads [one a core]").type_name("N");
    arguments->output.declare(command);
    command.when_named([&request, arguments] {
        request.action = [&request, arguments] { return whatif_answer(request, *arguments); };
    });
}

}  // namespace warpline::cli
