// Expressions of pipeline files: arithmetic over named values, with errors that say where and what.
#pragma once

#include "warpline/hardware/gpu_spec.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

namespace warpline {

/// What is wrong with an expression.
struct ExpressionError {
    std::size_t position = 0;  ///< 0-based, in the text
    std::string message;
    std::string hint;
    /// Well formed, but its value here is not usable (a division by zero). False: it never can be.
    bool of_value = false;
};

template <typename T>
using Evaluated = tl::expected<T, ExpressionError>;

/// A piece of an expression: text[begin, end).
struct Token {
    enum class Kind : std::uint8_t { number, name, call, op, open, close, comma };
    Kind kind = Kind::op;
    std::size_t begin = 0;
    std::size_t end = 0;
    int depth = 0;  ///< of enclosing parentheses
};

/// Splits an expression into tokens and checks characters, parentheses, commas and length; a name
/// followed by "(" is a call.
[[nodiscard]] Evaluated<std::vector<Token>> tokenize(std::string_view text);

class ExpressionPool;

/// Evaluates expressions over a set of names that can change between two evaluations.
///
/// Operators: + - * / %, comparisons, && ||, ? :. Functions: ceil, floor, min, max, not and
/// has(capability). Names "hw.KEY" are the specification's constants. A result that is not finite
/// is an error.
class Evaluator {
  public:
    /// Keeps a reference to `spec`. Expressions in `pool` are not parsed again.
    explicit Evaluator(const GpuSpec& spec, std::shared_ptr<ExpressionPool> pool = nullptr);
    ~Evaluator();
    Evaluator(Evaluator&&) noexcept;
    Evaluator& operator=(Evaluator&&) = delete;
    Evaluator(const Evaluator&) = delete;
    Evaluator& operator=(const Evaluator&) = delete;

    /// Gives a name a value, or a new one.
    void define(std::string_view name, double value);
    void remove(std::string_view name);
    [[nodiscard]] bool defines(std::string_view name) const;
    /// Nothing when there is no such name.
    [[nodiscard]] std::optional<double> value_of(std::string_view name) const;

    [[nodiscard]] Evaluated<double> number(std::string_view text);

    /// The expression's value for each point: `names` are bound to the point's entries, which
    /// follow each other in `points`. Names that are defined already are hidden meanwhile.
    [[nodiscard]] Evaluated<std::vector<double>> tabulate(std::string_view text,
                                                          const std::vector<std::string>& names,
                                                          const std::vector<double>& points);

    /// tokenize(), kept. Valid while the evaluator is.
    [[nodiscard]] const Evaluated<std::vector<Token>>& tokens(std::string_view text);
    /// Whether one of `names` occurs in the expression. Of one that cannot be read, the part behind
    /// what is wrong does not count.
    [[nodiscard]] bool mentions(std::string_view text, const std::vector<std::string>& names);

    /// Names whose values were asked for since the last forget_asked(), sorted; constants of the
    /// specification apart.
    [[nodiscard]] std::vector<std::string> asked() const;
    /// The same with their values, 0 of a name that is gone; in no order.
    [[nodiscard]] std::vector<std::pair<std::string, double>> asked_values() const;
    void forget_asked();

    /// For names that exist elsewhere only: what to say instead of "unknown name".
    void explain_absence(const std::string& name, std::string message);

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Whether `text` is a name: a letter or underscore, then letters, digits and underscores.
[[nodiscard]] bool is_identifier(std::string_view text);

}  // namespace warpline
