#include "warpline/pipeline/expression_parser.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

#include <fmt/format.h>
#include <muParserTemplateMagic.h>

namespace warpline {
namespace {

double modulo(double a, double b) {
    return a - b * std::floor(a / b);
}
double ceiling(double x) {
    return std::ceil(x);
}
double floored(double x) {
    return std::floor(x);
}
double negation(double x) {
    return x == 0.0 ? 1.0 : 0.0;
}
double power_of_two_below(double x) {
    return x < 1.0 ? 0.0 : std::exp2(std::floor(std::log2(x)));
}

/// How full the waves are that `tiles` times `splits` make on `slots`.
double wave_fill(double tiles, double splits, double slots) {
    const double waves = tiles * splits / slots;
    return waves / std::ceil(waves);
}

/// The fewest splits of `blocks` whose waves are at least 85 % as full as those of the best count
/// up to `most`, as FlashAttention-2 and -3 choose them. Counts that give no tile fewer blocks than
/// one split less are not considered (`blocks` = 0: all are).
double wave_splits(double tiles, double slots, double most, double blocks) {
    if (!(tiles > 0.0) || !(slots > 0.0)) {
        return 1.0;
    }
    constexpr double most_considered = 1024.0;
    const int last = most >= 1.0 ? static_cast<int>(std::min(most, most_considered)) : 0;
    const auto considered = [&](double splits) {
        return splits == 1.0 || blocks <= 0.0 ||
               std::ceil(blocks / splits) != std::ceil(blocks / (splits - 1.0));
    };
    double best = 0.0;
    for (int splits = 1; splits <= last; ++splits) {
        best = considered(splits) ? std::max(best, wave_fill(tiles, splits, slots)) : best;
    }
    for (int splits = 1; splits <= last; ++splits) {
        if (considered(splits) && wave_fill(tiles, splits, slots) >= 0.85 * best) {
            return splits;
        }
    }
    return 1.0;
}

using Define = void (*)(mu::ParserBase&, const std::string&);

template <auto function>
void define(mu::ParserBase& parser, const std::string& name) {
    parser.DefineFun(name, function);
}

struct Function {
    std::string_view name;
    Define define;  ///< null: the parser never sees it
};

using Math = mu::MathImpl<double>;

constexpr std::array<Function, 8> functions{{{"ceil", define<ceiling>},
                                             {"floor", define<floored>},
                                             {"floor_pow2", define<power_of_two_below>},
                                             {"min", define<Math::Min>},
                                             {"max", define<Math::Max>},
                                             {"not", define<negation>},
                                             {capability_function, nullptr},
                                             {"wave_splits", define<wave_splits>}}};

/// A number at the beginning of `text`, in muParser's way of asking.
int read_number(const char* text, int* position, double* value) {
    const std::string_view rest(text);
    if (rest.empty() || std::string_view("0123456789.").find(rest.front()) == rest.npos) {
        return 0;
    }
    const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), *value);
    if (problem == std::errc::result_out_of_range) {
        *value =
            std::strtod(std::string(rest.data(), end).c_str(), nullptr);  // infinite, or next to 0
    } else if (problem != std::errc{}) {
        return 0;
    }
    *position += static_cast<int>(end - rest.data());
    return 1;
}

}  // namespace

const std::vector<std::string>& expression_functions() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        all.reserve(functions.size());
        for (const Function& function : functions) {
            all.emplace_back(function.name);
        }
        return all;
    }();
    return names;
}

ExpressionParser::ExpressionParser(const std::string& text, const std::vector<Token>& tokens)
    : text_(text) {
    AddValIdent(read_number);
    InitCharSets();
    InitOprt();
    // To define all of them would take as long as to parse.
    for (const Token& token : tokens) {
        if (token.kind != Token::Kind::call) {
            continue;
        }
        const std::string name = text_.substr(token.begin, token.end - token.begin);
        const auto called =
            std::find_if(functions.begin(), functions.end(),
                         [&](const Function& function) { return function.name == name; });
        if (called != functions.end() && called->define != nullptr) {
            called->define(*this, name);
        }
    }
    SetExpr(text_);
}

void ExpressionParser::InitCharSets() {
    constexpr const char* letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    DefineNameChars((std::string("0123456789_.") + letters).c_str());
    DefineOprtChars("+-*/%<>=!&|");
    DefineInfixOprtChars("+-");
}

void ExpressionParser::InitOprt() {
    DefineOprt("%", modulo, mu::prMUL_DIV, mu::oaLEFT, true);
    DefineInfixOprt("-", Math::UnaryMinus);
    DefineInfixOprt("+", Math::UnaryPlus);
}

Evaluated<double> ExpressionParser::evaluate() {
    try {
        const double value = Eval();
        if (GetNumResults() != 1) {
            return tl::unexpected(ExpressionError{0, "more than one value", {}});
        }
        return value;
    } catch (const exception_type& error) {
        const auto position = static_cast<std::size_t>(std::max(0, error.GetPos()));
        const std::size_t shown = std::min(position, text_.size());
        return tl::unexpected(ExpressionError{
            shown,
            shown == text_.size()
                ? std::string("the expression ends too early")
                : fmt::format("cannot read the expression from '{}' on", text_.substr(shown, 20)),
            {}});
    }
}

}  // namespace warpline
