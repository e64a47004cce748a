#include "cli/point_options.hpp"

#include "cli/parse.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>

namespace warpline::cli {
namespace {

constexpr std::int64_t most_threads = 1024;

std::vector<std::string> parts_of(const std::string& list) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0;;) {
        const std::size_t end = list.find(',', begin);
        parts.push_back(list.substr(begin, end - begin));
        if (end == std::string::npos) {
            return parts;
        }
        begin = end + 1;
    }
}

using Field = std::string ProblemOptions::*;

const std::map<std::string, Field>& fields() {
    static const std::map<std::string, Field> all = {{"gpu", &ProblemOptions::gpu},
                                                     {"head_dim", &ProblemOptions::head_dim},
                                                     {"seqlen", &ProblemOptions::seqlen},
                                                     {"seqlen_q", &ProblemOptions::seqlen_q},
                                                     {"seqlen_kv", &ProblemOptions::seqlen_kv},
                                                     {"batch", &ProblemOptions::batch},
                                                     {"heads", &ProblemOptions::heads},
                                                     {"heads_kv", &ProblemOptions::heads_kv},
                                                     {"mask", &ProblemOptions::mask},
                                                     {"window", &ProblemOptions::window},
                                                     {"dtype", &ProblemOptions::dtype},
                                                     {"varlen", &ProblemOptions::varlen},
                                                     {"scores", &ProblemOptions::scores},
                                                     {"blocks", &ProblemOptions::blocks}};
    return all;
}

/// The lists that --blocks names; null without it.
Result<std::shared_ptr<const BlockLists>> lists_of(const ProblemOptions& options,
                                                   const AttentionProblem& problem) {
    if (options.blocks.empty()) {
        return nullptr;
    }
    auto lists = parse_blocks(options.blocks, problem.seqlen_q, problem.seqlen_kv);
    if (!lists) {
        return tl::unexpected(std::move(lists.error()));
    }
    return std::make_shared<const BlockLists>(std::move(*lists));
}

/// An option's empty value means its default; an empty one among others is a slip.
Result<void> check_lists(const ProblemOptions& options, const std::string& kernels) {
    const std::pair<const char*, const std::string&> lists[] = {{"the list of kernels", kernels},
                                                                {"--head-dim", options.head_dim},
                                                                {"--seqlen", options.seqlen},
                                                                {"--mask", options.mask}};
    for (const auto& [name, list] : lists) {
        const std::vector<std::string> parts = parts_of(list);
        if (parts.size() > 1 && std::find(parts.begin(), parts.end(), "") != parts.end()) {
            return fail(FailureKind::usage, fmt::format("{} has an empty value: '{}'", name, list),
                        "values are separated by single commas");
        }
    }
    return {};
}

/// Every combination of values of options that are lists.
std::vector<ProblemOptions> combinations(const ProblemOptions& options) {
    std::vector<ProblemOptions> all = {options};
    for (const Field field :
         {&ProblemOptions::head_dim, &ProblemOptions::seqlen, &ProblemOptions::mask}) {
        std::vector<ProblemOptions> longer;
        for (const ProblemOptions& one : all) {
            for (const std::string& value : parts_of(one.*field)) {
                longer.push_back(one);
                longer.back().*field = value;
            }
        }
        all = std::move(longer);
    }
    return all;
}

}  // namespace

Result<PredictOptions> clock_options(const std::string& clock) {
    PredictOptions options;
    if (clock == "boost") {
        options.boost_clock = true;
    } else if (!clock.empty()) {
        const auto parsed = parse_clock_option(clock);
        if (!parsed) {
            return tl::unexpected(parsed.error());
        }
        options.clock = *parsed;
    }
    return options;
}

Result<Point> make_point(const Predictor& predictor, const std::string& kernel,
                         const ProblemOptions& options, const std::string& clock) {
    const auto source = predictor.source(kernel);
    if (!source) {
        return tl::unexpected(source.error());
    }
    const auto problem = options.problem(pipeline_direction(**source));
    if (!problem) {
        return tl::unexpected(problem.error());
    }
    auto changes = split_overrides(options.set);
    if (!changes) {
        return tl::unexpected(changes.error());
    }
    auto predict = clock_options(clock);
    if (!predict) {
        return tl::unexpected(predict.error());
    }
    const auto blocks = lists_of(options, *problem);
    if (!blocks) {
        return tl::unexpected(blocks.error());
    }
    const auto scores = options.score_distribution();
    if (!scores) {
        return tl::unexpected(scores.error());
    }
    return Point{kernel,  options.gpu, *problem, std::move(*changes), std::move(*predict),
                 *scores, *blocks};
}

Result<std::vector<WhatIfShape>> make_shapes(const Predictor& predictor, const std::string& kernels,
                                             const ProblemOptions& options,
                                             const std::string& clock) {
    if (auto lists = check_lists(options, kernels); !lists) {
        return tl::unexpected(std::move(lists.error()));
    }
    std::vector<WhatIfShape> shapes;
    for (const ProblemOptions& one : combinations(options)) {
        WhatIfShape shape;
        for (const std::string& kernel : parts_of(kernels)) {
            auto point = make_point(predictor, kernel, one, clock);
            if (!point) {
                return tl::unexpected(point.error());
            }
            shape.kernels.push_back(std::move(*point));
        }
        shapes.push_back(std::move(shape));
    }
    return shapes;
}

PointMaker study_points(const Predictor& predictor) {
    return [&predictor](const Assignments& assignments) -> Result<Point> {
        const std::string set = "set.";
        ProblemOptions options;
        std::string kernel, clock;
        for (const auto& [name, value] : assignments) {
            const auto field = fields().find(name);
            if (name.compare(0, set.size(), set) == 0) {
                options.set.push_back(name.substr(set.size()) + "=" + value);
            } else if (name == "kernel") {
                kernel = value;
            } else if (name == "clock") {
                clock = value;
            } else if (field != fields().end()) {
                options.*(field->second) = value;
            }
        }
        if (kernel.empty()) {
            return fail(FailureKind::usage, "the study names no kernel", "kernel: fa4_fwd");
        }
        return make_point(predictor, kernel, options, clock);
    };
}

Result<int> thread_count(const std::string& text) {
    if (text.empty()) {
        return 0;
    }
    const auto count = parse_count(text, "--threads", 1, most_threads);
    if (!count) {
        return tl::unexpected(count.error());
    }
    return static_cast<int>(*count);
}

}  // namespace warpline::cli
