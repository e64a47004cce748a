// Values of a pipeline file: nodes read as expressions, problems collected with their places.
#pragma once

#include "warpline/diagnostics/strict_yaml.hpp"
#include "warpline/pipeline/expression.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace warpline {

/// Everything wrong with a file or a request. Only the gravest kind is reported: a file that cannot
/// be understood says nothing about what is infeasible.
struct Problems {
    DiagnosticSink input;
    DiagnosticSink usage;
    DiagnosticSink infeasible;
    DiagnosticSink warnings;

    [[nodiscard]] bool none() const { return input.empty() && usage.empty() && infeasible.empty(); }
    /// Precondition: not none().
    [[nodiscard]] tl::unexpected<Failure> failure() const;
};

/// The place of character `offset` of a scalar, where it can be told.
[[nodiscard]] SourceLocation place_in(const YamlNode& node, std::size_t offset);

class ValueReader {
  public:
    static constexpr std::int64_t largest = std::int64_t{1} << 53;  ///< whole in a double

    ValueReader(Evaluator& evaluator, Problems& problems)
        : evaluator_(evaluator), problems_(problems) {}

    /// The text of a scalar, or nothing and an error.
    [[nodiscard]] std::optional<std::string_view> text(const YamlNode& node, std::string_view what);
    [[nodiscard]] std::optional<double> number(const YamlNode& node, std::string_view what);
    /// A whole number in [low, high]. In lenient mode a value outside becomes `low`.
    [[nodiscard]] std::optional<std::int64_t> integer(const YamlNode& node, std::string_view what,
                                                      std::int64_t low,
                                                      std::int64_t high = largest);
    /// Whether the expression is not zero; `otherwise` when the node is null or has an error.
    [[nodiscard]] bool flag(const YamlNode* node, std::string_view what, bool otherwise);

    /// Reports an error of the expression that begins `offset` characters into the node.
    void report(const YamlNode& node, const ExpressionError& error, std::string_view what,
                std::size_t offset = 0);
    /// A value that is understood but wrong: dropped in lenient mode.
    void value_error(const SourceLocation& where, std::string message, std::string hint = {});

    /// Lenient: for statements that do not run for this problem and GPU. Names and grammar are
    /// still checked, values are not.
    [[nodiscard]] bool lenient() const { return lenient_; }
    void set_lenient(bool lenient) { lenient_ = lenient; }

    [[nodiscard]] Evaluator& evaluator() { return evaluator_; }
    [[nodiscard]] Problems& problems() { return problems_; }

  private:
    Evaluator& evaluator_;
    Problems& problems_;
    bool lenient_ = false;
};

}  // namespace warpline
