#include "warpline/pipeline/read_pipeline.hpp"

#include "warpline/diagnostics/yaml_names.hpp"
#include "warpline/pipeline/inheritance.hpp"
#include "warpline/pipeline/operation_file.hpp"
#include "warpline/pipeline/parsed_expressions.hpp"
#include "warpline/pipeline/resolve.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::string_view extension = ".yaml";

using Documents = std::vector<std::shared_ptr<const YamlDocument>>;

bool is_file_name(std::string_view id) {
    return id.size() > extension.size() && id.substr(id.size() - extension.size()) == extension;
}

PipelineSource source_of(const std::filesystem::path& file) {
    PipelineSource source;
    source.file = file.string();
    source.kernel = file.stem().string();
    source.expressions = std::make_shared<ExpressionPool>();
    return source;
}

/// The path of the parent that the last file of `chain` names, or an empty one: it names none, or
/// (with a report to `sink`) one that does not exist or that is in the chain already.
std::filesystem::path next_parent(const Documents& chain, const std::filesystem::path& data_dir,
                                  DiagnosticSink& sink) {
    const YamlDocument& child = *chain.back();
    const std::string parent = parent_of(child.root, sink);
    if (parent.empty()) {
        return {};
    }
    const SourceLocation where = child.root.find("inherits")->where;
    std::filesystem::path path = find_parent(parent, child.file, data_dir);
    if (path.empty()) {
        const std::string near = nearest_name(parent, list_kernels(data_dir));
        sink.error(where, fmt::format("inherits '{}', which does not exist", parent),
                   near.empty() ? "" : fmt::format("did you mean '{}'?", near));
        return {};
    }
    std::error_code ignored;
    const bool again = std::any_of(chain.begin(), chain.end(), [&](const auto& seen) {
        return std::filesystem::equivalent(seen->file, path, ignored);
    });
    if (again) {
        sink.error(where, fmt::format("inherits itself by way of '{}'", parent));
        return {};
    }
    return path;
}

/// A file with all that it inherits.
Result<PipelineSource> read_inherited(const std::filesystem::path& file,
                                      const std::filesystem::path& data_dir,
                                      YamlDocuments& documents) {
    Documents chain;  // child first
    DiagnosticSink sink;
    for (std::filesystem::path next = file; !next.empty();) {
        auto document = documents.read(next);
        if (!document) {
            return tl::unexpected(std::move(document.error()));
        }
        chain.push_back(std::move(*document));
        next = next_parent(chain, data_dir, sink);
    }
    PipelineSource merged = source_of(file);
    merged.root = chain.back()->root;
    for (auto child = std::next(chain.rbegin()); child != chain.rend(); ++child) {
        merged.root = inherit(std::move(merged.root), (*child)->root, sink);
    }
    for (const auto& document : chain) {
        merged.text.add(document->text);
    }
    if (!sink.empty()) {
        return sink.failure(FailureKind::input);
    }
    merged.documents = std::move(chain);
    return merged;
}

}  // namespace

Result<PipelineSource> read_pipeline_file(const std::filesystem::path& file,
                                          const std::filesystem::path& data_dir,
                                          YamlDocuments& documents) {
    auto source = read_inherited(file, data_dir, documents);
    if (!source || !names_kernels(source->root)) {
        return source;
    }
    return with_kernels(std::move(*source), data_dir, [&](const auto& kernel) {
        return read_inherited(kernel, data_dir, documents);
    });
}

Result<PipelineSource> parse_pipeline(std::string_view text, const std::string& file_name) {
    auto root = parse_yaml(text, file_name);
    if (!root) {
        return tl::unexpected(std::move(root.error()));
    }
    PipelineSource source = source_of(file_name);
    source.text.add(text);
    source.root = std::move(*root);
    return source;
}

Result<PipelineSource> read_pipeline(const std::filesystem::path& data_dir, const std::string& id) {
    YamlDocuments documents;
    return read_pipeline(data_dir, id, documents);
}

Result<PipelineSource> read_pipeline(const std::filesystem::path& data_dir, const std::string& id,
                                     YamlDocuments& documents) {
    if (is_file_name(id)) {
        return read_pipeline_file(id, data_dir, documents);
    }
    std::error_code ignored;
    const std::filesystem::path path = data_dir / "pipelines" / (id + std::string(extension));
    const bool plain = !id.empty() && std::filesystem::path(id).filename() == id;
    if (plain && std::filesystem::exists(path, ignored)) {
        return read_pipeline_file(path, data_dir, documents);
    }
    const std::vector<std::string> kernels = list_kernels(data_dir);
    const std::string near = nearest_name(id, kernels);
    std::string hint = fmt::format("known: {}", fmt::join(kernels, ", "));
    if (kernels.empty()) {
        hint = fmt::format("there are no pipelines in {}", data_dir.string());
    } else if (!near.empty()) {
        hint = fmt::format("did you mean '{}'?", near);
    }
    return fail(FailureKind::usage, fmt::format("unknown kernel '{}'", id), std::move(hint));
}

Direction pipeline_direction(const PipelineSource& source) {
    DiagnosticSink ignored;
    return direction_of(source.root, ignored).value_or(Direction::forward);
}

std::string pipeline_title(const PipelineSource& source) {
    const YamlNode* const title = source.root.find("title");
    return title != nullptr ? title->scalar : std::string{};
}

std::vector<std::string> list_kernels(const std::filesystem::path& data_dir) {
    return yaml_names(data_dir / "pipelines");
}

}  // namespace warpline
