#include "warpline/pipeline/resolve.hpp"

#include "warpline/pipeline/operand_formats.hpp"
#include "warpline/pipeline/operation_file.hpp"
#include "warpline/pipeline/problem_names.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::string_view schema = "warpline-pipeline/1";
constexpr std::string_view operation_schema = "warpline-operation/1";

/// What a file must and may hold besides its title.
void read_layout(const YamlNode& root, DiagnosticSink& input) {
    const bool operation = names_kernels(root);  // its keys were checked when its kernels were read
    if (!operation) {
        input.check_keys(root,
                         {"schema",    "title",       "source",     "notes",      "assumptions",
                          "direction", "requires",    "dtypes",     "parameters", "checks",
                          "cluster",   "ctas_per_sm", "counted",    "tiles",      "buffers",
                          "barriers",  "roles",       "procedures", "program",    "launches"},
                         "a pipeline file");
    }
    if (!root.is_map()) {
        return;
    }
    const std::string_view known = operation ? operation_schema : schema;
    const auto version = input.require_text(root, "schema", "the file");
    if (version && *version != known) {
        input.error(root.find("schema")->where, fmt::format("unknown schema '{}'", *version),
                    fmt::format("this version reads {}", known));
    }
    if (!operation) {
        static_cast<void>(input.require(root, "roles", "the file"));
        static_cast<void>(input.require(root, "program", "the file"));
    }
}

void read_head(const Request& request, Resolved& out) {
    DiagnosticSink& input = out.problems.input;
    read_layout(request.source.root, input);
    if (!request.source.root.is_map()) {
        return;
    }
    static_cast<void>(input.require_text(request.source.root, "title", "the file"));
    if (const YamlNode* const source = request.source.root.find("source")) {
        const auto text = out.reader.text(*source, "source");
        if (text && text->empty()) {
            input.error(source->where, "source is empty", "say where the facts come from");
        }
    }
    static_cast<void>(texts_of(request.source.root, "notes", input));
    const auto direction = direction_of(request.source.root, input);
    if (direction && *direction != request.problem.direction) {
        out.problems.usage.error(
            request.source.root.find("direction")->where,
            fmt::format("a {} kernel for a {} problem",
                        *direction == Direction::forward ? "forward" : "backward",
                        request.problem.direction == Direction::forward ? "forward" : "backward"));
    }
    check_operand_format(request.source.root, request.problem, out.problems);
    for (const std::string& capability : texts_of(request.source.root, "requires", input)) {
        const auto& known = known_capabilities();
        if (!std::binary_search(known.begin(), known.end(), capability)) {
            const std::string near = nearest_name(capability, known);
            input.error(request.source.root.find("requires")->where,
                        fmt::format("no GPU has a capability '{}'", capability),
                        near.empty() ? "" : fmt::format("did you mean '{}'?", near));
        } else if (!request.spec.has(capability)) {
            out.problems.infeasible.error(
                request.source.root.find("requires")->where,
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

}  // namespace

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

bool resolve_parameters(const Request& request, const std::vector<ParameterOverride>& overrides,
                        Resolved& out, const std::vector<Parameter>& known) {
    for (const auto& [name, value] : problem_names(request.problem)) {
        out.evaluator.define(name, value);
    }
    out.evaluator.define("true", 1.0);
    out.evaluator.define("false", 0.0);
    for (const char* name : {"blocks", "masked_first", "masked_last"}) {
        out.evaluator.explain_absence(
            name,
            fmt::format("'{}' changes from tile to tile: only loop and when can use it", name));
    }
    out.evaluator.explain_absence("index", "'index' is known in 'when: chance' only");
    read_head(request, out);
    if (!request.source.root.is_map() || !out.problems.infeasible.empty()) {
        return false;
    }
    out.parameters =
        resolve_parameters(request.source.root.find("parameters"), overrides, out.reader, known);
    return true;
}

bool resolve_head(const Request& request, const std::vector<ParameterOverride>& overrides,
                  Resolved& out, const std::vector<Parameter>& known) {
    if (!resolve_parameters(request, overrides, out, known)) {
        return false;
    }
    out.evaluator.forget_asked();
    run_checks(request.source.root.find("checks"), out);
    return !out.problems.input.empty() || out.problems.none();
}

void resolve(const Request& request, const std::vector<ParameterOverride>& overrides, Resolved& out,
             const std::vector<Parameter>& known) {
    if (!resolve_head(request, overrides, out, known)) {
        return;
    }
    if (names_kernels(request.source.root)) {
        out.problems.usage.error(request.source.root.where,
                                 "the file names kernels that run one after the other, and one is "
                                 "asked for",
                                 "name one of them");
        return;
    }
    out.declarations = read_declarations(request.source.root, out.reader);
}

}  // namespace warpline
