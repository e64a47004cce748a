#include "warpline/diagnostics/failure.hpp"

#include <utility>

#include <fmt/format.h>

namespace warpline {

std::string Diagnostic::text() const {
    std::string out = where.file;
    if (where.line > 0) {
        out += fmt::format("{}{}", out.empty() ? "line " : ":", where.line);
        if (where.column > 0) {
            out += fmt::format(":{}", where.column);
        }
    }
    if (!out.empty()) {
        out += ": ";
    }
    out += message;
    if (!hint.empty()) {
        out += fmt::format(" ({})", hint);
    }
    return out;
}

std::string Failure::text() const {
    std::string out;
    for (const Diagnostic& diagnostic : diagnostics) {
        if (!out.empty()) {
            out += '\n';
        }
        out += diagnostic.text();
    }
    return out;
}

tl::unexpected<Failure> fail(FailureKind kind, std::string message, std::string hint,
                             SourceLocation where) {
    Failure failure;
    failure.kind = kind;
    failure.diagnostics.push_back({std::move(where), std::move(message), std::move(hint)});
    return tl::unexpected<Failure>(std::move(failure));
}

}  // namespace warpline
