// Loops, conditions, unrolled statements and procedures.
#include "warpline/pipeline/affine.hpp"
#include "warpline/pipeline/lowering.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::int64_t most_statements = 50'000;  // of one role, procedures pasted
constexpr std::int64_t most_iterations = 1'000'000;
constexpr std::int64_t most_per_block = 64;  // iterations of a loop for one block
constexpr std::int64_t most_unrolled = 64;

bool is_absurd(const Affine& count) {
    const auto per_tile = std::max(
        {std::abs(count.blocks), std::abs(count.masked_first), std::abs(count.masked_last)});
    return std::abs(count.constant) > most_iterations || per_tile > most_per_block;
}

}  // namespace

/// Names given a value or another name for a while; what they meant before comes back at the end.
struct RoleLowering::Bindings {
    explicit Bindings(RoleLowering& role) : lowering(role), aliases(role.aliases_) {}
    Bindings(const Bindings&) = delete;
    Bindings& operator=(const Bindings&) = delete;
    ~Bindings() {
        lowering.aliases_ = std::move(aliases);
        for (auto entry = numbers.rbegin(); entry != numbers.rend(); ++entry) {
            if (entry->second) {
                lowering.reader_.evaluator().define(entry->first, *entry->second);
            } else {
                lowering.reader_.evaluator().remove(entry->first);
            }
        }
    }
    void number(const std::string& name, double value) {
        Evaluator& evaluator = lowering.reader_.evaluator();
        const bool known = evaluator.defines(name);
        numbers.emplace_back(name, known ? std::optional(*evaluator.number(name)) : std::nullopt);
        evaluator.define(name, value);
        lowering.aliases_.erase(name);
    }

    RoleLowering& lowering;
    std::map<std::string, std::string, std::less<>> aliases;
    std::vector<std::pair<std::string, std::optional<double>>> numbers;
};

const std::vector<RoleLowering::Statement>& RoleLowering::statements() {
    static const std::vector<Statement> kinds = {
        {"loop", &RoleLowering::loop, {"do"}},
        {"unroll", &RoleLowering::unroll, {"do"}},
        {"call", &RoleLowering::call, {"with"}},
        {"issue", &RoleLowering::issue, {"count", "chains", "results"}},
        {"interleave", &RoleLowering::interleave, {"results"}},
        {"async", &RoleLowering::async, {}},
        {"commit", &RoleLowering::commit, {"on", "at"}},
        {"drain", &RoleLowering::drain, {"leave"}},
        {"arrive", &RoleLowering::arrive, {"count", "at"}},
        {"wait", &RoleLowering::wait, {}},
        {"sync", &RoleLowering::sync, {"count"}},
        {"take", &RoleLowering::take, {"as"}},
        {"turn", &RoleLowering::turn, {"cost"}},
        {"producer_acquire", &RoleLowering::producer_acquire, {"as"}},
        {"producer_commit", &RoleLowering::producer_commit, {"class", "count", "at"}},
        {"consumer_wait", &RoleLowering::consumer_wait, {"as"}},
        {"consumer_release", &RoleLowering::consumer_release, {"class", "count", "at"}},
        {"when", &RoleLowering::when, {"do", "else"}},
    };
    return kinds;
}

RoleLowering::RoleLowering(LoweringContext& context, const DeclaredRole& declared)
    : context_(context),
      declared_(declared),
      reader_(context.reader),
      input_(context.reader.problems().input) {}

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
    role.classes = std::move(classes_);
    role.handles = handle_count_;
    return role;
}

Role lower_role(LoweringContext& context, const DeclaredRole& declared) {
    return RoleLowering(context, declared).run();
}

void RoleLowering::block(const YamlNode* list, const YamlNode& parent) {
    if (list == nullptr) {
        input_.error(parent.where, "'do' is missing");
        return;
    }
    if (!list->is_sequence()) {
        // An empty list is written [] or left out after the colon.
        if (list->kind != YamlNode::Kind::null) {
            input_.error(list->where, "statements must be a list", "each begins with '- '");
        }
        return;
    }
    for (const YamlNode& node : list->items) {
        if (too_long(node)) {
            return;
        }
        statement(node);
    }
}

/// Statements that never run here: checked for names and grammar, and not kept.
template <typename Body>
void RoleLowering::dead(Body body) {
    const bool lenient = reader_.lenient();
    const std::size_t length = program_.size();
    const auto handles = handles_;
    const bool had_tile_loop = has_tile_loop_;
    reader_.set_lenient(true);
    body();
    reader_.set_lenient(lenient);
    handles_ = handles;
    has_tile_loop_ = had_tile_loop;
    program_.resize(length);
}

bool RoleLowering::too_long(const YamlNode& node) {
    if (++statements_lowered_ <= most_statements) {
        return false;
    }
    input_.error(declared_.where,
                 fmt::format("the program of '{}' has more than {} statements once procedures and "
                             "unrolled statements are written out",
                             declared_.role.base_name, most_statements));
    static_cast<void>(node);
    return true;
}

void RoleLowering::statement(const YamlNode& node) {
    if (!node.is_map()) {
        input_.error(node.where, "a statement must be a keyword and its value",
                     "for example wait: kv_full[slot]");
        return;
    }
    const Statement* kind = nullptr;
    for (const Statement& candidate : statements()) {
        if (node.find(candidate.keyword) != nullptr) {
            kind = &candidate;
            break;
        }
    }
    if (kind == nullptr) {
        std::vector<std::string> keywords;
        for (const Statement& candidate : statements()) {
            keywords.emplace_back(candidate.keyword);
        }
        const std::string first = node.fields.empty() ? "" : node.fields.front().first;
        const std::string near = nearest_name(first, keywords);
        input_.error(node.where, fmt::format("unknown statement '{}'", first),
                     near.empty() ? fmt::format("one of {}", fmt::join(keywords, ", "))
                                  : fmt::format("did you mean '{}'?", near));
        return;
    }
    const YamlNode* condition = node.find("when");
    if (condition == nullptr || kind->keyword == "when") {
        plain(node, *kind);
    } else {
        choose(
            *condition, [&] { plain(node, *kind); }, [] {});
    }
}

void RoleLowering::plain(const YamlNode& node, const Statement& kind) {
    if (kind.keyword != "async") {
        std::vector<std::string> keys = kind.keys;
        keys.emplace_back(kind.keyword);
        keys.emplace_back("label");
        keys.emplace_back("when");
        input_.check_keys(node, keys, fmt::format("'{}'", kind.keyword));
    }
    (this->*kind.lower)(node, *node.find(kind.keyword));
}

void RoleLowering::when(const YamlNode& node, const YamlNode& head) {
    const YamlNode* otherwise = node.find("else");
    choose(
        head, [&] { block(node.find("do"), node); },
        [&] {
            if (otherwise != nullptr) {
                block(otherwise, node);
            }
        });
}

template <typename Then, typename Else>
void RoleLowering::choose(const YamlNode& when, Then then, Else otherwise) {
    const auto text = reader_.text(when, "when");
    if (!text) {
        return;
    }
    const auto condition = evaluate_condition(reader_.evaluator(), *text);
    if (!condition) {
        reader_.report(when, condition.error(), "when");
        dead([&] {
            then();
            otherwise();
        });
        return;
    }
    if (!condition->all.empty()) {
        choose_at_run_time(*condition, when, then, otherwise);
    } else if (condition->value) {
        then();
        dead(otherwise);
    } else {
        dead(then);
        otherwise();
    }
}

template <typename Then, typename Else>
void RoleLowering::choose_at_run_time(const Condition& condition, const YamlNode& when, Then then,
                                      Else otherwise) {
    if (needs_loop(condition) && loops_.empty()) {
        input_.error(when.where,
                     "this condition looks at a loop's index, and no loop is around it");
    } else if (condition.all.front().kind == Predicate::Kind::masked &&
               loops_.back() == LoopBegin::Over::tiles) {
        input_.error(when.where, "'masked' must be inside a loop over blocks");
    } else if (!has_tile_loop_) {
        input_.error(when.where,
                     "this condition looks at the tile, and no loop over tiles is around it",
                     "write loop: tiles");
    }
    std::vector<std::size_t> skips;
    for (const Predicate& predicate : condition.all) {
        skips.push_back(program_.size());
        emit(SkipUnless{predicate, 0}, when);
    }
    const auto here = [&] { return static_cast<int>(program_.size()); };
    const auto first = [&] { condition.negate ? otherwise() : then(); };
    const auto second = [&] { condition.negate ? then() : otherwise(); };
    first();
    const std::size_t jump = program_.size();
    emit(Jump{}, when);
    for (const std::size_t skip : skips) {
        std::get<SkipUnless>(program_[skip].body).target = here();
    }
    second();
    if (program_.size() == jump + 1) {
        // Nothing to jump over.
        program_.pop_back();
        for (const std::size_t skip : skips) {
            std::get<SkipUnless>(program_[skip].body).target = here();
        }
    } else {
        std::get<Jump>(program_[jump].body).target = here();
    }
}

void RoleLowering::loop(const YamlNode& node, const YamlNode& head) {
    const auto text = reader_.text(head, "loop");
    if (!text) {
        return;
    }
    if (*text == "tiles") {
        tile_loop(node, head);
        return;
    }
    const auto count = evaluate_affine(reader_.evaluator(), *text);
    if (!count) {
        reader_.report(head, count.error(), "loop");
        dead([&] { block(node.find("do"), node); });
        return;
    }
    if (is_absurd(*count)) {
        reader_.value_error(head.where,
                            fmt::format("a loop may run {} times, and {} times for each block, at "
                                        "most",
                                        most_iterations, most_per_block));
        return;
    }
    if (!is_constant(*count) && !has_tile_loop_) {
        input_.error(head.where, "this loop looks at the tile, and no loop over tiles is around it",
                     "write loop: tiles");
    }
    const auto body = [&] {
        const std::size_t begin = program_.size();
        emit(LoopBegin{LoopBegin::Over::count, *count, 0}, node);
        loops_.push_back(LoopBegin::Over::count);
        block(node.find("do"), node);
        loops_.pop_back();
        std::get<LoopBegin>(program_[begin].body).end = static_cast<int>(program_.size());
        emit(LoopEnd{static_cast<int>(begin)}, node);
    };
    if (is_constant(*count) && count->constant <= 0) {
        dead(body);
    } else {
        body();
    }
}

void RoleLowering::tile_loop(const YamlNode& node, const YamlNode& head) {
    if (!loops_.empty()) {
        input_.error(head.where, "the loop over tiles must be the outermost");
    } else if (has_tile_loop_) {
        input_.error(head.where, "a second loop over tiles", "a role visits each tile once");
    }
    has_tile_loop_ = true;
    const std::size_t begin = program_.size();
    emit(LoopBegin{LoopBegin::Over::tiles, {}, 0}, node);
    loops_.push_back(LoopBegin::Over::tiles);
    block(node.find("do"), node);
    loops_.pop_back();
    std::get<LoopBegin>(program_[begin].body).end = static_cast<int>(program_.size());
    emit(LoopEnd{static_cast<int>(begin)}, node);
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
        for (const auto& [candidate, unused] : procedures) {
            names.push_back(candidate);
        }
        unknown(head, 0, "procedure", *name, names);
        return;
    }
    if (std::find(calls_.begin(), calls_.end(), *name) != calls_.end()) {
        input_.error(head.where, fmt::format("procedure '{}' calls itself", *name));
        return;
    }
    Bindings bindings(*this);
    // Arguments mean what they mean at the call, also when a name is both argument and parameter.
    std::vector<std::pair<std::string, std::variant<double, std::string>>> arguments;
    const YamlNode* takes = found->second->find("takes");
    std::vector<std::string> parameters;
    if (takes != nullptr) {
        for (const YamlNode& item : takes->items) {
            parameters.push_back(item.scalar);
        }
    }
    const YamlNode* with = node.find("with");
    if (with != nullptr) {
        input_.check_keys(*with, parameters, fmt::format("arguments of '{}'", *name));
    }
    for (const std::string& parameter : parameters) {
        const YamlNode* argument = with == nullptr ? nullptr : with->find(parameter);
        if (argument == nullptr) {
            input_.error(node.where, fmt::format("procedure '{}' takes '{}'", *name, parameter));
            return;
        }
        const auto text = reader_.text(*argument, parameter);
        if (!text) {
            return;
        }
        if (is_identifier(*text) && !reader_.evaluator().defines(std::string(*text))) {
            arguments.emplace_back(parameter, std::string(resolved(*text)));
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
            aliases_[parameter] = std::get<std::string>(argument);
        }
    }
    calls_.push_back(*name);
    block(found->second->find("do"), *found->second);
    calls_.pop_back();
}

void RoleLowering::emit(OpBody body, const YamlNode& node, std::string default_label) {
    program_.push_back(
        {std::move(body), label_of(node, std::move(default_label)), node.where.line});
}

std::string RoleLowering::label_of(const YamlNode& node, std::string default_label) {
    const YamlNode* written = node.is_map() ? node.find("label") : nullptr;
    const auto text = written == nullptr ? std::nullopt : reader_.text(*written, "label");
    if (!text) {
        return default_label;
    }
    std::string label;
    for (std::size_t at = 0; at < text->size();) {
        const std::size_t close = (*text)[at] == '{' ? text->find('}', at) : std::string_view::npos;
        if (close == std::string_view::npos) {
            label += (*text)[at++];
            continue;
        }
        const std::string_view name = text->substr(at + 1, close - at - 1);
        if (const auto alias = aliases_.find(name); alias != aliases_.end()) {
            label += alias->second;
        } else if (const auto value = reader_.evaluator().number(name)) {
            label += fmt::format("{}", *value);
        } else {
            reader_.report(*written, value.error(), "label", at + 1);
        }
        at = close + 1;
    }
    return label.empty() ? default_label : label;
}

}  // namespace warpline
