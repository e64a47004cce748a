#include "warpline/pipeline/operation_file.hpp"

#include "warpline/diagnostics/fingerprint.hpp"
#include "warpline/pipeline/inheritance.hpp"
#include "warpline/pipeline/operand_formats.hpp"
#include "warpline/pipeline/resolve.hpp"
#include "warpline/pipeline/side_launches.hpp"
#include "warpline/pipeline/traced_plan.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::string_view schema_stem = "warpline-operation/";

/// A list of texts, as if it stood in the file where `where` says.
[[nodiscard]] YamlNode list_node(const std::vector<std::string>& texts,
                                 const SourceLocation& where) {
    YamlNode list;
    list.kind = YamlNode::Kind::sequence;
    list.where = where;
    for (const std::string& text : texts) {
        YamlNode item;
        item.kind = YamlNode::Kind::scalar;
        item.where = where;
        item.scalar = text;
        list.items.push_back(std::move(item));
    }
    return list;
}

void add_field(YamlNode& map, const char* key, YamlNode value) {
    map.key_locations.push_back(value.where);
    map.fields.emplace_back(key, std::move(value));
}

/// All that any of the kernels requires, and the types that each of them multiplies.
void take_needs(PipelineSource& source, const SourceLocation& where, DiagnosticSink& sink) {
    std::vector<std::string> required;
    std::vector<std::string> formats = operand_formats(source.parts.front().root, sink);
    for (const PipelineSource& kernel : source.parts) {
        for (std::string& capability : texts_of(kernel.root, "requires", sink)) {
            if (std::find(required.begin(), required.end(), capability) == required.end()) {
                required.push_back(std::move(capability));
            }
        }
        const std::vector<std::string> own = operand_formats(kernel.root, sink);
        formats.erase(std::remove_if(formats.begin(), formats.end(),
                                     [&](const std::string& format) {
                                         return std::find(own.begin(), own.end(), format) ==
                                                own.end();
                                     }),
                      formats.end());
    }
    if (formats.empty()) {
        sink.error(where, "the kernels have no type in common", "each multiplies all operands");
    }
    add_field(source.root, "requires", list_node(required, where));
    add_field(source.root, "dtypes", list_node(formats, where));
}

[[nodiscard]] bool has_parameter(const PipelineSource& source, const std::string& name) {
    const YamlNode* const parameters = source.root.find("parameters");
    return parameters != nullptr && parameters->find(name) != nullptr;
}

[[nodiscard]] std::vector<std::string> parameters_of_all(const PipelineSource& source) {
    std::vector<std::string> names;
    const auto add = [&](const PipelineSource& one) {
        const YamlNode* const parameters = one.root.find("parameters");
        if (parameters == nullptr) {
            return;
        }
        for (const auto& field : parameters->fields) {
            if (std::find(names.begin(), names.end(), field.first) == names.end()) {
                names.push_back(field.first);
            }
        }
    };
    add(source);
    std::for_each(source.parts.begin(), source.parts.end(), add);
    return names;
}

[[nodiscard]] std::vector<std::string> ids_of(const PipelineSource& source) {
    std::vector<std::string> ids;
    for (const PipelineSource& kernel : source.parts) {
        ids.push_back(kernel.kernel);
    }
    return ids;
}

}  // namespace

bool names_kernels(const YamlNode& root) {
    const YamlNode* const schema = root.find("schema");
    return schema != nullptr && schema->scalar.rfind(schema_stem, 0) == 0;
}

Result<PipelineSource> with_kernels(
    PipelineSource source, const std::filesystem::path& data_dir,
    const std::function<Result<PipelineSource>(const std::filesystem::path&)>& read) {
    DiagnosticSink sink;
    sink.check_keys(source.root,
                    {"schema", "title", "source", "notes", "assumptions", "direction", "kernels",
                     "parameters", "checks", "launches"},
                    "a file that names kernels");
    const YamlNode* const list = sink.require(source.root, "kernels", "the file");
    if (list == nullptr) {
        return sink.failure(FailureKind::input);
    }
    const SourceLocation where = list->where;
    const std::vector<std::string> ids = texts_of(source.root, "kernels", sink);
    if (ids.size() < 2 && sink.empty()) {
        sink.error(where, "'kernels' names fewer than two",
                   "one kernel needs no file beside its own, which can have launches");
    }
    for (const std::string& id : ids) {
        const std::filesystem::path path = find_parent(id, source.file, data_dir);
        if (path.empty()) {
            const std::string near = nearest_name(id, list_kernels(data_dir));
            sink.error(where, fmt::format("there is no kernel '{}'", id),
                       near.empty() ? "" : fmt::format("did you mean '{}'?", near));
            continue;
        }
        auto kernel = read(path);
        if (!kernel) {
            return kernel;
        }
        if (names_kernels(kernel->root)) {
            sink.error(where, fmt::format("'{}' names kernels itself", id), "name those");
        } else if (pipeline_direction(*kernel) != pipeline_direction(source)) {
            sink.error(where, fmt::format("'{}' is a kernel of the other direction", id));
        } else if (const YamlNode* const launches = kernel->root.find("launches")) {
            sink.error(launches->where, fmt::format("'{}' has launches of its own", id),
                       "beside several kernels, the file that names them has the launches");
        }
        for (const auto& document : kernel->documents) {
            source.text.add(document->text);
            source.documents.push_back(document);
        }
        source.parts.push_back(std::move(*kernel));
    }
    if (sink.empty()) {
        take_needs(source, where, sink);
    }
    if (!sink.empty()) {
        return sink.failure(FailureKind::input);
    }
    return source;
}

tl::unexpected<Failure> several_kernels(const PipelineSource& source, const std::string& what) {
    return fail(
        FailureKind::usage,
        fmt::format("{} runs several kernels, one after the other: {}", source.kernel, what),
        fmt::format("name one of them: {}", fmt::join(ids_of(source), ", ")));
}

Result<OperationHead> operation_head(const PipelineSource& source, const GpuSpec& spec,
                                     const AttentionProblem& problem,
                                     const std::vector<ParameterOverride>& overrides) {
    const std::vector<std::string> names = parameters_of_all(source);
    for (const ParameterOverride& parameter : overrides) {
        if (std::find(names.begin(), names.end(), parameter.name) == names.end()) {
            const std::string near = nearest_name(parameter.name, names);
            return fail(
                FailureKind::usage,
                fmt::format("no kernel of {} has a parameter '{}'", source.kernel, parameter.name),
                near.empty() ? fmt::format("parameters: {}", fmt::join(names, ", "))
                             : fmt::format("did you mean '{}'?", near));
        }
    }
    const Request request{source, spec, problem};
    Resolved resolved(request);
    OperationHead head;
    if (resolve_head(request, overrides_of(source, overrides), resolved)) {
        head.launches = read_side_launches(source.root.find("launches"), resolved.reader);
        head.plan.assumptions = texts_of(source.root, "assumptions", resolved.problems.input);
    }
    if (!resolved.problems.none()) {
        return resolved.problems.failure();
    }
    head.plan.kernel = source.kernel;
    head.plan.title = pipeline_title(source);
    head.plan.file = source.file;
    set_parameters(head.plan, source, resolved.parameters);
    return head;
}

std::vector<ParameterOverride> overrides_of(const PipelineSource& source,
                                            const std::vector<ParameterOverride>& overrides) {
    std::vector<ParameterOverride> own;
    std::copy_if(overrides.begin(), overrides.end(), std::back_inserter(own),
                 [&](const ParameterOverride& one) { return has_parameter(source, one.name); });
    return own;
}

void add_kernel(KernelPlan& operation, const KernelPlan& kernel) {
    operation.parameters.insert(kernel.parameters.begin(), kernel.parameters.end());
    operation.hash = fingerprint(operation.hash + kernel.hash);
}

}  // namespace warpline
