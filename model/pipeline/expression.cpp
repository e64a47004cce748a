#include "warpline/pipeline/expression.hpp"

#include "warpline/pipeline/parsed_expressions.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace warpline {

struct Evaluator::Impl {
    Impl(const GpuSpec& gpu, std::shared_ptr<ExpressionPool> pool)
        : spec(gpu), keeper(std::move(pool)), parsed(keeper->take()), names(parsed->names()) {}
    ~Impl() { keeper->give_back(std::move(parsed)); }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    /// Makes sure that each name an expression reads has a value, and notes that it was asked for.
    [[nodiscard]] Evaluated<void> bind(const ParsedExpression& expression);
    /// Of the specification. False: it has no such constant.
    [[nodiscard]] bool define_from_spec(NamedValue& named) const;
    [[nodiscard]] ExpressionError absence_of(const ParsedExpression::Read& read) const;

    const GpuSpec& spec;
    std::shared_ptr<ExpressionPool> keeper;
    std::unique_ptr<ParsedExpressions> parsed;
    NamedValues& names;
    std::vector<NamedValue*> asked;
    std::map<std::string, std::string, std::less<>> absent;
};

bool Evaluator::Impl::define_from_spec(NamedValue& named) const {
    if (named.kind == NamedValue::Kind::capability) {
        named.value = spec.has(named.name) ? 1.0 : 0.0;
        return named.defined = true;
    }
    const auto constant = spec.constants.find(named.name);
    if (constant == spec.constants.end()) {
        return false;
    }
    named.value = constant->second.value;
    return named.defined = true;
}

ExpressionError Evaluator::Impl::absence_of(const ParsedExpression::Read& read) const {
    const std::string& name = read.of->name;
    if (read.of->kind == NamedValue::Kind::constant) {
        std::vector<std::string> keys;
        for (const auto& [candidate, unused] : spec.constants) {
            keys.push_back(candidate);
        }
        return {read.position, fmt::format("the GPU has no constant '{}'", name),
                suggestion(name, keys)};
    }
    if (const auto why = absent.find(name); why != absent.end()) {
        return {read.position, why->second, {}};
    }
    const std::string message = fmt::format("unknown name '{}'", name);
    if (read.after_number) {
        return {read.position, message,
                "expressions are plain numbers without units: write 16384, not 16384 B"};
    }
    return {read.position, message, suggestion(name, names.defined())};
}

Evaluated<void> Evaluator::Impl::bind(const ParsedExpression& expression) {
    for (const ParsedExpression::Read& read : expression.reads()) {
        NamedValue& named = *read.of;
        const bool of_spec = named.kind != NamedValue::Kind::name;
        if (!named.defined && !(of_spec && define_from_spec(named))) {
            return tl::unexpected(absence_of(read));
        }
        if (!of_spec && !named.asked) {
            named.asked = true;
            asked.push_back(&named);
        }
    }
    if (expression.wrong()) {
        return tl::unexpected(*expression.wrong());
    }
    return {};
}

Evaluator::Evaluator(const GpuSpec& spec, std::shared_ptr<ExpressionPool> pool)
    : impl_(std::make_unique<Impl>(spec,
                                   pool ? std::move(pool) : std::make_shared<ExpressionPool>())) {}
Evaluator::~Evaluator() = default;
Evaluator::Evaluator(Evaluator&&) noexcept = default;

void Evaluator::define(std::string_view name, double value) {
    NamedValue& named = impl_->names.at(name);
    named.value = value;
    named.defined = true;
}

void Evaluator::remove(std::string_view name) {
    impl_->names.at(name).defined = false;
}

bool Evaluator::defines(std::string_view name) const {
    return value_of(name).has_value();
}

std::optional<double> Evaluator::value_of(std::string_view name) const {
    const NamedValue* const named = impl_->names.find(name);
    return named != nullptr && named->defined ? std::optional(named->value) : std::nullopt;
}

std::vector<std::string> Evaluator::asked() const {
    std::vector<std::string> names;
    for (const NamedValue* const named : impl_->asked) {
        names.push_back(named->name);
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::vector<std::pair<std::string, double>> Evaluator::asked_values() const {
    std::vector<std::pair<std::string, double>> values;
    values.reserve(impl_->asked.size());
    for (const NamedValue* const named : impl_->asked) {
        values.emplace_back(named->name, named->defined ? named->value : 0.0);
    }
    return values;
}

void Evaluator::forget_asked() {
    for (NamedValue* const named : impl_->asked) {
        named->asked = false;
    }
    impl_->asked.clear();
}

void Evaluator::explain_absence(const std::string& name, std::string message) {
    impl_->absent[name] = std::move(message);
}

Evaluated<double> Evaluator::number(std::string_view text) {
    ParsedExpression& expression = impl_->parsed->of(text);
    if (auto known = impl_->bind(expression); !known) {
        return tl::unexpected(std::move(known.error()));
    }
    return expression.value();
}

Evaluated<std::vector<double>> Evaluator::tabulate(std::string_view text,
                                                   const std::vector<std::string>& names,
                                                   const std::vector<double>& points) {
    ParsedExpression& expression = impl_->parsed->of(text);
    std::vector<NamedValue*> cells;
    std::vector<std::pair<double, bool>> hidden;  // values, and whether defined
    for (const std::string& name : names) {
        NamedValue& cell = impl_->names.at(name);
        hidden.emplace_back(cell.value, cell.defined);
        cell.defined = true;
        cells.push_back(&cell);
    }
    const auto bound = impl_->bind(expression);
    auto results = bound ? expression.values(cells, points)
                         : Evaluated<std::vector<double>>(tl::unexpected(bound.error()));
    for (std::size_t i = 0; i < cells.size(); ++i) {
        std::tie(cells[i]->value, cells[i]->defined) = hidden[i];
    }
    return results;
}

const Evaluated<std::vector<Token>>& Evaluator::tokens(std::string_view text) {
    return impl_->parsed->of(text).tokens();
}

bool Evaluator::mentions(std::string_view text, const std::vector<std::string>& names) {
    const auto& reads = impl_->parsed->of(text).reads();
    return std::any_of(reads.begin(), reads.end(), [&](const ParsedExpression::Read& read) {
        return std::find(names.begin(), names.end(), read.of->name) != names.end();
    });
}

}  // namespace warpline
