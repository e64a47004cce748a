#include "cli/check_files.hpp"

#include "warpline/explore/study.hpp"
#include "warpline/hardware/gpu_family.hpp"
#include "warpline/hardware/resolve_gpu_spec.hpp"
#include "warpline/pipeline/family.hpp"
#include "warpline/pipeline/problem_names.hpp"
#include "warpline/pipeline/values.hpp"
#include "warpline/workload/block_lists.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace warpline::cli {
namespace {

struct KnownSchema {
    std::string_view name;
    FileKind kind;
};
constexpr std::array known_schemas{
    KnownSchema{"warpline-pipeline/1", FileKind::pipeline},
    KnownSchema{"warpline-operation/1", FileKind::operation},
    KnownSchema{"warpline-family/1", FileKind::family},
    KnownSchema{"warpline-hardware/1", FileKind::specification},
    KnownSchema{"warpline-study/1", FileKind::study},
    KnownSchema{"warpline-blocks/1", FileKind::block_lists},
};

std::string schemas_text() {
    std::vector<std::string_view> names;
    for (const KnownSchema& known : known_schemas) {
        names.push_back(known.name);
    }
    return fmt::format("schema: {}", fmt::join(names, ", "));
}

/// "warpline-pipeline" of "warpline-pipeline/1".
std::string_view without_version(std::string_view schema) {
    return schema.substr(0, schema.find('/'));
}

std::string warning_line(const Request& request, const std::string& text) {
    return request.style.warn("warning: ") + printable(text) + "\n";
}

/// Evaluates an expression that would otherwise be seen only by a problem that comes to it.
void try_condition(const FamilyCondition& condition, Evaluator& evaluator, DiagnosticSink& sink) {
    if (condition.when.kind == YamlNode::Kind::null) {
        return;
    }
    const auto value = evaluator.number(condition.when.scalar);
    if (!value && !value.error().of_value) {
        sink.error(place_in(condition.when, value.error().position), value.error().message,
                   value.error().hint);
    }
}

/// Whether a specification is of an architecture: it names one itself, and nothing says what only a
/// GPU has.
bool is_architecture(const YamlNode& root, const SpecFile& file) {
    return root.find("arch") != nullptr && file.constants.count("sm_count") == 0 &&
           file.constants.count("clock.boost") == 0;
}

}  // namespace

Result<FileKind> kind_of_file(const YamlNode& root, const std::string& file) {
    if (root.kind == YamlNode::Kind::null) {
        return fail(FailureKind::input, fmt::format("{} is empty", file),
                    "a specification begins with 'schema: warpline-hardware/1', a pipeline with "
                    "'schema: warpline-pipeline/1'");
    }
    if (!root.is_map()) {
        return fail(FailureKind::input, "the file must be a map that begins with its schema",
                    schemas_text(), root.where);
    }
    const YamlNode* const schema = root.find("schema");
    if (schema == nullptr || !schema->is_scalar() || schema->scalar.empty()) {
        return fail(FailureKind::input, "the file does not say what it is: 'schema' is missing",
                    schemas_text(), schema == nullptr ? root.where : schema->where);
    }
    // Of another version the reader of that kind knows what to say.
    const auto found =
        std::find_if(known_schemas.begin(), known_schemas.end(), [&](const KnownSchema& known) {
            return without_version(known.name) == without_version(schema->scalar);
        });
    if (found == known_schemas.end()) {
        return fail(FailureKind::input, fmt::format("unknown schema '{}'", schema->scalar),
                    schemas_text(), schema->where);
    }
    return found->kind;
}

Result<std::string> check_spec(const Request& request, const std::string& file) {
    YamlDocuments documents;
    const auto family = read_gpu_family(request.data_dir, file, documents);
    if (!family) {
        return tl::unexpected(family.error());
    }
    if (is_architecture(family->documents.front()->root, family->file)) {
        const auto architecture = check_architecture(family->file);
        if (!architecture) {
            return tl::unexpected(architecture.error());
        }
        return fmt::format(
            "{}: a sound architecture, {}, with {} constants; a GPU's file that inherits it has to "
            "add {}\n",
            printable(file), printable(family->file.title), family->file.constants.size(),
            fmt::join(architecture->missing, ", "));
    }
    const auto spec = make_gpu_spec(*family, {});
    if (!spec) {
        return tl::unexpected(spec.error());
    }
    std::string text = fmt::format("{}: a sound specification of {} with {} constants\n",
                                   printable(file), printable(spec->title), spec->constants.size());
    for (const Diagnostic& warning : spec->warnings) {
        text += warning_line(request, warning.text());
    }
    return text;
}

Result<std::string> check_family(const Request& request, const std::string& file,
                                 const std::string& gpu) {
    const auto written = read_text(file);
    if (!written) {
        return tl::unexpected(written.error());
    }
    const auto family = parse_family(*written, file);
    const auto spec = load_gpu_spec(request.data_dir, gpu);
    if (!family || !spec) {
        return tl::unexpected(!family ? family.error() : spec.error());
    }
    Evaluator evaluator(*spec);
    for (const auto& [name, value] : problem_names(AttentionProblem{})) {
        evaluator.define(name, value);
    }
    DiagnosticSink sink;
    std::vector<std::string> absent;
    const std::vector<std::string> known = list_kernels(request.data_dir);
    const auto look_at = [&](const FamilyCondition& condition, const std::string& kernel) {
        try_condition(condition, evaluator, sink);
        if (!kernel.empty() && std::find(known.begin(), known.end(), kernel) == known.end() &&
            std::find(absent.begin(), absent.end(), kernel) == absent.end()) {
            absent.push_back(kernel);
        }
    };
    for (const FamilyRule& rule : family->rules) {
        look_at(rule.condition, rule.kernel);
        look_at({}, rule.in_place_of);
    }
    for (const FamilyChange& change : family->history) {
        look_at(change.condition, change.kernel);
    }
    if (!sink.empty()) {
        return sink.failure(FailureKind::input);
    }
    std::string text = fmt::format("{}: a sound family with {} rules and {} changes\n",
                                   printable(file), family->rules.size(), family->history.size());
    for (const std::string& kernel : absent) {
        text += warning_line(request, fmt::format("there is no kernel '{}'", kernel));
    }
    return text;
}

Result<std::string> check_study(const std::string& file) {
    const auto study = read_study(file);
    if (!study) {
        return tl::unexpected(study.error());
    }
    return fmt::format("{}: a sound study of {} points\n", printable(file), study->size());
}

Result<std::string> check_block_lists(const std::string& file) {
    const auto written = read_text(file);
    if (!written) {
        return tl::unexpected(written.error());
    }
    const auto lists = parse_block_lists(*written, file);
    if (!lists) {
        return tl::unexpected(lists.error());
    }
    return fmt::format("{}: sound block lists of {} tiles\n", printable(file),
                       listed_tiles(*lists));
}

}  // namespace warpline::cli
