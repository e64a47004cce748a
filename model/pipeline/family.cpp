#include "warpline/pipeline/family.hpp"

#include "warpline/diagnostics/yaml_names.hpp"
#include "warpline/pipeline/problem_names.hpp"
#include "warpline/pipeline/values.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::string_view schema = "warpline-family/1";
constexpr std::string_view extension = ".yaml";

/// A text or a list of texts.
[[nodiscard]] std::vector<std::string> texts_at(const YamlNode& map, std::string_view key,
                                                DiagnosticSink& sink) {
    std::vector<std::string> out;
    const YamlNode* const node = map.find(key);
    if (node == nullptr) {
        return out;
    }
    const std::vector<YamlNode> single = {*node};
    for (const YamlNode& item : node->is_sequence() ? node->items : single) {
        if (!item.is_scalar() || item.scalar.empty()) {
            sink.error(item.where, fmt::format("'{}' must hold texts", key));
        } else {
            out.push_back(item.scalar);
        }
    }
    return out;
}

[[nodiscard]] FamilyCondition condition_of(const YamlNode& node, DiagnosticSink& sink) {
    FamilyCondition condition;
    condition.arch = texts_at(node, "arch", sink);
    if (const YamlNode* direction = node.find("direction")) {
        if (direction->scalar == "forward" || direction->scalar == "backward") {
            condition.direction =
                direction->scalar == "forward" ? Direction::forward : Direction::backward;
        } else {
            sink.error(direction->where, fmt::format("direction is '{}'", direction->scalar),
                       "forward or backward");
        }
    }
    if (const YamlNode* when = node.find("when")) {
        if (when->is_scalar()) {
            condition.when = *when;
        } else {
            sink.error(when->where, "'when' must be an expression");
        }
    }
    return condition;
}

[[nodiscard]] std::vector<ParameterOverride> parameters_of(const YamlNode& node,
                                                           DiagnosticSink& sink) {
    std::vector<ParameterOverride> out;
    const YamlNode* const set = node.find("set");
    if (set == nullptr) {
        return out;
    }
    if (!set->is_map()) {
        sink.error(set->where, "'set' must be a map of parameters and expressions");
        return out;
    }
    for (const auto& [name, value] : set->fields) {
        if (value.is_scalar()) {
            out.push_back({name, value.scalar});
        } else {
            sink.error(value.where, fmt::format("'{}' must be an expression", name));
        }
    }
    return out;
}

/// Whether the rule is for builds of this version.
[[nodiscard]] bool names_version(const FamilyRule& rule, const std::string& version) {
    const auto names = [&](const std::string& text) {
        const bool open = !text.empty() && text.back() == '*';
        return open ? version.compare(0, text.size() - 1, text, 0, text.size() - 1) == 0
                    : version == text;
    };
    return rule.versions.empty() || std::any_of(rule.versions.begin(), rule.versions.end(), names);
}

[[nodiscard]] FamilyRule rule_of(const YamlNode& node, DiagnosticSink& sink) {
    FamilyRule rule;
    sink.check_keys(
        node,
        {"kernel", "unmodelled", "arch", "direction", "when", "version", "set", "in_place_of"},
        "a rule");
    rule.condition = condition_of(node, sink);
    rule.versions = texts_at(node, "version", sink);
    rule.set = parameters_of(node, sink);
    const YamlNode* const kernel = node.find("kernel");
    const YamlNode* const unmodelled = node.find("unmodelled");
    if ((kernel == nullptr) == (unmodelled == nullptr)) {
        sink.error(node.where, "a rule has either 'kernel' or 'unmodelled'",
                   "kernel: the id of a pipeline file; unmodelled: why there is none");
    } else if (kernel != nullptr) {
        rule.kernel = sink.require_text(node, "kernel", "a rule").value_or("");
        if (node.find("in_place_of") != nullptr) {
            rule.in_place_of = sink.require_text(node, "in_place_of", "a rule").value_or("");
            if (!rule.set.empty()) {
                sink.error(node.find("set")->where, "'set' beside 'in_place_of'",
                           "a kernel in place of another runs as its file has it");
            }
        }
    } else {
        rule.unmodelled = sink.require_text(node, "unmodelled", "a rule").value_or("");
    }
    return rule;
}

[[nodiscard]] FamilyChange change_of(const YamlNode& node, DiagnosticSink& sink) {
    FamilyChange change;
    constexpr std::string_view what = "an entry of the history";
    sink.check_keys(
        node, {"before", "kernel", "arch", "direction", "when", "set", "why", "unmodelled"}, what);
    change.condition = condition_of(node, sink);
    change.set = parameters_of(node, sink);
    change.kernel = sink.require_text(node, "kernel", what).value_or("");
    if (node.find("unmodelled") == nullptr) {
        change.why = sink.require_text(node, "why", what).value_or("");
        static_cast<void>(sink.require(node, "set", what));
    } else {
        change.unmodelled = sink.require_text(node, "unmodelled", what).value_or("");
        for (const char* key : {"set", "why"}) {
            if (const YamlNode* other = node.find(key)) {
                sink.error(other->where, fmt::format("'{}' beside 'unmodelled'", key),
                           "an entry has either set and why, or unmodelled");
            }
        }
    }
    if (const auto before = sink.require_text(node, "before", what)) {
        if (const auto date = parse_build_date(*before)) {
            change.before = *date;
        } else {
            sink.error(node.find("before")->where, fmt::format("'{}' is not a date", *before),
                       "such as 2026-02-28");
        }
    }
    return change;
}

/// Calls `read` for every map of the list at `key`.
template <typename Read>
void for_each_map(const YamlNode& root, std::string_view key, DiagnosticSink& sink, Read&& read) {
    const YamlNode* const list = root.find(key);
    if (list == nullptr) {
        return;
    }
    if (!list->is_sequence()) {
        sink.error(list->where, fmt::format("'{}' must be a list", key));
        return;
    }
    for (const YamlNode& item : list->items) {
        if (item.is_map()) {
            read(item);
        } else {
            sink.error(item.where, fmt::format("an item of '{}' must be a map", key));
        }
    }
}

/// Whether all that the condition asks is given.
[[nodiscard]] Result<bool> holds(const FamilyCondition& condition, const GpuSpec& spec,
                                 const AttentionProblem& problem) {
    if (!condition.arch.empty() && std::find(condition.arch.begin(), condition.arch.end(),
                                             spec.arch) == condition.arch.end()) {
        return false;
    }
    if (condition.direction && *condition.direction != problem.direction) {
        return false;
    }
    if (condition.when.kind == YamlNode::Kind::null) {
        return true;
    }
    Evaluator evaluator(spec);
    for (const auto& [name, value] : problem_names(problem)) {
        evaluator.define(name, value);
    }
    const auto value = evaluator.number(condition.when.scalar);
    if (!value) {
        return fail(FailureKind::input, value.error().message, value.error().hint,
                    place_in(condition.when, value.error().position));
    }
    return *value != 0.0;
}

/// The rule that decides; null: none holds.
[[nodiscard]] Result<const FamilyRule*> first_rule(const KernelFamily& family, const GpuSpec& spec,
                                                   const AttentionProblem& problem,
                                                   const std::string& version) {
    for (const FamilyRule& rule : family.rules) {
        if (!names_version(rule, version)) {
            continue;
        }
        const auto matches = holds(rule.condition, spec, problem);
        if (!matches) {
            return tl::unexpected(matches.error());
        }
        if (*matches) {
            return &rule;
        }
    }
    return nullptr;
}

[[nodiscard]] Result<std::optional<BuildDate>> date_of(const KernelBuild& build) {
    if (build.built.empty()) {
        return std::optional<BuildDate>();
    }
    const auto date = parse_build_date(build.built);
    if (!date) {
        return fail(FailureKind::usage, fmt::format("built '{}' is not a date", build.built),
                    "such as 2026-03-16, or 2026-03 for a month");
    }
    return date;
}

/// Adds what the history says about the chosen kernel.
[[nodiscard]] Result<void> apply_history(const KernelFamily& family, const GpuSpec& spec,
                                         const AttentionProblem& problem, const BuildDate& built,
                                         KernelChoice& choice) {
    for (const FamilyChange& change : family.history) {
        if (change.kernel != choice.kernel || built.number() >= change.before.number()) {
            continue;
        }
        const auto applies = holds(change.condition, spec, problem);
        if (!applies) {
            return tl::unexpected(applies.error());
        }
        if (!*applies) {
            continue;
        }
        if (!change.unmodelled.empty()) {
            return fail(FailureKind::usage, change.unmodelled);
        }
        choice.because.push_back(change.why);
        for (const ParameterOverride& parameter : change.set) {
            const bool decided =
                std::any_of(choice.set.begin(), choice.set.end(),
                            [&](const auto& earlier) { return earlier.name == parameter.name; });
            if (!decided) {
                choice.set.push_back(parameter);
            }
        }
    }
    return {};
}

}  // namespace

Result<KernelFamily> parse_family(std::string_view text, const std::string& file_name) {
    const auto root = parse_yaml(text, file_name);
    if (!root) {
        return tl::unexpected(root.error());
    }
    DiagnosticSink sink;
    KernelFamily family;
    family.id = std::filesystem::path(file_name).stem().string();
    sink.check_keys(*root, {"schema", "title", "source", "rules", "history"}, "the file");
    if (const auto named = sink.require_text(*root, "schema", "the file");
        named && *named != schema) {
        sink.error(root->find("schema")->where, fmt::format("schema is '{}'", *named),
                   fmt::format("this version reads {}", schema));
    }
    family.title = sink.require_text(*root, "title", "the file").value_or("");
    static_cast<void>(sink.require_text(*root, "source", "the file"));
    static_cast<void>(sink.require(*root, "rules", "the file"));
    for_each_map(*root, "rules", sink,
                 [&](const YamlNode& node) { family.rules.push_back(rule_of(node, sink)); });
    for_each_map(*root, "history", sink,
                 [&](const YamlNode& node) { family.history.push_back(change_of(node, sink)); });
    if (!sink.empty()) {
        return sink.failure(FailureKind::input);
    }
    return family;
}

std::vector<std::string> list_families(const std::filesystem::path& data_dir) {
    return yaml_names(data_dir / "pipelines" / "families");
}

Result<KernelFamily> load_family(const std::filesystem::path& data_dir, const std::string& id) {
    const std::vector<std::string> known = list_families(data_dir);
    if (std::find(known.begin(), known.end(), id) == known.end()) {
        return fail(FailureKind::usage, fmt::format("unknown kernel family '{}'", id),
                    fmt::format("known: {}", fmt::join(known, ", ")));
    }
    const auto path = data_dir / "pipelines" / "families" / (id + std::string(extension));
    const auto text = read_text(path);
    if (!text) {
        return tl::unexpected(text.error());
    }
    return parse_family(*text, path.string());
}

Result<KernelChoice> choose_kernel(const KernelFamily& family, const GpuSpec& spec,
                                   const AttentionProblem& problem, const KernelBuild& build) {
    const auto built = date_of(build);
    if (!built) {
        return tl::unexpected(built.error());
    }
    const auto rule = first_rule(family, spec, problem, build.version);
    if (!rule) {
        return tl::unexpected(rule.error());
    }
    if (*rule == nullptr) {
        return fail(FailureKind::usage,
                    fmt::format("{} has no kernel for this on {}", family.id, spec.arch));
    }
    if ((*rule)->kernel.empty()) {
        return fail(FailureKind::usage, (*rule)->unmodelled);
    }
    KernelChoice choice{(*rule)->kernel, (*rule)->set, {}};
    if (*built) {
        if (auto done = apply_history(family, spec, problem, **built, choice); !done) {
            return tl::unexpected(done.error());
        }
    }
    return choice;
}

std::vector<KernelFamily> readable_families(const std::filesystem::path& data_dir) {
    std::vector<KernelFamily> families;
    for (const std::string& id : list_families(data_dir)) {
        if (auto family = load_family(data_dir, id)) {
            families.push_back(std::move(*family));
        }
    }
    return families;
}

std::optional<std::string> kernel_in_place_of(const std::vector<KernelFamily>& families,
                                              const std::string& kernel, const GpuSpec& spec,
                                              const AttentionProblem& problem) {
    for (const KernelFamily& family : families) {
        const auto rule = first_rule(family, spec, problem, {});
        if (rule && *rule != nullptr && (*rule)->in_place_of == kernel) {
            return (*rule)->kernel;
        }
    }
    return std::nullopt;
}

}  // namespace warpline
