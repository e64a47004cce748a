#include "warpline/pipeline/expression.hpp"

#include "warpline/diagnostics/failure.hpp"
#include "warpline/pipeline/expression_memo.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <muParser.h>

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
    const double last = std::min(std::floor(most), most_considered);
    const auto considered = [&](double splits) {
        return splits == 1.0 || blocks <= 0.0 ||
               std::ceil(blocks / splits) != std::ceil(blocks / (splits - 1.0));
    };
    double best = 0.0;
    for (double splits = 1.0; splits <= last; splits += 1.0) {
        best = considered(splits) ? std::max(best, wave_fill(tiles, splits, slots)) : best;
    }
    for (double splits = 1.0; splits <= last; splits += 1.0) {
        if (considered(splits) && wave_fill(tiles, splits, slots) >= 0.85 * best) {
            return splits;
        }
    }
    return 1.0;
}

const std::vector<std::string>& function_names() {
    static const std::vector<std::string> names = {"ceil", "floor", "floor_pow2", "min",
                                                   "max",  "not",   "has",        "wave_splits"};
    return names;
}

std::string_view text_of(std::string_view text, const Token& token) {
    return text.substr(token.begin, token.end - token.begin);
}

std::string suggestion(std::string_view name, const std::vector<std::string>& candidates) {
    const std::string near = nearest_name(name, candidates);
    return near.empty() ? std::string{} : fmt::format("did you mean '{}'?", near);
}

constexpr std::string_view hardware_prefix = "hw.";

}  // namespace

struct Evaluator::Impl {
    explicit Impl(const GpuSpec& gpu) : spec(gpu) {
        parser.DefineNameChars("0123456789_.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
        parser.DefineOprt("%", modulo, mu::prMUL_DIV, mu::oaLEFT, true);
        parser.DefineFun("ceil", ceiling);
        parser.DefineFun("floor", floored);
        parser.DefineFun("floor_pow2", power_of_two_below);
        parser.DefineFun("not", negation);
        parser.DefineFun("wave_splits", wave_splits);
    }

    /// Makes `name` known to the parser, or says that there is no such name.
    Evaluated<void> bind(std::string_view name, std::size_t position, bool after_number);
    /// Checks every name and returns the text the parser may see: the same length, with each
    /// has(...) replaced by its value.
    Evaluated<std::string> prepare(std::string_view text);
    Evaluated<double> run(std::string_view text);
    [[nodiscard]] Evaluated<double> finite(double value) const;
    /// The values of the names that the text prepared last reads; those of `apart` left out.
    [[nodiscard]] std::vector<std::pair<std::string, double>> values_read(
        const std::vector<std::string>& apart) const;
    void note_reads(const Remembered& entry) {
        for (const auto& [name, value] : entry.read) {
            reads.insert(name);
        }
    }

    const GpuSpec& spec;
    mu::Parser parser;
    std::map<std::string, double, std::less<>> values;  // stable addresses: the parser points here
    std::map<std::string, bool, std::less<>> bound;
    std::map<std::string, std::string, std::less<>> absent;
    ExpressionMemo memo;
    std::set<std::string, std::less<>> reads;
    std::set<std::string, std::less<>> prepared_reads;  ///< of the text prepared last
};

Evaluated<void> Evaluator::Impl::bind(std::string_view name, std::size_t position,
                                      bool after_number) {
    auto value = values.find(name);
    if (value == values.end() && name.substr(0, hardware_prefix.size()) == hardware_prefix) {
        const std::string key(name.substr(hardware_prefix.size()));
        const auto constant = spec.constants.find(key);
        if (constant == spec.constants.end()) {
            std::vector<std::string> keys;
            for (const auto& [candidate, unused] : spec.constants) {
                keys.push_back(candidate);
            }
            return tl::unexpected(ExpressionError{
                position, fmt::format("the GPU has no constant '{}'", key), suggestion(key, keys)});
        }
        value = values.emplace(std::string(name), constant->second.value).first;
    }
    if (value == values.end()) {
        if (const auto why = absent.find(name); why != absent.end()) {
            return tl::unexpected(ExpressionError{position, why->second, {}});
        }
        if (after_number) {
            return tl::unexpected(ExpressionError{position, fmt::format("unknown name '{}'", name),
                                                  "expressions are plain numbers without units: "
                                                  "write 16384, not 16384 B"});
        }
        std::vector<std::string> candidates;
        for (const auto& [candidate, unused] : values) {
            candidates.push_back(candidate);
        }
        return tl::unexpected(ExpressionError{position, fmt::format("unknown name '{}'", name),
                                              suggestion(name, candidates)});
    }
    if (name.substr(0, hardware_prefix.size()) != hardware_prefix) {
        reads.insert(value->first);
        prepared_reads.insert(value->first);
    }
    if (bound.emplace(value->first, true).second) {
        parser.DefineVar(value->first, &value->second);
    }
    return {};
}

Evaluated<std::string> Evaluator::Impl::prepare(std::string_view text) {
    prepared_reads.clear();
    const auto tokens = tokenize(text);
    if (!tokens) {
        return tl::unexpected(tokens.error());
    }
    std::string prepared(text);
    std::replace(prepared.begin(), prepared.end(), '\n', ' ');
    for (std::size_t i = 0; i < tokens->size(); ++i) {
        const Token& token = (*tokens)[i];
        const std::string_view name = text_of(text, token);
        if (token.kind == Token::Kind::name) {
            const bool after_number = i > 0 && (*tokens)[i - 1].kind == Token::Kind::number;
            if (auto known = bind(name, token.begin, after_number); !known) {
                return tl::unexpected(known.error());
            }
        }
        if (token.kind != Token::Kind::call) {
            continue;
        }
        const auto& functions = function_names();
        if (std::find(functions.begin(), functions.end(), name) == functions.end()) {
            return tl::unexpected(ExpressionError{token.begin,
                                                  fmt::format("unknown function '{}'", name),
                                                  suggestion(name, functions)});
        }
        if (name == "has") {
            if (i + 3 >= tokens->size() || (*tokens)[i + 2].kind != Token::Kind::name ||
                (*tokens)[i + 3].kind != Token::Kind::close) {
                return tl::unexpected(ExpressionError{token.begin, "has() takes one capability",
                                                      "for example has(tcgen05)"});
            }
            const std::string capability(text_of(text, (*tokens)[i + 2]));
            const auto& known = known_capabilities();
            if (!std::binary_search(known.begin(), known.end(), capability)) {
                return tl::unexpected(ExpressionError{
                    (*tokens)[i + 2].begin, fmt::format("no GPU has a capability '{}'", capability),
                    suggestion(capability, known)});
            }
            const bool present = spec.has(capability);
            const std::size_t end = (*tokens)[i + 3].end;
            prepared.replace(token.begin, end - token.begin,
                             std::string(end - token.begin - 1, ' ') + (present ? "1" : "0"));
            i += 3;
        }
    }
    return prepared;
}

std::vector<std::pair<std::string, double>> Evaluator::Impl::values_read(
    const std::vector<std::string>& apart) const {
    std::vector<std::pair<std::string, double>> read;
    for (const std::string& name : prepared_reads) {
        if (std::find(apart.begin(), apart.end(), name) == apart.end()) {
            read.emplace_back(name, values.find(name)->second);
        }
    }
    return read;
}

Evaluated<double> Evaluator::Impl::finite(double value) const {
    if (!std::isfinite(value)) {
        return tl::unexpected(ExpressionError{
            0, std::isnan(value) ? "the value is not a number" : "the value is infinite",
            "a division by zero?", /*of_value=*/true});
    }
    return value;
}

Evaluated<double> Evaluator::Impl::run(std::string_view text) {
    try {
        const double value = parser.Eval();
        if (parser.GetNumResults() != 1) {
            return tl::unexpected(ExpressionError{0, "more than one value", {}});
        }
        return finite(value);
    } catch (const mu::Parser::exception_type& error) {
        const auto position = static_cast<std::size_t>(std::max(0, error.GetPos()));
        const std::size_t shown = std::min(position, text.size());
        return tl::unexpected(ExpressionError{
            shown,
            shown == text.size()
                ? std::string("the expression ends too early")
                : fmt::format("cannot read the expression from '{}' on", text.substr(shown, 20)),
            {}});
    }
}

Evaluator::Evaluator(const GpuSpec& spec) : impl_(std::make_unique<Impl>(spec)) {}
Evaluator::~Evaluator() = default;
Evaluator::Evaluator(Evaluator&&) noexcept = default;

void Evaluator::define(const std::string& name, double value) {
    impl_->values.insert_or_assign(name, value);
}

void Evaluator::remove(const std::string& name) {
    if (const auto entry = impl_->bound.find(name); entry != impl_->bound.end()) {
        impl_->parser.RemoveVar(name);
        impl_->bound.erase(entry);
    }
    impl_->values.erase(name);
}

bool Evaluator::defines(const std::string& name) const {
    return impl_->values.count(name) != 0;
}

std::optional<double> Evaluator::value_of(const std::string& name) const {
    const auto found = impl_->values.find(name);
    return found == impl_->values.end() ? std::nullopt : std::optional(found->second);
}

const std::set<std::string, std::less<>>& Evaluator::reads() const {
    return impl_->reads;
}

void Evaluator::forget_reads() {
    impl_->reads.clear();
}

void Evaluator::explain_absence(const std::string& name, std::string message) {
    impl_->absent[name] = std::move(message);
}

Evaluated<double> Evaluator::number(std::string_view text) {
    // Most expressions of a file are a literal or a name: the parser is not needed for these.
    double literal = 0.0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), literal);
    if (problem == std::errc{} && end == text.data() + text.size() && std::isfinite(literal)) {
        return literal;
    }
    if (const auto value = impl_->values.find(text); value != impl_->values.end()) {
        impl_->reads.insert(value->first);
        return impl_->finite(value->second);
    }
    const std::string key(text);
    if (const Remembered* known = impl_->memo.find(key, {}, impl_->values)) {
        impl_->note_reads(*known);
        return known->results.front();
    }
    auto prepared = impl_->prepare(text);
    if (!prepared) {
        return tl::unexpected(prepared.error());
    }
    impl_->parser.SetExpr(*prepared);
    const auto value = impl_->run(text);
    if (value) {
        impl_->memo.keep(key, {impl_->values_read({}), {}, {*value}});
    }
    return value;
}

Evaluated<std::vector<double>> Evaluator::tabulate(std::string_view text,
                                                   const std::vector<std::string>& names,
                                                   const std::vector<std::vector<double>>& points) {
    const std::string key = fmt::format("{}\n{}", text, fmt::join(names, " "));
    if (const Remembered* known = impl_->memo.find(key, points, impl_->values)) {
        impl_->note_reads(*known);
        return known->results;
    }
    std::vector<std::pair<std::string, double>> hidden;
    std::vector<double*> cells;
    for (const std::string& name : names) {
        const auto [entry, added] = impl_->values.emplace(name, 0.0);
        if (!added) {
            hidden.emplace_back(name, entry->second);
        }
        cells.push_back(&entry->second);
    }
    const auto evaluate = [&]() -> Evaluated<std::vector<double>> {
        auto prepared = impl_->prepare(text);
        if (!prepared) {
            return tl::unexpected(prepared.error());
        }
        impl_->parser.SetExpr(*prepared);
        std::vector<double> results;
        for (const std::vector<double>& point : points) {
            for (std::size_t i = 0; i < names.size(); ++i) {
                *cells[i] = point[i];
            }
            const auto value = impl_->run(text);
            if (!value) {
                return tl::unexpected(value.error());
            }
            results.push_back(*value);
        }
        impl_->memo.keep(key, {impl_->values_read(names), points, results});
        return results;
    };
    auto results = evaluate();
    for (const std::string& name : names) {
        const auto before = std::find_if(hidden.begin(), hidden.end(),
                                         [&](const auto& entry) { return entry.first == name; });
        if (before != hidden.end()) {
            impl_->values.find(name)->second = before->second;
        } else {
            if (impl_->bound.erase(name) != 0) {
                impl_->parser.RemoveVar(name);
            }
            impl_->values.erase(name);
        }
    }
    return results;
}

}  // namespace warpline
