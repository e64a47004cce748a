// Expressions as muParser has parsed them, to be evaluated again and again while the names that
// they read change their values.
#pragma once

#include "warpline/pipeline/expression.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace warpline {

class ExpressionParser;

/// "did you mean 'a'?", or an empty text where nothing is near.
[[nodiscard]] std::string suggestion(std::string_view name,
                                     const std::vector<std::string>& candidates);

/// For look-ups by a part of a text, without a copy of it; eight characters at a time.
struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
        std::uint64_t hash = text.size();
        const auto mix = [&hash](std::uint64_t word) {
            hash = (hash ^ word) * 0x9E3779B97F4A7C15U;
            hash ^= hash >> 32U;
        };
        std::uint64_t word = 0;
        if (text.size() < sizeof(word)) {
            for (const char c : text) {
                word = word << 8U | static_cast<unsigned char>(c);
            }
            mix(word);
            return hash;
        }
        // The last eight overlap those before.
        for (std::size_t at = 0; at < text.size(); at += sizeof(word)) {
            std::memcpy(&word, text.data() + std::min(at, text.size() - sizeof(word)),
                        sizeof(word));
            mix(word);
        }
        return hash;
    }
};
template <typename T>
using ByText = std::unordered_map<std::string, T, TextHash, std::equal_to<>>;

/// What a name stands for at the moment.
struct NamedValue {
    enum class Kind : std::uint8_t { name, constant, capability };
    Kind kind = Kind::name;
    std::string name;  ///< "tile_kv"; "smem.width" of hw.smem.width; "tma" of has(tma)
    double value = 0.0;
    bool defined = false;
    bool asked = false;  ///< since the evaluator last forgot
};

/// The names that expressions read, each at an address of its own.
class NamedValues {
  public:
    /// A name as it is written: "tile_kv", "hw.smem.width".
    [[nodiscard]] NamedValue& at(std::string_view written);
    [[nodiscard]] NamedValue& capability(std::string_view name);
    /// Null: no expression reads it, and nothing defined it.
    [[nodiscard]] const NamedValue* find(std::string_view written) const;
    /// As they are written, sorted.
    [[nodiscard]] std::vector<std::string> defined() const;
    void undefine_all();

  private:
    ByText<NamedValue> written_, capabilities_;
};

class ParsedExpression {
  public:
    struct Read {
        NamedValue* of = nullptr;
        std::size_t position = 0;
        bool after_number = false;
    };

    ParsedExpression(std::string_view text, NamedValues& names);
    ParsedExpression(ParsedExpression&&) noexcept;
    ParsedExpression& operator=(ParsedExpression&&) noexcept;
    ParsedExpression(const ParsedExpression&) = delete;
    ParsedExpression& operator=(const ParsedExpression&) = delete;
    ~ParsedExpression();

    /// What tokenize() gave.
    [[nodiscard]] const Evaluated<std::vector<Token>>& tokens() const { return tokens_; }
    /// In the order written, up to where something is wrong.
    [[nodiscard]] const std::vector<Read>& reads() const { return reads_; }
    [[nodiscard]] const std::optional<ExpressionError>& wrong() const { return wrong_; }

    /// Precondition: nothing is wrong, and all that it reads is defined.
    [[nodiscard]] Evaluated<double> value();
    /// value() for each point, while `cells` hold its entries: those of a point follow each other.
    [[nodiscard]] Evaluated<std::vector<double>> values(const std::vector<NamedValue*>& cells,
                                                        const std::vector<double>& points);

  private:
    struct Table {
        std::vector<NamedValue*> cells;
        std::vector<double> points;
        std::vector<double> others;  ///< values of what it reads besides
        std::vector<double> results;
    };

    /// Looks up all names, and writes the text as the parser sees it.
    [[nodiscard]] std::optional<ExpressionError> read(std::string_view text, NamedValues& names);
    /// The same of has(), which begins at token `call`.
    [[nodiscard]] std::optional<ExpressionError> read_capability(std::string_view text,
                                                                 std::size_t call,
                                                                 NamedValues& names);
    [[nodiscard]] Evaluated<double> run();
    [[nodiscard]] std::vector<double> values_besides(const std::vector<NamedValue*>& cells) const;

    Evaluated<std::vector<Token>> tokens_;
    std::vector<Read> reads_;
    std::optional<ExpressionError> wrong_;
    std::optional<double> literal_;
    std::string prepared_;                      ///< as long as the text
    std::unique_ptr<ExpressionParser> parser_;  ///< from the first value on; not for a name alone
    std::optional<Table> last_;                 ///< what many roles and copies ask for alike
};

/// Expressions and the names that they read. For one evaluator at a time.
class ParsedExpressions {
  public:
    [[nodiscard]] ParsedExpression& of(std::string_view text);
    [[nodiscard]] NamedValues& names() { return names_; }
    [[nodiscard]] std::size_t size() const { return parsed_.size(); }

  private:
    NamedValues names_;
    ByText<ParsedExpression> parsed_;
};

/// Keeps what was parsed for whoever evaluates expressions of the same file next. Safe to use from
/// several threads: those that evaluate at a time have expressions of their own.
class ExpressionPool {
  public:
    /// No name is defined.
    [[nodiscard]] std::unique_ptr<ParsedExpressions> take();
    void give_back(std::unique_ptr<ParsedExpressions> parsed);

  private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<ParsedExpressions>> idle_;
};

}  // namespace warpline
