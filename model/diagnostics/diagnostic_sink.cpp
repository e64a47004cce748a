#include "warpline/diagnostics/strict_yaml.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace warpline {
namespace {

std::string join(const std::vector<std::string>& names) {
    std::string out;
    for (const std::string& name : names) {
        out += out.empty() ? name : ", " + name;
    }
    return out;
}

bool same(const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.where.file, a.where.line, a.where.column, a.message) ==
           std::tie(b.where.file, b.where.line, b.where.column, b.message);
}

}  // namespace

void DiagnosticSink::error(const SourceLocation& where, std::string message, std::string hint) {
    Diagnostic diagnostic{where, std::move(message), std::move(hint)};
    const bool known =
        std::any_of(diagnostics_.begin(), diagnostics_.end(),
                    [&](const Diagnostic& other) { return same(other, diagnostic); });
    if (!known) {
        diagnostics_.push_back(std::move(diagnostic));
    }
}

tl::unexpected<Failure> DiagnosticSink::failure(FailureKind kind) const {
    Failure failure;
    failure.kind = kind;
    failure.diagnostics = diagnostics_;
    std::stable_sort(failure.diagnostics.begin(), failure.diagnostics.end(),
                     [](const Diagnostic& a, const Diagnostic& b) {
                         return std::tie(a.where.file, a.where.line, a.where.column) <
                                std::tie(b.where.file, b.where.line, b.where.column);
                     });
    return tl::unexpected<Failure>(std::move(failure));
}

void DiagnosticSink::check_keys(const YamlNode& map, const std::vector<std::string>& allowed,
                                std::string_view what) {
    if (!map.is_map()) {
        error(map.where, fmt::format("{} must be a map", what));
        return;
    }
    for (std::size_t i = 0; i < map.fields.size(); ++i) {
        const std::string& key = map.fields[i].first;
        if (std::find(allowed.begin(), allowed.end(), key) != allowed.end()) {
            continue;
        }
        const std::string nearest = nearest_name(key, allowed);
        // "max: min(1, 2)" in { } is two entries: the second is "2)", without a value.
        if (std::count(key.begin(), key.end(), ')') > std::count(key.begin(), key.end(), '(')) {
            error(map.key_locations[i], fmt::format("'{}' in {} is no key", key, what),
                  "inside { } an expression with commas must be quoted");
            continue;
        }
        error(map.key_locations[i], fmt::format("unknown key '{}' in {}", key, what),
              nearest.empty() ? fmt::format("known: {}", join(allowed))
                              : fmt::format("did you mean '{}'?", nearest));
    }
}

const YamlNode* DiagnosticSink::require(const YamlNode& map, std::string_view key,
                                        std::string_view what) {
    if (!map.is_map()) {
        error(map.where, fmt::format("{} must be a map", what));
        return nullptr;
    }
    const YamlNode* found = map.find(key);
    if (found == nullptr) {
        error(map.where, fmt::format("{} lacks '{}'", what, key));
    }
    return found;
}

std::optional<std::string> DiagnosticSink::require_text(const YamlNode& map, std::string_view key,
                                                        std::string_view what) {
    const YamlNode* found = require(map, key, what);
    if (found == nullptr) {
        return std::nullopt;
    }
    if (!found->is_scalar()) {
        error(found->where, fmt::format("'{}' of {} must be a single value", key, what));
        return std::nullopt;
    }
    return found->scalar;
}

}  // namespace warpline
