#include "warpline/pipeline/side_launches.hpp"

#include "warpline/pipeline/resolve.hpp"

#include <fmt/format.h>

namespace warpline {
namespace {

/// A number of `unit`, 0 when the key is missing.
[[nodiscard]] double amount_at(const YamlNode& node, const char* key, const char* unit,
                               ValueReader& reader) {
    const YamlNode* const value = node.find(key);
    if (value == nullptr) {
        return 0.0;
    }
    const double amount = reader.number(*value, key).value_or(0.0);
    if (amount < 0.0) {
        reader.value_error(value->where, fmt::format("{} is {:.6g}{}", key, amount, unit),
                           "0 or more");
        return 0.0;
    }
    return amount;
}

[[nodiscard]] double share_at(const YamlNode& node, const char* key, ValueReader& reader) {
    const YamlNode* const value = node.find(key);
    if (value == nullptr) {
        return 0.0;
    }
    const double share = reader.number(*value, key).value_or(0.0);
    if (share < 0.0 || share > 1.0) {
        reader.value_error(value->where, fmt::format("{} is {:.6g}", key, share), "from 0 to 1");
        return 0.0;
    }
    return share;
}

}  // namespace

std::vector<SideLaunch> read_side_launches(const YamlNode* section, ValueReader& reader) {
    std::vector<SideLaunch> launches;
    for_each_entry(
        section, "launches", reader,
        [&](const std::string& name, const YamlNode& node, const SourceLocation&) {
            DiagnosticSink& input = reader.problems().input;
            const std::string what = fmt::format("launch '{}'", name);
            input.check_keys(node, {"runs", "reads", "writes", "cached", "instructions", "when"},
                             what);
            SideLaunch launch;
            launch.name = name;
            if (const auto runs = input.require_text(node, "runs", what)) {
                launch.after = *runs == "after";
                if (!launch.after && *runs != "before") {
                    input.error(node.find("runs")->where, fmt::format("'runs' is '{}'", *runs),
                                "before or after the main kernel");
                }
            }
            const bool present = reader.flag(node.find("when"), "when", true);
            const bool lenient = reader.lenient();
            reader.set_lenient(lenient || !present);
            launch.bytes_read = amount_at(node, "reads", " bytes", reader);
            launch.bytes_written = amount_at(node, "writes", " bytes", reader);
            launch.instructions = amount_at(node, "instructions", "", reader);
            launch.cached = share_at(node, "cached", reader);
            reader.set_lenient(lenient);
            if (present) {
                launches.push_back(launch);
            }
        });
    return launches;
}

Result<std::vector<SideLaunch>> side_launches(const PipelineSource& source, const GpuSpec& spec,
                                              const AttentionProblem& problem,
                                              const std::vector<ParameterOverride>& overrides) {
    const YamlNode* const section = source.root.find("launches");
    if (section == nullptr) {
        return std::vector<SideLaunch>();
    }
    const Request request{source, spec, problem};
    Resolved resolved(request);
    resolve(request, overrides, resolved);
    std::vector<SideLaunch> launches = read_side_launches(section, resolved.reader);
    if (!resolved.problems.none()) {
        return resolved.problems.failure();
    }
    return launches;
}

}  // namespace warpline
