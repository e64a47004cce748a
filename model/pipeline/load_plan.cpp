#include "warpline/pipeline/load_plan.hpp"

#include "warpline/diagnostics/strict_yaml.hpp"
#include "warpline/pipeline/balance.hpp"
#include "warpline/pipeline/budget.hpp"
#include "warpline/pipeline/declarations.hpp"
#include "warpline/pipeline/lowering.hpp"
#include "warpline/pipeline/parameters.hpp"
#include "warpline/pipeline/problem_names.hpp"
#include "warpline/pipeline/remedy.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::string_view schema = "warpline-pipeline/1";
constexpr std::string_view extension = ".yaml";

/// 64-bit FNV-1a.
class Hash {
  public:
    void add(std::string_view text) {
        for (const char c : text) {
            value_ = (value_ ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
        }
    }
    [[nodiscard]] std::string text() const { return fmt::format("{:016x}", value_); }

  private:
    std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

struct Request {
    const YamlNode& root;
    const GpuSpec& spec;
    const AttentionProblem& problem;
};

/// The values and declarations of a file: all that its programs need to be read.
struct Resolved {
    explicit Resolved(const GpuSpec& spec) : evaluator(spec), reader(evaluator, problems) {}
    Problems problems;
    Evaluator evaluator;
    ValueReader reader;
    std::vector<Parameter> parameters;
    Declarations declarations;
};

std::optional<Direction> direction_of(const YamlNode& root, DiagnosticSink& input) {
    const auto text = input.require_text(root, "direction", "the file");
    if (text == "forward") {
        return Direction::forward;
    }
    if (text == "backward") {
        return Direction::backward;
    }
    if (text) {
        input.error(root.find("direction")->where, fmt::format("direction is '{}'", *text),
                    "forward or backward");
    }
    return std::nullopt;
}

std::vector<std::string> texts_of(const YamlNode& root, const char* key, DiagnosticSink& input) {
    std::vector<std::string> texts;
    const YamlNode* list = root.find(key);
    if (list == nullptr) {
        return texts;
    }
    if (!list->is_sequence()) {
        input.error(list->where, fmt::format("'{}' must be a list of texts", key));
        return texts;
    }
    for (const YamlNode& item : list->items) {
        if (item.is_scalar()) {
            texts.push_back(item.scalar);
        } else {
            input.error(item.where, fmt::format("'{}' must be a list of texts", key),
                        "quote a text that holds a colon");
        }
    }
    return texts;
}

void read_head(const Request& request, Resolved& out) {
    DiagnosticSink& input = out.problems.input;
    input.check_keys(request.root,
                     {"schema", "title", "source", "notes", "assumptions", "direction", "requires",
                      "parameters", "checks", "cluster", "ctas_per_sm", "tiles", "buffers",
                      "barriers", "roles", "procedures", "program"},
                     "a pipeline file");
    if (!request.root.is_map()) {
        return;
    }
    const auto version = input.require_text(request.root, "schema", "the file");
    if (version && *version != schema) {
        input.error(request.root.find("schema")->where,
                    fmt::format("unknown schema '{}'", *version),
                    fmt::format("this version reads {}", schema));
    }
    static_cast<void>(input.require_text(request.root, "title", "the file"));
    static_cast<void>(texts_of(request.root, "notes", input));
    static_cast<void>(input.require(request.root, "roles", "the file"));
    static_cast<void>(input.require(request.root, "program", "the file"));
    const auto direction = direction_of(request.root, input);
    if (direction && *direction != request.problem.direction) {
        out.problems.usage.error(
            request.root.find("direction")->where,
            fmt::format("a {} kernel for a {} problem",
                        *direction == Direction::forward ? "forward" : "backward",
                        request.problem.direction == Direction::forward ? "forward" : "backward"));
    }
    for (const std::string& capability : texts_of(request.root, "requires", input)) {
        if (!request.spec.has(capability)) {
            out.problems.infeasible.error(
                request.root.find("requires")->where,
                fmt::format("the kernel requires '{}', which {} does not have", capability,
                            request.spec.id));
        }
    }
}

void run_checks(const YamlNode* checks, Resolved& out) {
    if (checks == nullptr) {
        return;
    }
    DiagnosticSink& input = out.problems.input;
    if (!checks->is_sequence()) {
        input.error(checks->where, "'checks' must be a list of that and message");
        return;
    }
    for (const YamlNode& check : checks->items) {
        input.check_keys(check, {"that", "message"}, "a check");
        const YamlNode* that = input.require(check, "that", "a check");
        const auto message = input.require_text(check, "message", "a check");
        if (that != nullptr && message && !out.reader.flag(that, "that", true)) {
            out.problems.infeasible.error(that->where, *message);
        }
    }
}

/// Everything before the programs. Stops early when the request cannot be met, since what follows
/// would only fail for the same reason.
void resolve(const Request& request, const std::vector<ParameterOverride>& overrides,
             Resolved& out) {
    for (const auto& [name, value] : problem_names(request.problem)) {
        out.evaluator.define(name, value);
    }
    for (const char* name : {"blocks", "masked_first", "masked_last"}) {
        out.evaluator.explain_absence(
            name,
            fmt::format("'{}' changes from tile to tile: only loop and when can use it", name));
    }
    out.evaluator.explain_absence("index", "'index' is known in 'when: chance' only");
    read_head(request, out);
    if (!request.root.is_map() || !out.problems.infeasible.empty()) {
        return;
    }
    out.parameters = resolve_parameters(request.root.find("parameters"), overrides, out.reader);
    run_checks(request.root.find("checks"), out);
    if (out.problems.input.empty() && !out.problems.none()) {
        return;
    }
    out.declarations = read_declarations(request.root, out.reader);
}

MmaPath path_of(const YamlNode& root) {
    const YamlNode* list = root.find("requires");
    if (list != nullptr && list->is_sequence()) {
        for (const YamlNode& item : list->items) {
            if (item.scalar == "tcgen05") {
                return MmaPath::tcgen05;
            }
            if (item.scalar == "wgmma") {
                return MmaPath::wgmma;
            }
        }
    }
    return MmaPath::mma_sync;
}

MachineTimings machine_of(const GpuSpec& spec) {
    MachineTimings machine;
    machine.sub_partitions = spec.sub_partitions;
    machine.tensor_scope = spec.tensor_scope;
    machine.smem_bytes_per_clk = spec.smem_bytes_per_clk;
    machine.smem_quantum = spec.smem_quantum;
    machine.tensor_queue_depth = spec.tensor_queue_depth;
    machine.arbitration = spec.arbitration;
    machine.sync = spec.sync;
    machine.tma = spec.tma;
    return machine;
}

void warn_unused_buffers(const Declarations& declarations, const std::set<std::string>& used,
                         DiagnosticSink& warnings) {
    for (const Buffer& buffer : declarations.buffers) {
        if (buffer.present && used.count(buffer.name) == 0) {
            warnings.error(
                buffer.where,
                fmt::format("no statement names buffer '{}': it counts in the budget only",
                            buffer.name));
        }
    }
}

std::string hash_of(std::string_view text, const std::vector<Parameter>& parameters) {
    Hash hash;
    hash.add(text);
    for (const Parameter& parameter : parameters) {
        hash.add(fmt::format("\n{}={:.17g}", parameter.name, parameter.value));
    }
    return hash.text();
}

bool fits_with(const Request& request, const std::vector<ParameterOverride>& overrides) {
    Resolved attempt(request.spec);
    resolve(request, overrides, attempt);
    return attempt.problems.none() && all_fit(compute_budgets(attempt.declarations, request.spec));
}

void check_storage(const Request& request, const std::vector<ParameterOverride>& overrides,
                   const std::vector<Budget>& budgets, Resolved& resolved) {
    std::string remedy;
    if (!all_fit(budgets)) {
        remedy = find_remedy(resolved.parameters, overrides,
                             [&](const std::vector<ParameterOverride>& candidate) {
                                 return fits_with(request, candidate);
                             });
    }
    check_budgets(budgets, resolved.declarations, request.spec, resolved.problems, remedy);
}

void lower_roles(const Request& request, Resolved& resolved, KernelPlan& plan) {
    LoweringContext context{request.spec,
                            request.problem,
                            resolved.declarations,
                            resolved.reader,
                            path_of(request.root),
                            {},
                            {},
                            {}};
    for (const DeclaredRole& declared : resolved.declarations.roles) {
        plan.roles.push_back(lower_role(context, declared));
    }
    if (resolved.problems.input.empty()) {
        check_balance(resolved.declarations, plan.roles, resolved.problems);
        warn_unused_buffers(resolved.declarations, context.used_buffers,
                            resolved.problems.warnings);
    }
    plan.instructions = std::move(context.instructions);
}

Result<KernelPlan> load_file(const std::filesystem::path& path, const GpuSpec& spec,
                             const AttentionProblem& problem,
                             const std::vector<ParameterOverride>& overrides,
                             bool direction_of_file) {
    const auto text = read_text(path);
    if (!text) {
        return tl::unexpected(text.error());
    }
    const auto root = parse_yaml(*text, path.string());
    if (!root) {
        return tl::unexpected(root.error());
    }
    AttentionProblem asked = problem;
    if (direction_of_file) {
        DiagnosticSink ignored;  // resolve() reports it
        asked.direction = direction_of(*root, ignored).value_or(problem.direction);
    }
    const Request request{*root, spec, asked};
    Resolved resolved(spec);
    resolve(request, overrides, resolved);
    if (resolved.problems.input.empty() && !resolved.problems.none()) {
        return resolved.problems.failure();
    }
    KernelPlan plan;
    plan.budgets = compute_budgets(resolved.declarations, spec);
    lower_roles(request, resolved, plan);
    if (resolved.problems.input.empty()) {
        check_storage(request, overrides, plan.budgets, resolved);
    }
    if (!resolved.problems.none()) {
        return resolved.problems.failure();
    }
    plan.kernel = path.stem().string();
    plan.title = root->find("title")->scalar;
    plan.file = path.string();
    plan.hash = hash_of(*text, resolved.parameters);
    plan.cluster = resolved.declarations.cluster;
    plan.ctas_per_sm = resolved.declarations.ctas_per_sm;
    plan.machine = machine_of(spec);
    plan.tiles = resolved.declarations.tiles;
    plan.rings = resolved.declarations.rings;
    for (const DeclaredBarrier& declared : resolved.declarations.barriers) {
        plan.barriers.push_back(declared.barrier);
    }
    for (const Parameter& parameter : resolved.parameters) {
        plan.parameters[parameter.name] = parameter.value;
    }
    plan.assumptions = texts_of(*root, "assumptions", resolved.problems.input);
    if (!resolved.problems.input.empty()) {
        return resolved.problems.failure();
    }
    if (!resolved.problems.warnings.empty()) {
        plan.warnings = resolved.problems.warnings.failure(FailureKind::input).value().diagnostics;
    }
    return plan;
}

bool is_file_name(std::string_view id) {
    return id.size() > extension.size() && id.substr(id.size() - extension.size()) == extension;
}

}  // namespace

Result<KernelPlan> load_plan(const std::filesystem::path& data_dir, const std::string& id,
                             const GpuSpec& spec, const AttentionProblem& problem,
                             const std::vector<ParameterOverride>& overrides) {
    if (is_file_name(id)) {
        return load_file(id, spec, problem, overrides, false);
    }
    const std::vector<std::string> kernels = list_kernels(data_dir);
    if (std::find(kernels.begin(), kernels.end(), id) == kernels.end()) {
        const std::string near = nearest_name(id, kernels);
        return fail(FailureKind::usage, fmt::format("unknown kernel '{}'", id),
                    near.empty() ? fmt::format("known: {}", fmt::join(kernels, ", "))
                                 : fmt::format("did you mean '{}'?", near));
    }
    return load_file(data_dir / "pipelines" / (id + std::string(extension)), spec, problem,
                     overrides, false);
}

Result<std::vector<Diagnostic>> check_pipeline(const std::filesystem::path& file,
                                               const GpuSpec& spec, const AttentionProblem& problem,
                                               const std::vector<ParameterOverride>& overrides) {
    auto plan = load_file(file, spec, problem, overrides, true);
    if (!plan) {
        return tl::unexpected(plan.error());
    }
    return std::move(plan->warnings);
}

std::vector<std::string> list_kernels(const std::filesystem::path& data_dir) {
    std::vector<std::string> kernels;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(data_dir / "pipelines", error)) {
        if (entry.path().extension() == extension) {
            kernels.push_back(entry.path().stem().string());
        }
    }
    std::sort(kernels.begin(), kernels.end());
    return kernels;
}

}  // namespace warpline
