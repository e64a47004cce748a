#include "warpline/pipeline/condition.hpp"

#include "warpline/pipeline/affine.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::int64_t longest_period = 1 << 20;
/// A chance may vary over this many iterations; from there on it keeps its last value.
constexpr int chance_iterations = 256;

/// A part of the condition's text that knows where it begins, so that errors point right.
struct Part {
    std::string_view text;
    std::size_t begin = 0;

    [[nodiscard]] Part from(std::size_t at, std::size_t length = std::string_view::npos) const {
        return {text.substr(at, length), begin + at};
    }
    [[nodiscard]] Part trimmed() const {
        const std::size_t first = text.find_first_not_of(" \t\n");
        if (first == std::string_view::npos) {
            return from(text.size());
        }
        return from(first, text.find_last_not_of(" \t\n") - first + 1);
    }
    [[nodiscard]] ExpressionError moved(ExpressionError error) const {
        error.position += begin;
        return error;
    }
    [[nodiscard]] tl::unexpected<ExpressionError> error(std::string message, std::string hint,
                                                        bool of_value) const {
        return tl::unexpected(
            ExpressionError{begin, std::move(message), std::move(hint), of_value});
    }
};

/// What follows `word`, when the part begins with it.
std::optional<Part> after_word(const Part& part, std::string_view word) {
    if (part.text.substr(0, word.size()) != word) {
        return std::nullopt;
    }
    const Part rest = part.from(word.size());
    if (!rest.text.empty() &&
        std::string_view(" \t\n").find(rest.text.front()) == std::string_view::npos) {
        return std::nullopt;
    }
    return rest.trimmed();
}

Evaluated<Affine> affine_of(Evaluator& evaluator, const Part& part) {
    auto value = evaluate_affine(evaluator, part.text);
    if (!value) {
        return tl::unexpected(part.moved(value.error()));
    }
    return value;
}

Evaluated<std::int64_t> whole_of(Evaluator& evaluator, const Part& part, std::int64_t low,
                                 std::int64_t high) {
    const auto value = evaluator.number(part.text);
    if (!value) {
        return tl::unexpected(part.moved(value.error()));
    }
    if (*value != std::floor(*value) || *value < static_cast<double>(low) ||
        *value > static_cast<double>(high)) {
        return part.error(
            fmt::format("must be a whole number from {} to {}, is {}", low, high, *value), {},
            true);
    }
    return static_cast<std::int64_t>(*value);
}

Evaluated<Condition> single(Predicate predicate) {
    Condition condition;
    condition.all.push_back(std::move(predicate));
    return condition;
}

Evaluated<Condition> at_edge(Evaluator& evaluator, Predicate::Kind kind, const Part& part) {
    Predicate predicate;
    predicate.kind = kind;
    predicate.value.constant = 1;
    if (!part.text.empty()) {
        const auto value = affine_of(evaluator, part);
        if (!value) {
            return tl::unexpected(value.error());
        }
        predicate.value = *value;
    }
    return single(std::move(predicate));
}

Evaluated<Condition> every(Evaluator& evaluator, const Part& part) {
    Predicate predicate;
    predicate.kind = Predicate::Kind::every;
    const std::size_t word = part.text.find(" offset ");
    const auto period = whole_of(evaluator, part.from(0, word).trimmed(), 1, longest_period);
    if (!period) {
        return tl::unexpected(period.error());
    }
    predicate.period = *period;
    if (word != std::string_view::npos) {
        const auto offset = whole_of(evaluator, part.from(word + 8).trimmed(), 0, *period - 1);
        if (!offset) {
            return tl::unexpected(offset.error());
        }
        predicate.offset = *offset;
    }
    return single(std::move(predicate));
}

/// To the nearest, halves up. Precondition: not negative.
int rounded(double value) {
    const int below = static_cast<int>(value);
    return below + (value - below >= 0.5 ? 1 : 0);
}

const std::vector<double>& first_iterations() {
    static const std::vector<double> iterations = [] {
        std::vector<double> all(chance_iterations);
        std::iota(all.begin(), all.end(), 0.0);
        return all;
    }();
    return iterations;
}

Evaluated<Condition> chance(Evaluator& evaluator, const Part& part) {
    std::vector<double> shares;
    if (evaluator.mentions(part.text, {"index"})) {
        auto table = evaluator.tabulate(part.text, {"index"}, first_iterations());
        if (!table) {
            return tl::unexpected(part.moved(table.error()));
        }
        shares = std::move(*table);
    } else {
        const auto share = evaluator.number(part.text);
        if (!share) {
            return tl::unexpected(part.moved(share.error()));
        }
        shares = {*share};
    }
    Predicate predicate;
    predicate.kind = Predicate::Kind::chance;
    predicate.chance_64ths.reserve(shares.size());
    for (const double share : shares) {
        if (share < 0.0 || share > 1.0) {
            return part.error(fmt::format("a chance must lie between 0 and 1, is {}", share), {},
                              true);
        }
        predicate.chance_64ths.push_back(rounded(share * 64.0));
    }
    std::vector<int>& shares_64 = predicate.chance_64ths;
    while (shares_64.size() > 1 && shares_64.back() == shares_64[shares_64.size() - 2]) {
        shares_64.pop_back();
    }
    if (shares_64.size() == 1 && (shares_64[0] == 0 || shares_64[0] == 64)) {
        return Condition{shares_64[0] == 64, {}, false};
    }
    return single(std::move(predicate));
}

bool is_comparison(std::string_view op) {
    return op == "<" || op == ">" || op == "<=" || op == ">=" || op == "==" || op == "!=";
}

/// left - right - margin >= 0
Predicate at_least(const Affine& left, const Affine& right, std::int64_t margin) {
    Predicate predicate;
    predicate.kind = Predicate::Kind::at_least;
    predicate.value = {left.constant - right.constant - margin, left.blocks - right.blocks,
                       left.masked_first - right.masked_first,
                       left.masked_last - right.masked_last};
    return predicate;
}

/// A comparison with tile quantities on one side or both.
Evaluated<Condition> comparison(Evaluator& evaluator, const Part& part) {
    const auto& tokens = evaluator.tokens(part.text);
    const Token* op = nullptr;
    for (const Token& token : *tokens) {
        const std::string_view text = part.text.substr(token.begin, token.end - token.begin);
        if (token.kind == Token::Kind::op && token.depth == 0 && (text == "||" || text == "?")) {
            op = nullptr;
            break;
        }
        if (token.kind == Token::Kind::op && token.depth == 0 && is_comparison(text)) {
            op = &token;
        }
    }
    if (op == nullptr) {
        return part.error("a condition on the tile must be a comparison",
                          "for example blocks >= 2, joined by && where needed", false);
    }
    const std::string_view sign = part.text.substr(op->begin, op->end - op->begin);
    const auto left = affine_of(evaluator, part.from(0, op->begin).trimmed());
    if (!left) {
        return tl::unexpected(left.error());
    }
    const auto right = affine_of(evaluator, part.from(op->end).trimmed());
    if (!right) {
        return tl::unexpected(right.error());
    }
    Condition condition;
    if (sign == ">=" || sign == ">") {
        condition.all = {at_least(*left, *right, sign == ">" ? 1 : 0)};
    } else if (sign == "<=" || sign == "<") {
        condition.all = {at_least(*right, *left, sign == "<" ? 1 : 0)};
    } else {
        condition.all = {at_least(*left, *right, 0), at_least(*right, *left, 0)};
        condition.negate = sign == "!=";
    }
    return condition;
}

/// The terms of a conjunction; one term when the expression is not one.
std::vector<Part> terms_of(const Part& part, const std::vector<Token>& tokens) {
    std::vector<Part> terms;
    std::size_t begin = 0;
    for (const Token& token : tokens) {
        if (token.kind != Token::Kind::op || token.depth != 0) {
            continue;
        }
        const std::string_view op = part.text.substr(token.begin, token.end - token.begin);
        if (op == "||" || op == "?") {
            return {part};
        }
        if (op == "&&") {
            terms.push_back(part.from(begin, token.begin - begin).trimmed());
            begin = token.end;
        }
    }
    terms.push_back(part.from(begin).trimmed());
    return terms;
}

Evaluated<Condition> conjunction(Evaluator& evaluator, const Part& part) {
    const auto& tokens = evaluator.tokens(part.text);
    if (!tokens) {
        return tl::unexpected(part.moved(tokens.error()));
    }
    const std::vector<Part> terms = terms_of(part, *tokens);
    Condition condition;
    for (const Part& term : terms) {
        if (!evaluator.mentions(term.text, tile_names())) {
            const auto value = evaluator.number(term.text);
            if (!value) {
                return tl::unexpected(term.moved(value.error()));
            }
            condition.value = condition.value && *value != 0.0;
            continue;
        }
        auto compared = comparison(evaluator, term);
        if (!compared) {
            return compared;
        }
        if (compared->negate && terms.size() > 1) {
            return term.error("!= cannot be joined with other conditions", "nest two whens", false);
        }
        condition.negate = compared->negate;
        condition.all.insert(condition.all.end(), compared->all.begin(), compared->all.end());
    }
    if (!condition.value) {
        return Condition{false, {}, false};
    }
    return condition;
}

/// What the parentheses hold that open at token `open` and close at the end of the text.
std::optional<Part> inside_parentheses(const Part& part, const std::vector<Token>& tokens,
                                       std::size_t open) {
    if (tokens.size() < open + 3 || tokens[open].kind != Token::Kind::open ||
        tokens.back().kind != Token::Kind::close) {
        return std::nullopt;
    }
    const bool closes_early =
        std::any_of(tokens.begin() + static_cast<std::ptrdiff_t>(open) + 1, tokens.end() - 1,
                    [](const Token& token) { return token.depth == 0; });
    if (closes_early) {
        return std::nullopt;
    }
    const std::size_t begin = tokens[open].end;
    return part.from(begin, tokens.back().begin - begin).trimmed();
}

Evaluated<Condition> positive(Evaluator& evaluator, const Part& part) {
    if (const auto rest = after_word(part, "first")) {
        return at_edge(evaluator, Predicate::Kind::first, *rest);
    }
    if (const auto rest = after_word(part, "last")) {
        return at_edge(evaluator, Predicate::Kind::last, *rest);
    }
    if (const auto rest = after_word(part, "every")) {
        return every(evaluator, *rest);
    }
    if (const auto rest = after_word(part, "chance")) {
        return chance(evaluator, *rest);
    }
    if (part.text == "masked") {
        Predicate predicate;
        predicate.kind = Predicate::Kind::masked;
        return single(std::move(predicate));
    }
    return conjunction(evaluator, part);
}

}  // namespace

Evaluated<Condition> evaluate_condition(Evaluator& evaluator, std::string_view text) {
    Part part = Part{text, 0}.trimmed();
    bool negate = false;
    while (true) {
        if (const auto rest = after_word(part, "not"); rest && !rest->text.empty()) {
            negate = !negate;
            part = *rest;
            continue;
        }
        const auto& tokens = evaluator.tokens(part.text);
        if (!tokens) {
            break;
        }
        const bool call = part.text.substr(0, tokens->front().end) == "not";
        const auto inside = inside_parentheses(part, *tokens, call ? 1 : 0);
        if (!inside) {
            break;
        }
        negate = negate != call;
        part = *inside;
    }
    auto condition = positive(evaluator, part);
    if (condition && negate) {
        condition->negate = !condition->negate;
        condition->value = !condition->value;
    }
    if (condition && condition->all.size() == 1 && condition->negate) {
        condition->all.front().negate = true;
        condition->negate = false;
    }
    return condition;
}

bool needs_loop(const Condition& condition) {
    return std::any_of(condition.all.begin(), condition.all.end(), [](const Predicate& predicate) {
        return predicate.kind != Predicate::Kind::at_least;
    });
}

}  // namespace warpline
