#include "warpline/pipeline/values.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace warpline {

tl::unexpected<Failure> Problems::failure() const {
    if (!input.empty()) {
        return input.failure(FailureKind::input);
    }
    if (!usage.empty()) {
        return usage.failure(FailureKind::usage);
    }
    return infeasible.failure(FailureKind::infeasible);
}

SourceLocation place_in(const YamlNode& node, std::size_t offset) {
    SourceLocation place = node.where;
    // A scalar over several lines has no simple relation between offset and column.
    if (place.line > 0 && node.is_scalar() && node.scalar.find('\n') == std::string::npos) {
        place.column += static_cast<int>(offset) + (node.quoted ? 1 : 0);
    }
    return place;
}

std::optional<std::string_view> ValueReader::text(const YamlNode& node, std::string_view what) {
    if (node.is_scalar()) {
        return node.scalar;
    }
    const bool missing = node.kind == YamlNode::Kind::null;
    problems_.input.error(
        node.where,
        missing ? fmt::format("{} is empty", what) : fmt::format("{} must be a single value", what),
        missing ? "" : "quote an expression that holds , : [ ] { } or #");
    return std::nullopt;
}

std::optional<double> ValueReader::number(const YamlNode& node, std::string_view what) {
    const auto expression = text(node, what);
    if (!expression) {
        return std::nullopt;
    }
    const auto value = evaluator_.number(*expression);
    if (!value) {
        report(node, value.error(), what);
        return std::nullopt;
    }
    return *value;
}

std::optional<std::int64_t> ValueReader::integer(const YamlNode& node, std::string_view what,
                                                 std::int64_t low, std::int64_t high) {
    const std::size_t before = problems_.input.size();
    const auto value = number(node, what);
    if (!value) {
        // Dropped in lenient mode: stand in with a legal value.
        return lenient_ && problems_.input.size() == before ? std::optional(low) : std::nullopt;
    }
    const double whole = std::round(*value);
    // Quotients such as 0.1 * 30 miss a whole number by rounding only.
    const bool is_whole = std::abs(*value - whole) <= 1e-9 * std::max(1.0, std::abs(whole));
    if (is_whole && whole >= static_cast<double>(low) && whole <= static_cast<double>(high)) {
        return static_cast<std::int64_t>(whole);
    }
    if (lenient_) {
        return low;
    }
    if (!is_whole) {
        value_error(node.where, fmt::format("{} must be a whole number, is {}", what, *value),
                    "use ceil() or floor()");
    } else if (high == largest) {
        value_error(node.where, fmt::format("{} must be at least {}, is {}", what, low, *value));
    } else {
        value_error(node.where,
                    fmt::format("{} must be from {} to {}, is {}", what, low, high, *value));
    }
    return std::nullopt;
}

bool ValueReader::flag(const YamlNode* node, std::string_view what, bool otherwise) {
    if (node == nullptr) {
        return otherwise;
    }
    const auto value = number(*node, what);
    return value ? *value != 0.0 : otherwise;
}

void ValueReader::report(const YamlNode& node, const ExpressionError& error, std::string_view what,
                         std::size_t offset) {
    if (error.of_value && lenient_) {
        return;
    }
    // In { } and [ ] a comma ends a text without quotes, and takes the rest of a call away.
    const bool cut = !node.quoted && error.hint.empty() &&
                     node.scalar.find(',') == std::string::npos &&
                     std::count(node.scalar.begin(), node.scalar.end(), '(') >
                         std::count(node.scalar.begin(), node.scalar.end(), ')');
    problems_.input.error(
        place_in(node, offset + error.position), fmt::format("{}: {}", what, error.message),
        cut ? "inside { } or [ ] an expression with commas must be quoted" : error.hint);
}

void ValueReader::value_error(const SourceLocation& where, std::string message, std::string hint) {
    if (!lenient_) {
        problems_.input.error(where, std::move(message), std::move(hint));
    }
}

}  // namespace warpline
