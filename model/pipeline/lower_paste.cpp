// Names given for a while: copies of a role, unrolled statements, procedures and labels.
#include "warpline/pipeline/lowering.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::int64_t most_unrolled = 64;

}  // namespace

/// Names given a value or another name for a while; what they meant before comes back at the end.
struct RoleLowering::Bindings {
    explicit Bindings(RoleLowering& role) : lowering(role), aliases(role.aliases_) {}
    Bindings(const Bindings&) = delete;
    Bindings& operator=(const Bindings&) = delete;
    ~Bindings() {
        lowering.aliases_ = std::move(aliases);
        for (auto bound = numbers.rbegin(); bound != numbers.rend(); ++bound) {
            if (bound->second) {
                lowering.reader_.evaluator().define(bound->first, *bound->second);
            } else {
                lowering.reader_.evaluator().remove(bound->first);
            }
        }
    }
    void number(std::string_view name, double value) {
        Evaluator& evaluator = lowering.reader_.evaluator();
        numbers.emplace_back(name, evaluator.value_of(name));
        evaluator.define(name, value);
        forget_alias(name);
    }
    void alias(std::string_view name, std::string_view other) {
        forget_alias(name);
        lowering.aliases_.emplace_back(name, other);
    }
    void forget_alias(std::string_view name) {
        std::erase_if(lowering.aliases_, [&](const auto& known) { return known.first == name; });
    }

    RoleLowering& lowering;
    std::vector<std::pair<std::string_view, std::string_view>> aliases;
    /// With what each was before, the latest last.
    std::vector<std::pair<std::string_view, std::optional<double>>> numbers;
};

Role RoleLowering::run() {
    Role role = declared_.role;
    if (declared_.program != nullptr) {
        Bindings bindings(*this);
        if (!declared_.each.empty()) {
            bindings.number(declared_.each, role.copy);
        }
        block(declared_.program, *declared_.program);
        check_classes();
    }
    role.program = std::move(program_);
    for (OpClass& known : classes_) {
        role.classes.push_back(std::move(known.name));
    }
    role.handles = handle_count_;
    return role;
}

Role lower_role(LoweringContext& context, const DeclaredRole& declared) {
    return RoleLowering(context, declared).run();
}

void RoleLowering::unroll(const YamlNode& node, const YamlNode& head) {
    if (!head.is_map() || head.fields.size() != 1 || !is_identifier(head.fields[0].first)) {
        input_.error(head.where, "'unroll' must be one name and a count",
                     "for example t: q_stages");
        return;
    }
    const std::string& name = head.fields[0].first;
    const auto count = reader_.integer(head.fields[0].second, "unroll", 0, most_unrolled);
    if (!count) {
        return;
    }
    const auto body = [&](std::int64_t value) {
        Bindings bindings(*this);
        bindings.number(name, static_cast<double>(value));
        block(node.find("do"), node);
    };
    if (*count == 0) {
        dead([&] { body(0); });
    }
    for (std::int64_t value = 0; value < *count && statements_lowered_ <= most_statements;
         ++value) {
        body(value);
    }
}

void RoleLowering::call(const YamlNode& node, const YamlNode& head) {
    const auto name = name_of(head, "call");
    if (!name) {
        return;
    }
    const auto& procedures = context_.declarations.procedures;
    const auto found = procedures.find(*name);
    if (found == procedures.end()) {
        std::vector<std::string> names;
        names.reserve(procedures.size());
        for (const auto& [candidate, unused] : procedures) {
            names.push_back(candidate);
        }
        unknown(head, 0, "procedure", *name, names);
        return;
    }
    const auto& [procedure_name, procedure] = *found;
    if (std::find(calls_.begin(), calls_.end(), *name) != calls_.end()) {
        input_.error(head.where, fmt::format("procedure '{}' calls itself", *name));
        return;
    }
    Bindings bindings(*this);
    // Arguments mean what they mean at the call, also when a name is both argument and parameter.
    std::vector<std::pair<std::string_view, std::variant<double, std::string_view>>> arguments;
    const YamlNode* with = node.find("with");
    if (with != nullptr) {
        input_.check_keys(*with, procedure.takes, "arguments of '" + *name + "'");
    }
    for (const std::string& parameter : procedure.takes) {
        const YamlNode* argument = with == nullptr ? nullptr : with->find(parameter);
        if (argument == nullptr) {
            input_.error(node.where, fmt::format("procedure '{}' takes '{}'", *name, parameter));
            return;
        }
        const auto text = reader_.text(*argument, parameter);
        if (!text) {
            return;
        }
        if (is_identifier(*text) && !reader_.evaluator().defines(*text)) {
            arguments.emplace_back(parameter, resolved(*text));
        } else if (const auto value = reader_.number(*argument, parameter)) {
            arguments.emplace_back(parameter, *value);
        } else {
            return;
        }
    }
    for (const auto& [parameter, argument] : arguments) {
        if (const double* number = std::get_if<double>(&argument)) {
            bindings.number(parameter, *number);
        } else {
            bindings.alias(parameter, std::get<std::string_view>(argument));
        }
    }
    calls_.push_back(procedure_name);
    block(procedure.node->find("do"), *procedure.node);
    calls_.pop_back();
}

void RoleLowering::emit(OpBody body, const YamlNode& node, std::string default_label) {
    program_.push_back(
        {std::move(body), label_of(node, std::move(default_label)), node.where.line});
}

bool RoleLowering::wants_default_label(const YamlNode& node) const {
    const YamlNode* const written = node.find("label");
    return !reader_.lenient() && (written == nullptr || written->scalar.empty());
}

std::string RoleLowering::label_of(const YamlNode& node, std::string default_label) {
    const YamlNode* written = node.is_map() ? node.find("label") : nullptr;
    const auto text = written == nullptr ? std::nullopt : reader_.text(*written, "label");
    if (!text) {
        return default_label;
    }
    std::string label;
    for (std::size_t at = 0; at < text->size();) {
        const std::size_t open = text->find('{', at);
        const std::size_t close = open == std::string_view::npos ? open : text->find('}', open);
        if (close == std::string_view::npos) {
            label += text->substr(at);
            break;
        }
        label += text->substr(at, open - at);
        const std::string_view name = text->substr(open + 1, close - open - 1);
        if (const std::string_view* const alias = alias_of(name)) {
            label += *alias;
        } else if (const auto value = reader_.evaluator().number(name)) {
            label += fmt::format("{}", *value);
        } else {
            reader_.report(*written, value.error(), "label", open + 1);
        }
        at = close + 1;
    }
    return label.empty() ? default_label : label;
}

}  // namespace warpline
