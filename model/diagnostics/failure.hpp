// What the library returns instead of throwing: a kind, and every problem found, each with its
// place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace warpline {

/// Why a request could not be answered. The command line maps `usage` and `input` to exit code 2,
/// `infeasible` and `deadlock` to 3.
enum class FailureKind : std::uint8_t {
    usage,       ///< the request contradicts itself or names something that does not exist
    input,       ///< a file is unreadable, malformed or wrong
    infeasible,  ///< understood, but it cannot exist: a buffer over budget, a head dim not allowed
    deadlock,    ///< the pipeline stops with work left
};

/// Where in a file a diagnostic points. Lines and columns are 1-based; 0 means "not known".
struct SourceLocation {
    std::string file;
    int line = 0;
    int column = 0;
};

/// One problem: where, what, and what would be right.
struct Diagnostic {
    SourceLocation where;
    std::string message;
    std::string hint;  ///< empty when there is nothing useful to add

    /// "file:line:column: message (hint)"; parts that are not known are left out.
    [[nodiscard]] std::string text() const;
};

struct Failure {
    FailureKind kind = FailureKind::input;
    std::vector<Diagnostic> diagnostics;  ///< never empty

    /// One diagnostic a line.
    [[nodiscard]] std::string text() const;
};

template <typename T>
using Result = tl::expected<T, Failure>;

/// A failure with one diagnostic, ready to be returned from a function that returns a Result.
[[nodiscard]] tl::unexpected<Failure> fail(FailureKind kind, std::string message,
                                           std::string hint = {}, SourceLocation where = {});

/// The candidate closest to `name` by edit distance, or an empty string when none is near.
[[nodiscard]] std::string nearest_name(std::string_view name,
                                       const std::vector<std::string>& candidates);

}  // namespace warpline
