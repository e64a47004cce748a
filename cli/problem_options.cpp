#include "cli/problem_options.hpp"

#include "cli/parse.hpp"
#include "warpline/device/kernel_tiles.hpp"
#include "warpline/explore/data_files.hpp"
#include "warpline/explore/rescale_chance.hpp"
#include "warpline/pipeline/family.hpp"
#include "warpline/pipeline/operation_file.hpp"
#include "warpline/planner/shortfall.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace warpline::cli {
namespace {

constexpr std::int64_t max_length = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t default_batch = 4;
constexpr std::int64_t default_length = 8192;

/// Parses options into fields and keeps the first failure.
class FieldReader {
  public:
    void read(const std::string& text, std::string_view option, std::int64_t least,
              std::int64_t& field) {
        if (text.empty() || failure_) {
            return;
        }
        if (const auto value = parse_count(text, option, least, max_length)) {
            field = *value;
        } else {
            failure_ = value.error();
        }
    }
    template <typename T, typename Store>
    void store(const Result<T>& value, Store store_value) {
        if (failure_) {
            return;
        }
        if (value) {
            store_value(*value);
        } else {
            failure_ = value.error();
        }
    }
    [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }

  private:
    std::optional<Failure> failure_;
};

Result<Mask> mask_of(const std::string& mask, const std::string& window) {
    if (!mask.empty() && mask != "full" && mask != "causal") {
        return fail(FailureKind::usage,
                    fmt::format("--mask must be full or causal, not \"{}\"", mask));
    }
    if (window.empty()) {
        return Mask{mask == "causal" ? MaskKind::causal : MaskKind::full, 0};
    }
    if (mask == "full") {
        return fail(FailureKind::usage, "--window and --mask full contradict each other",
                    "a sliding window is causal");
    }
    const auto tokens = parse_count(window, "--window", 1, max_length);
    if (!tokens) {
        return tl::unexpected(tokens.error());
    }
    return Mask{MaskKind::sliding_window, *tokens};
}

std::optional<std::string> contradiction(const ProblemOptions& options) {
    if (!options.seqlen.empty() && (!options.seqlen_q.empty() || !options.seqlen_kv.empty())) {
        return "--seqlen sets both lengths: give it, or --seqlen-q and --seqlen-kv";
    }
    const bool lengths =
        !options.seqlen.empty() || !options.seqlen_q.empty() || !options.seqlen_kv.empty();
    if (!options.varlen.empty() && (lengths || !options.batch.empty())) {
        return "--varlen lists every sequence: --batch and --seqlen cannot be given beside it";
    }
    const auto sets_chance = [](const std::string& text) {
        return text.rfind(std::string(rescale_parameter) + "=", 0) == 0;
    };
    if (!options.scores.empty() &&
        std::any_of(options.set.begin(), options.set.end(), sets_chance)) {
        return fmt::format("--scores and --set {} both say how often O is rescaled",
                           rescale_parameter);
    }
    return std::nullopt;
}

}  // namespace

void ProblemOptions::declare(const Command& command) {
    const auto option = [&command](const char* name, std::string& field, const char* type,
                                   const char* help) {
        command.add_option(name, field, help).type_name(type);
    };
    option("--gpu", gpu, "ID", "GPU, an id of `warpline specs` or a .yaml file [b200]");
    option("--head-dim", head_dim, "D[:DV]",
           "head dim of Q and K, and of V where it differs [128]");
    option("--seqlen", seqlen, "N", "tokens of queries and of keys [8192]");
    option("--seqlen-q", seqlen_q, "N", "tokens of queries");
    option("--seqlen-kv", seqlen_kv, "N", "tokens of keys and values");
    option("--batch", batch, "N", "sequences [4]");
    option("--heads", heads, "N", "query heads [16]");
    option("--heads-kv", heads_kv, "N", "key and value heads; divides --heads [--heads]");
    option("--mask", mask, "MASK", "full or causal (aligned bottom right) [full]");
    option("--window", window, "W", "causal sliding window of W tokens");
    option("--dtype", dtype, "TYPE", "bf16, fp16, fp8, mxfp8 or nvfp4 [bf16]");
    option("--varlen", varlen, "LIST", "lengths of every sequence: N or QUERIES:KEYS, by commas");
    option("--scores", scores, "DIST",
           "scaled logits as in `warpline rescale`: sets how often O is rescaled [never]");
    option("--blocks", blocks, "LISTS",
           "block-sparse: a file of block lists, or scattered:DENSITY (0 to 1)");
    command.add_flag("--deterministic", deterministic, "reductions in a fixed order (backward)");
    command.add_option("--set", set, "a pipeline parameter, or a hardware constant as hw.KEY=VALUE")
        .type_name("NAME=VALUE")
        .repeatable();
}

Result<AttentionProblem> ProblemOptions::problem(Direction direction) const {
    if (const auto text = contradiction(*this)) {
        return fail(FailureKind::usage, *text);
    }
    AttentionProblem problem;
    problem.direction = direction;
    problem.batch = default_batch;
    problem.deterministic = deterministic;
    problem.seqlen_q = default_length;
    FieldReader reader;
    reader.read(seqlen, "--seqlen", 1, problem.seqlen_q);
    problem.seqlen_kv = problem.seqlen_q;
    reader.read(seqlen_q, "--seqlen-q", 1, problem.seqlen_q);
    reader.read(seqlen_kv, "--seqlen-kv", 0, problem.seqlen_kv);
    reader.read(batch, "--batch", 1, problem.batch);
    reader.read(heads, "--heads", 1, problem.heads_q);
    problem.heads_kv = problem.heads_q;
    reader.read(heads_kv, "--heads-kv", 1, problem.heads_kv);
    reader.store(parse_head_dim(head_dim), [&](const auto& dims) {
        problem.head_dim_qk = dims.first;
        problem.head_dim_v = dims.second;
    });
    reader.store(mask_of(mask, window), [&](const Mask& value) { problem.mask = value; });
    reader.store(parse_dtype(dtype), [&](DType value) { problem.dtype = value; });
    if (!varlen.empty()) {
        reader.store(parse_varlen(varlen), [&](const auto& list) { problem.varlen = list; });
    }
    if (reader.failure()) {
        return tl::unexpected(*reader.failure());
    }
    return make_attention(std::move(problem));
}

Result<std::optional<ScoreDistribution>> ProblemOptions::score_distribution() const {
    if (scores.empty()) {
        return std::nullopt;
    }
    const auto parsed = parse_scores(scores);
    if (!parsed) {
        return tl::unexpected(parsed.error());
    }
    return *parsed;
}

Result<Overrides> split_overrides(const std::vector<std::string>& set) {
    Overrides overrides;
    for (const std::string& text : set) {
        const auto assignment = parse_assignment(text);
        if (!assignment) {
            return tl::unexpected(assignment.error());
        }
        add_change(overrides, assignment->first, assignment->second);
    }
    if (auto disjoint = check_disjoint(overrides); !disjoint) {
        return tl::unexpected(std::move(disjoint.error()));
    }
    return overrides;
}

tl::unexpected<Failure> with_gpus_that_can(const std::string& data_dir,
                                           const PipelineSource& source, const GpuSpec& spec,
                                           Failure failure) {
    const YamlNode* const list = source.root.find("requires");
    const auto can = [&](const GpuSpec& gpu) {
        return std::all_of(list->items.begin(), list->items.end(),
                           [&](const YamlNode& capability) { return gpu.has(capability.scalar); });
    };
    if (failure.kind != FailureKind::infeasible || list == nullptr || can(spec)) {
        return tl::unexpected(std::move(failure));
    }
    std::vector<std::string> able;
    DataFiles files(data_dir);
    for (const std::string& id : list_gpu_specs(data_dir)) {
        const Result<GpuSpec> other = files.load_gpu_spec(id);
        if (other && can(*other)) {
            able.push_back(id);
        }
    }
    failure.diagnostics.back().hint =
        able.empty() ? "no GPU of `warpline specs` has all that the kernel requires"
                     : fmt::format("--gpu {} can run it", fmt::join(able, ", "));
    return tl::unexpected(std::move(failure));
}

Result<void> check_one_kernel(const LoadedKernel& kernel, const std::string& what) {
    if (kernel.operation.kernels.empty()) {
        return {};
    }
    return several_kernels(kernel.source, fmt::format("{} shows one", what));
}

namespace {

/// The lists of --blocks, if they fit every kernel.
Result<BlockLists> lists_for(const Operation& operation, const AttentionProblem& problem,
                             const std::string& text) {
    auto lists = parse_blocks(text, problem.seqlen_q, problem.seqlen_kv);
    if (!lists) {
        return lists;
    }
    const std::vector<KernelPlan> one = {operation.plan};
    for (const KernelPlan& plan : operation.kernels.empty() ? one : operation.kernels) {
        if (auto fits = check_block_lists(*lists, problem, plan); !fits) {
            return tl::unexpected(fits.error());
        }
    }
    return lists;
}

/// What a kernel is asked: as the options say, read.
struct Asked {
    AttentionProblem problem;
    GpuSpec spec;
    std::vector<ParameterOverride> parameters;
    std::optional<ScoreDistribution> scores;
};

Result<Asked> asked_of(const std::string& data_dir, const PipelineSource& source,
                       const ProblemOptions& options) {
    Result<Overrides> overrides = split_overrides(options.set);
    if (!overrides) {
        return tl::unexpected(overrides.error());
    }
    const Result<AttentionProblem> problem = options.problem(pipeline_direction(source));
    if (!problem) {
        return tl::unexpected(problem.error());
    }
    Result<GpuSpec> spec = load_gpu_spec(data_dir, options.gpu, overrides->hardware);
    if (!spec) {
        return tl::unexpected(spec.error());
    }
    const auto scores = options.score_distribution();
    if (!scores) {
        return tl::unexpected(scores.error());
    }
    return Asked{*problem, std::move(*spec), std::move(overrides->parameters), *scores};
}

/// With what scores say of rescaling.
Result<Operation> lowered(const PipelineSource& source, const Asked& asked) {
    auto operation = make_operation(source, asked.spec, asked.problem, asked.parameters);
    if (!operation || !asked.scores) {
        return operation;
    }
    const auto chance = rescale_chance(operation->plan, asked.problem, *asked.scores);
    if (!chance) {
        return tl::unexpected(chance.error());
    }
    std::vector<ParameterOverride> with_chance = asked.parameters;
    with_chance.push_back({std::string(rescale_parameter), fmt::format("{:.6g}", *chance)});
    return make_operation(source, asked.spec, asked.problem, with_chance);
}

Result<LoadedKernel> loaded(const PipelineSource& source, Asked asked, Operation operation,
                            const ProblemOptions& options) {
    if (!options.blocks.empty()) {
        auto lists = lists_for(operation, asked.problem, options.blocks);
        if (!lists) {
            return tl::unexpected(lists.error());
        }
        operation.blocks = std::move(*lists);
    }
    return LoadedKernel{std::move(asked.spec), std::move(asked.problem), source,
                        std::move(operation)};
}

/// Why a kernel cannot be had, and what could.
tl::unexpected<Failure> refusal(const std::string& data_dir, const PipelineSource& source,
                                const Asked& asked, Failure failure) {
    auto with_gpus = with_gpus_that_can(data_dir, source, asked.spec, std::move(failure));
    return tl::unexpected(explain_refusal({source, asked.spec, asked.problem, asked.parameters},
                                          std::move(with_gpus.value())));
}

}  // namespace

Result<LoadedKernel> load_kernel(const std::string& data_dir, const PipelineSource& source,
                                 const ProblemOptions& options) {
    auto asked = asked_of(data_dir, source, options);
    if (!asked) {
        return tl::unexpected(std::move(asked.error()));
    }
    auto operation = lowered(source, *asked);
    if (!operation) {
        return refusal(data_dir, source, *asked, std::move(operation.error()));
    }
    return loaded(source, std::move(*asked), std::move(*operation), options);
}

Result<LoadedKernel> load_kernel(const std::string& data_dir, const std::string& kernel,
                                 const ProblemOptions& options) {
    const Result<PipelineSource> source = read_pipeline(data_dir, kernel);
    if (!source) {
        return tl::unexpected(source.error());
    }
    auto asked = asked_of(data_dir, *source, options);
    if (!asked) {
        return tl::unexpected(std::move(asked.error()));
    }
    auto operation = lowered(*source, *asked);
    if (operation) {
        return loaded(*source, std::move(*asked), std::move(*operation), options);
    }
    const auto other =
        operation.error().kind == FailureKind::infeasible
            ? kernel_in_place_of(readable_families(data_dir), kernel, asked->spec, asked->problem)
            : std::nullopt;
    if (!other) {
        return refusal(data_dir, *source, *asked, std::move(operation.error()));
    }
    const Result<PipelineSource> there = read_pipeline(data_dir, *other);
    if (!there) {
        return tl::unexpected(there.error());
    }
    auto answer = load_kernel(data_dir, *there, options);
    std::string note =
        fmt::format("{} does not take this problem: {} runs in its place.", kernel, *other);
    if (answer) {
        std::vector<std::string>& assumptions = answer->operation.plan.assumptions;
        assumptions.insert(assumptions.begin(), std::move(note));
    } else {
        answer.error().diagnostics.push_back({{}, std::move(note), {}});
    }
    return answer;
}

}  // namespace warpline::cli
