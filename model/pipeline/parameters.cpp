#include "warpline/pipeline/parameters.hpp"

#include "warpline/pipeline/affine.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr double most_choices = 256;

bool is_multiple(double value, double of) {
    const double ratio = value / of;
    return std::abs(ratio - std::round(ratio)) <= 1e-9 * std::max(1.0, std::abs(ratio));
}

bool is_number(Evaluator& evaluator, std::string_view text) {
    const auto& tokens = evaluator.tokens(text);
    return tokens && tokens->size() == 1 && tokens->front().kind == Token::Kind::number;
}

/// "a multiple of 16, at least 16 and at most 256"
std::string describe_limits(const Parameter& parameter) {
    std::vector<std::string> parts;
    if (parameter.multiple_of) {
        parts.push_back(fmt::format("a multiple of {}", *parameter.multiple_of));
    }
    if (parameter.at_least) {
        parts.push_back(fmt::format("at least {}", *parameter.at_least));
    }
    if (parameter.at_most) {
        parts.push_back(fmt::format("at most {}", *parameter.at_most));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

class ParameterReader {
  public:
    ParameterReader(const std::vector<ParameterOverride>& overrides, ValueReader& reader)
        : overrides_(overrides), reader_(reader) {}

    std::optional<Parameter> read(const std::string& name, const YamlNode& node) {
        const std::string what = "parameter '" + name + "'";
        Parameter parameter;
        parameter.name = name;
        if (node.is_map()) {
            static const std::vector<std::string> keys = {
                "value", "cases", "meaning", "at_least", "at_most", "multiple_of", "choices"};
            reader_.problems().input.check_keys(node, keys, what);
            parameter.at_least = limit(node, "at_least");
            parameter.at_most = limit(node, "at_most");
            parameter.multiple_of = limit(node, "multiple_of");
            if (parameter.multiple_of && *parameter.multiple_of <= 0.0) {
                reader_.problems().input.error(node.find("multiple_of")->where,
                                               "multiple_of must be positive");
                parameter.multiple_of.reset();
            }
        }
        const auto written = from_file(node, what);
        const auto set = std::find_if(overrides_.rbegin(), overrides_.rend(),
                                      [&](const auto& entry) { return entry.name == name; });
        if (set != overrides_.rend()) {
            parameter.overridden = true;
            const auto value = reader_.evaluator().number(set->expression);
            if (!value) {
                reader_.problems().usage.error({"--set", 0, 0},
                                               fmt::format("{}: {}", name, value.error().message),
                                               value.error().hint);
                return std::nullopt;
            }
            parameter.value = *value;
        } else if (written) {
            parameter.value = *written;
        } else {
            return std::nullopt;
        }
        const YamlNode* literal = node.is_map() ? node.find("value") : &node;
        parameter.tunable = parameter.at_least || parameter.at_most || parameter.multiple_of ||
                            (literal != nullptr && is_number(reader_.evaluator(), literal->scalar));
        if (const YamlNode* choices = node.is_map() ? node.find("choices") : nullptr) {
            read_choices(*choices, what, parameter);
        }
        check_limits(parameter, node.where);
        return parameter;
    }

  private:
    std::optional<double> limit(const YamlNode& node, const char* key) {
        const YamlNode* found = node.find(key);
        return found == nullptr ? std::nullopt : reader_.number(*found, key);
    }

    /// The values offered that keep to the limits; `all` is every one.
    void read_choices(const YamlNode& node, const std::string& what, Parameter& parameter) {
        std::vector<double> values;
        if (node.is_scalar() && node.scalar == "all") {
            values = every_value(node, what, parameter);
        } else if (node.is_sequence() && !node.items.empty()) {
            for (const YamlNode& item : node.items) {
                if (const auto value = reader_.number(item, "a choice of " + what)) {
                    values.push_back(*value);
                }
            }
        } else {
            reader_.problems().input.error(
                node.where, fmt::format("choices of {} must be a list of values, or 'all'", what));
        }
        std::sort(values.begin(), values.end());
        values.erase(std::unique(values.begin(), values.end()), values.end());
        std::copy_if(values.begin(), values.end(), std::back_inserter(parameter.choices),
                     [&](double value) { return within_limits(parameter, value); });
    }

    std::vector<double> every_value(const YamlNode& node, const std::string& what,
                                    const Parameter& parameter) {
        const double step = parameter.multiple_of.value_or(1.0);
        std::vector<double> values;
        if (!parameter.at_least || !parameter.at_most ||
            (*parameter.at_most - *parameter.at_least) / step > most_choices) {
            reader_.problems().input.error(
                node.where, fmt::format("'all' wants limits: {} needs at_least and at_most", what),
                fmt::format("at most {} values", most_choices));
            return values;
        }
        for (double value = std::ceil(*parameter.at_least / step) * step;
             value <= *parameter.at_most; value += step) {
            values.push_back(value);
        }
        return values;
    }

    std::optional<double> from_file(const YamlNode& node, const std::string& what) {
        if (!node.is_map()) {
            return reader_.number(node, what);
        }
        const YamlNode* value = node.find("value");
        const YamlNode* cases = node.find("cases");
        if ((value == nullptr) == (cases == nullptr)) {
            reader_.problems().input.error(node.where,
                                           fmt::format("{} needs either 'value' or 'cases'", what));
            return std::nullopt;
        }
        return value != nullptr ? reader_.number(*value, what) : from_cases(*cases, what);
    }

    /// The first case that holds. Every case is read, so that an error in one is found whichever
    /// holds.
    std::optional<double> from_cases(const YamlNode& cases, const std::string& what) {
        if (!cases.is_sequence() || cases.items.empty()) {
            reader_.problems().input.error(cases.where,
                                           fmt::format("cases of {} must be a list", what));
            return std::nullopt;
        }
        static const std::vector<std::string> keys = {"when", "is"};
        const std::string case_of = "a case of " + what;
        std::optional<double> chosen;
        bool decided = false;
        for (std::size_t i = 0; i < cases.items.size(); ++i) {
            const YamlNode& item = cases.items[i];
            DiagnosticSink& input = reader_.problems().input;
            input.check_keys(item, keys, case_of);
            const YamlNode* is = input.require(item, "is", case_of);
            const YamlNode* when = item.find("when");
            const bool last = i + 1 == cases.items.size();
            if (last != (when == nullptr)) {
                input.error(item.where, last ? "the last case must not have a 'when'"
                                             : "only the last case may lack a 'when'");
            }
            const bool here = !decided && reader_.flag(when, "when", true);
            const bool lenient = reader_.lenient();
            reader_.set_lenient(lenient || !here);
            const auto value = is == nullptr ? std::nullopt : reader_.number(*is, what);
            reader_.set_lenient(lenient);
            if (here) {
                chosen = value;
                decided = true;
            } else if (decided && when != nullptr) {
                reader_.set_lenient(true);
                static_cast<void>(reader_.flag(when, "when", true));
                reader_.set_lenient(lenient);
            }
        }
        return chosen;
    }

    void check_limits(const Parameter& parameter, const SourceLocation& where) {
        if (within_limits(parameter, parameter.value)) {
            return;
        }
        std::string message = fmt::format("parameter {} is {} and must be {}", parameter.name,
                                          parameter.value, describe_limits(parameter));
        if (parameter.overridden) {
            reader_.problems().usage.error({"--set", 0, 0}, std::move(message));
        } else {
            reader_.problems().infeasible.error(where, std::move(message));
        }
    }

    const std::vector<ParameterOverride>& overrides_;
    ValueReader& reader_;
};

/// The parameter as it was resolved before, when all that it asked for is as it was then.
const Parameter* unchanged(const std::string& name, const std::vector<Parameter>& known,
                           const Evaluator& evaluator) {
    const auto before = std::find_if(known.begin(), known.end(),
                                     [&](const Parameter& p) { return p.name == name; });
    if (before == known.end() ||
        !std::all_of(before->asked.begin(), before->asked.end(), [&](const auto& asked) {
            return evaluator.value_of(asked.first) == asked.second;
        })) {
        return nullptr;
    }
    return &*before;
}

bool may_be_named(const std::string& name, const SourceLocation& where, ValueReader& reader) {
    if (!is_identifier(name)) {
        reader.problems().input.error(where, fmt::format("'{}' is not a name", name),
                                      "letters, digits and underscores");
        return false;
    }
    const auto& reserved = tile_names();
    if (reader.evaluator().defines(name) || name == "cluster" || name == "ctas_per_sm" ||
        name == "index" || std::find(reserved.begin(), reserved.end(), name) != reserved.end()) {
        reader.problems().input.error(where, fmt::format("the name '{}' is taken", name),
                                      "it has a meaning in every pipeline file");
        return false;
    }
    return true;
}

}  // namespace

bool within_limits(const Parameter& parameter, double value) {
    return (!parameter.at_least || value >= *parameter.at_least) &&
           (!parameter.at_most || value <= *parameter.at_most) &&
           (!parameter.multiple_of || is_multiple(value, *parameter.multiple_of));
}

std::vector<Parameter> resolve_parameters(const YamlNode* section,
                                          const std::vector<ParameterOverride>& overrides,
                                          ValueReader& reader,
                                          const std::vector<Parameter>& known) {
    std::vector<Parameter> parameters;
    std::vector<std::string> names;
    if (section != nullptr && section->kind != YamlNode::Kind::null) {
        if (!section->is_map()) {
            reader.problems().input.error(section->where, "parameters must be a map");
            return parameters;
        }
        ParameterReader parameter_reader(overrides, reader);
        for (std::size_t i = 0; i < section->fields.size(); ++i) {
            const auto& [name, node] = section->fields[i];
            names.push_back(name);
            if (!may_be_named(name, section->key_locations[i], reader)) {
                continue;
            }
            if (const Parameter* const same = unchanged(name, known, reader.evaluator())) {
                reader.evaluator().define(name, same->value);
                parameters.push_back(*same);
                continue;
            }
            reader.evaluator().forget_asked();
            if (auto parameter = parameter_reader.read(name, node)) {
                parameter->asked = reader.evaluator().asked_values();
                reader.evaluator().define(name, parameter->value);
                parameters.push_back(std::move(*parameter));
            } else {
                // What uses it should not fail as well.
                reader.evaluator().define(name, 1.0);
            }
        }
    }
    for (const ParameterOverride& entry : overrides) {
        if (std::find(names.begin(), names.end(), entry.name) == names.end()) {
            const std::string near = nearest_name(entry.name, names);
            reader.problems().usage.error(
                {"--set", 0, 0}, fmt::format("the kernel has no parameter '{}'", entry.name),
                near.empty() ? fmt::format("parameters: {}", fmt::join(names, ", "))
                             : fmt::format("did you mean '{}'?", near));
        }
    }
    return parameters;
}

}  // namespace warpline
