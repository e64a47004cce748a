#include "warpline/pipeline/expression.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::size_t longest_expression = 1000;
constexpr int deepest_parentheses = 64;

bool starts_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool continues_name(char c) {
    return starts_name(c) || is_digit(c) || c == '.';
}

tl::unexpected<ExpressionError> error_at(std::size_t position, std::string message,
                                         std::string hint = {}) {
    return tl::unexpected(
        ExpressionError{position, std::move(message), std::move(hint), /*of_value=*/false});
}

std::size_t end_of_digits(std::string_view text, std::size_t at) {
    while (at < text.size() && is_digit(text[at])) {
        ++at;
    }
    return at;
}

/// End of the number that begins at `at`: digits, fraction, exponent.
std::size_t end_of_number(std::string_view text, std::size_t at) {
    std::size_t end = end_of_digits(text, at);
    if (end < text.size() && text[end] == '.') {
        end = end_of_digits(text, end + 1);
    }
    if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
        std::size_t exponent = end + 1;
        if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-')) {
            ++exponent;
        }
        if (const std::size_t last = end_of_digits(text, exponent); last > exponent) {
            end = last;
        }
    }
    return end;
}

/// Length of the operator at `at`, 0 if there is none.
std::size_t operator_length(std::string_view rest) {
    static constexpr std::array<std::string_view, 6> two = {"<=", ">=", "==", "!=", "&&", "||"};
    if (std::any_of(two.begin(), two.end(),
                    [rest](std::string_view op) { return rest.substr(0, 2) == op; })) {
        return 2;
    }
    return std::string_view("+-*/%<>?:").find(rest.front()) == std::string_view::npos ? 0 : 1;
}

std::string hint_for(char c) {
    switch (c) {
        case '=':
            return "a comparison is written ==";
        case '!':
            return "negation is written not(x)";
        case '&':
        case '|':
            return "write && or ||";
        case '^':
            return "write products";
        default:
            return {};
    }
}

class Tokenizer {
  public:
    explicit Tokenizer(std::string_view text) : text_(text) {}

    Evaluated<std::vector<Token>> run() {
        if (text_.size() > longest_expression) {
            return error_at(0,
                            fmt::format("an expression of {} characters is too long (at most {})",
                                        text_.size(), longest_expression));
        }
        while (at_ < text_.size()) {
            if (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n') {
                ++at_;
                continue;
            }
            if (auto step = next(); !step) {
                return tl::unexpected(step.error());
            }
        }
        if (!open_.empty()) {
            return error_at(open_.back().position, "this parenthesis is not closed");
        }
        if (tokens_.empty()) {
            return error_at(0, "the expression is empty");
        }
        return std::move(tokens_);
    }

  private:
    struct Open {
        std::size_t position;
        bool of_call;
    };

    void push(Token::Kind kind, std::size_t end) {
        tokens_.push_back({kind, at_, end, static_cast<int>(open_.size())});
        at_ = end;
    }

    Evaluated<void> next() {
        const char c = text_[at_];
        if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) {
            return number();
        }
        if (starts_name(c)) {
            std::size_t end = at_;
            while (end < text_.size() && continues_name(text_[end])) {
                ++end;
            }
            const std::size_t after = text_.find_first_not_of(" \t\n", end);
            const bool call = after != std::string_view::npos && text_[after] == '(';
            push(call ? Token::Kind::call : Token::Kind::name, end);
            return {};
        }
        if (c == '(' || c == ')' || c == ',') {
            return punctuation(c);
        }
        const std::size_t length = operator_length(text_.substr(at_));
        if (length == 0) {
            const bool printable = std::isprint(static_cast<unsigned char>(c)) != 0;
            return error_at(at_,
                            printable
                                ? fmt::format("unexpected '{}'", c)
                                : fmt::format("unexpected byte 0x{:02x}",
                                              static_cast<unsigned>(static_cast<unsigned char>(c))),
                            hint_for(c));
        }
        push(Token::Kind::op, at_ + length);
        return {};
    }

    Evaluated<void> number() {
        const std::size_t end = end_of_number(text_, at_);
        if (end < text_.size() && continues_name(text_[end])) {
            return error_at(end, "a number must be followed by an operator",
                            "numbers have no units here");
        }
        push(Token::Kind::number, end);
        return {};
    }

    Evaluated<void> punctuation(char c) {
        if (c == '(') {
            const bool of_call = !tokens_.empty() && tokens_.back().kind == Token::Kind::call &&
                                 text_.find_first_not_of(" \t\n", tokens_.back().end) == at_;
            const std::size_t position = at_;
            push(Token::Kind::open, at_ + 1);
            open_.push_back({position, of_call});
            if (open_.size() > static_cast<std::size_t>(deepest_parentheses)) {
                return error_at(position, "parentheses are nested too deeply");
            }
            return {};
        }
        if (open_.empty() || (c == ',' && !open_.back().of_call)) {
            return error_at(at_, c == ',' ? "a comma outside a function's arguments"
                                          : "this parenthesis was not opened");
        }
        if (c == ')') {
            open_.pop_back();
            push(Token::Kind::close, at_ + 1);
        } else {
            push(Token::Kind::comma, at_ + 1);
        }
        return {};
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::vector<Token> tokens_;
    std::vector<Open> open_;
};

}  // namespace

Evaluated<std::vector<Token>> tokenize(std::string_view text) {
    return Tokenizer(text).run();
}

bool is_identifier(std::string_view text) {
    return !text.empty() && starts_name(text.front()) &&
           std::all_of(text.begin(), text.end(),
                       [](char c) { return continues_name(c) && c != '.'; });
}

}  // namespace warpline
