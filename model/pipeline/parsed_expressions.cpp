#include "warpline/pipeline/parsed_expressions.hpp"

#include "warpline/diagnostics/failure.hpp"
#include "warpline/pipeline/expression_parser.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::string_view hardware_prefix = "hw.";

/// Of a file and of what is set on command lines: beyond, all are forgotten.
constexpr std::size_t most_expressions = 8192;

std::string_view text_of(std::string_view text, const Token& token) {
    return text.substr(token.begin, token.end - token.begin);
}

std::optional<double> literal_of(std::string_view text) {
    double literal = 0.0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), literal);
    const bool whole = problem == std::errc{} && end == text.data() + text.size();
    return whole && std::isfinite(literal) ? std::optional(literal) : std::nullopt;
}

/// As the parser knows it. That of a capability is shorter than what is written, and no name that a
/// file defines has a dot.
std::string variable_of(const NamedValue& named) {
    switch (named.kind) {
        case NamedValue::Kind::constant:
            return std::string(hardware_prefix) + named.name;
        case NamedValue::Kind::capability:
            return fmt::format("{}.{}", capability_function, named.name);
        case NamedValue::Kind::name:
            break;
    }
    return named.name;
}

Evaluated<double> finite(double value) {
    if (!std::isfinite(value)) {
        return tl::unexpected(ExpressionError{
            0, std::isnan(value) ? "the value is not a number" : "the value is infinite",
            "a division by zero?", /*of_value=*/true});
    }
    return value;
}

}  // namespace

std::string suggestion(std::string_view name, const std::vector<std::string>& candidates) {
    const std::string near = nearest_name(name, candidates);
    return near.empty() ? std::string{} : fmt::format("did you mean '{}'?", near);
}

NamedValue& NamedValues::at(std::string_view written) {
    if (const auto known = written_.find(written); known != written_.end()) {
        return known->second;
    }
    NamedValue fresh;
    fresh.name = written;
    if (written.substr(0, hardware_prefix.size()) == hardware_prefix) {
        fresh.kind = NamedValue::Kind::constant;
        fresh.name = written.substr(hardware_prefix.size());
    }
    return written_.emplace(written, std::move(fresh)).first->second;
}

NamedValue& NamedValues::capability(std::string_view name) {
    NamedValue fresh;
    fresh.kind = NamedValue::Kind::capability;
    fresh.name = name;
    return capabilities_.emplace(name, std::move(fresh)).first->second;
}

const NamedValue* NamedValues::find(std::string_view written) const {
    const auto known = written_.find(written);
    return known == written_.end() ? nullptr : &known->second;
}

std::vector<std::string> NamedValues::defined() const {
    std::vector<std::string> names;
    for (const auto& [written, value] : written_) {
        if (value.defined) {
            names.push_back(written);
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

void NamedValues::undefine_all() {
    for (ByText<NamedValue>* const values : {&written_, &capabilities_}) {
        for (auto& [written, value] : *values) {
            value.defined = value.asked = false;
        }
    }
}

ParsedExpression::ParsedExpression(std::string_view text, NamedValues& names)
    : tokens_(tokenize(text)), literal_(literal_of(text)) {
    if (!tokens_) {
        wrong_ = tokens_.error();
    } else if (!literal_) {
        wrong_ = read(text, names);
    }
}

ParsedExpression::ParsedExpression(ParsedExpression&&) noexcept = default;
ParsedExpression& ParsedExpression::operator=(ParsedExpression&&) noexcept = default;
ParsedExpression::~ParsedExpression() = default;

std::optional<ExpressionError> ParsedExpression::read(std::string_view text, NamedValues& names) {
    prepared_ = text;
    std::replace(prepared_.begin(), prepared_.end(), '\n', ' ');
    const std::vector<Token>& tokens = *tokens_;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const std::string_view name = text_of(text, tokens[i]);
        const std::size_t position = tokens[i].begin;
        if (tokens[i].kind == Token::Kind::name) {
            reads_.push_back(
                {&names.at(name), position, i > 0 && tokens[i - 1].kind == Token::Kind::number});
        }
        if (tokens[i].kind != Token::Kind::call) {
            continue;
        }
        const std::vector<std::string>& functions = expression_functions();
        if (std::find(functions.begin(), functions.end(), name) == functions.end()) {
            return ExpressionError{position, fmt::format("unknown function '{}'", name),
                                   suggestion(name, functions)};
        }
        if (name == capability_function) {
            if (auto wrong = read_capability(text, i, names)) {
                return wrong;
            }
            i += 3;  // the parenthesis, the name and the other parenthesis
        }
    }
    return std::nullopt;
}

std::optional<ExpressionError> ParsedExpression::read_capability(std::string_view text,
                                                                 std::size_t call,
                                                                 NamedValues& names) {
    const std::vector<Token>& tokens = *tokens_;
    const std::size_t position = tokens[call].begin;
    if (call + 3 >= tokens.size() || tokens[call + 2].kind != Token::Kind::name ||
        tokens[call + 3].kind != Token::Kind::close) {
        return ExpressionError{position, "has() takes one capability", "for example has(tcgen05)"};
    }
    const std::string capability(text_of(text, tokens[call + 2]));
    const auto& known = known_capabilities();
    if (!std::binary_search(known.begin(), known.end(), capability)) {
        return ExpressionError{tokens[call + 2].begin,
                               fmt::format("no GPU has a capability '{}'", capability),
                               suggestion(capability, known)};
    }
    NamedValue& present = names.capability(capability);
    std::string variable = variable_of(present);
    variable.resize(tokens[call + 3].end - position, ' ');
    prepared_.replace(position, variable.size(), variable);
    reads_.push_back({&present, position, false});
    return std::nullopt;
}

Evaluated<double> ParsedExpression::value() {
    if (literal_) {
        return *literal_;
    }
    if (tokens_->size() == 1 && reads_.size() == 1) {
        return finite(reads_.front().of->value);
    }
    return run();
}

Evaluated<double> ParsedExpression::run() {
    if (parser_ == nullptr) {
        parser_ = std::make_unique<ExpressionParser>(prepared_, *tokens_);
        for (const Read& read : reads_) {
            parser_->bind(variable_of(*read.of), read.of->value);
        }
    }
    const auto value = parser_->evaluate();
    return value ? finite(*value) : value;
}

std::vector<double> ParsedExpression::values_besides(const std::vector<NamedValue*>& cells) const {
    std::vector<double> values;
    for (const Read& read : reads_) {
        if (std::find(cells.begin(), cells.end(), read.of) == cells.end()) {
            values.push_back(read.of->value);
        }
    }
    return values;
}

Evaluated<std::vector<double>> ParsedExpression::values(const std::vector<NamedValue*>& cells,
                                                        const std::vector<double>& points) {
    std::vector<double> others = values_besides(cells);
    if (last_ && last_->cells == cells && last_->others == others && last_->points == points) {
        return last_->results;
    }
    std::vector<double> results;
    results.reserve(points.size() / cells.size());
    for (std::size_t point = 0; point < points.size(); point += cells.size()) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            cells[i]->value = points[point + i];
        }
        const auto one = value();
        if (!one) {
            return tl::unexpected(one.error());
        }
        results.push_back(*one);
    }
    last_ = Table{cells, points, std::move(others), results};
    return results;
}

ParsedExpression& ParsedExpressions::of(std::string_view text) {
    if (const auto known = parsed_.find(text); known != parsed_.end()) {
        return known->second;
    }
    return parsed_.emplace(text, ParsedExpression(text, names_)).first->second;
}

std::unique_ptr<ParsedExpressions> ExpressionPool::take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (idle_.empty()) {
        return std::make_unique<ParsedExpressions>();
    }
    auto parsed = std::move(idle_.back());
    idle_.pop_back();
    return parsed;
}

void ExpressionPool::give_back(std::unique_ptr<ParsedExpressions> parsed) {
    if (parsed->size() > most_expressions) {
        return;
    }
    parsed->names().undefine_all();
    const std::lock_guard<std::mutex> lock(mutex_);
    idle_.push_back(std::move(parsed));
}

}  // namespace warpline
