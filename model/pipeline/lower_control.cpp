// Statements, loops and conditions.
#include "warpline/pipeline/affine.hpp"
#include "warpline/pipeline/lowering.hpp"
#include "warpline/pipeline/parsed_expressions.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::int64_t most_iterations = 1'000'000;
constexpr std::int64_t most_per_block = 64;  // iterations of a loop for one block

bool is_absurd(const Affine& count) {
    const auto per_tile = std::max(
        {std::abs(count.blocks), std::abs(count.masked_first), std::abs(count.masked_last)});
    return std::abs(count.constant) > most_iterations || per_tile > most_per_block;
}

}  // namespace

/// Every statement may carry its keyword, a label and a condition.
std::vector<StatementKind> RoleLowering::with_common_keys(std::vector<StatementKind> kinds) {
    for (StatementKind& kind : kinds) {
        kind.what = fmt::format("'{}'", kind.keyword);
        kind.keys.emplace_back(kind.keyword);
        kind.keys.emplace_back("label");
        kind.keys.emplace_back("when");
    }
    return kinds;
}

const std::vector<StatementKind>& RoleLowering::statements() {
    static const std::vector<StatementKind> kinds = with_common_keys({
        {"loop", &RoleLowering::loop, {"do"}, {}},
        {"unroll", &RoleLowering::unroll, {"do"}, {}},
        {"call", &RoleLowering::call, {"with"}, {}},
        {"issue", &RoleLowering::issue, {"count", "chains", "results"}, {}},
        {"interleave", &RoleLowering::interleave, {"results"}, {}},
        {"async", &RoleLowering::async, {}, {}},
        {"commit", &RoleLowering::commit, {"on", "at"}, {}},
        {"drain", &RoleLowering::drain, {"leave"}, {}},
        {"arrive", &RoleLowering::arrive, {"count", "at"}, {}},
        {"wait", &RoleLowering::wait, {}, {}},
        {"sync", &RoleLowering::sync, {"count"}, {}},
        {"take", &RoleLowering::take, {"as"}, {}},
        {"turn", &RoleLowering::turn, {"cost"}, {}},
        {"pass_turn", &RoleLowering::pass_turn, {"cost", "visible"}, {}},
        {"producer_acquire", &RoleLowering::producer_acquire, {"as"}, {}},
        {"producer_commit", &RoleLowering::producer_commit, {"class", "count", "at"}, {}},
        {"consumer_wait", &RoleLowering::consumer_wait, {"as"}, {}},
        {"consumer_release", &RoleLowering::consumer_release, {"class", "count", "at"}, {}},
        {"when", &RoleLowering::when, {"do", "else"}, {}},
    });
    return kinds;
}

const StatementKind* RoleLowering::kind_of(const YamlNode& node) {
    static const auto by_keyword = [] {
        ByText<const StatementKind*> all;
        for (const StatementKind& kind : statements()) {
            all.emplace(kind.keyword, &kind);
        }
        return all;
    }();
    const StatementKind* first = nullptr;
    for (const auto& field : node.fields) {
        const auto found = by_keyword.find(field.first);
        if (found != by_keyword.end() && (first == nullptr || found->second < first)) {
            first = found->second;
        }
    }
    return first;
}

RoleLowering::RoleLowering(LoweringContext& context, const DeclaredRole& declared)
    : context_(context),
      declared_(declared),
      reader_(context.reader),
      input_(context.reader.problems().input) {}

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
void RoleLowering::dead(const Body& body) {
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
    StatementForm& form = form_of(node);
    if (form.kind == nullptr) {
        unknown_statement(node);
    } else if (form.condition == nullptr) {
        plain(node, form);
    } else {
        const auto then = [&] { plain(node, form); };
        choose(*form.condition, std::ref(then), [] {});
    }
}

void RoleLowering::unknown_statement(const YamlNode& node) {
    std::vector<std::string> keywords;
    for (const StatementKind& candidate : statements()) {
        keywords.emplace_back(candidate.keyword);
    }
    const std::string first = node.fields.empty() ? "" : node.fields.front().first;
    const std::string near = nearest_name(first, keywords);
    input_.error(node.where, fmt::format("unknown statement '{}'", first),
                 near.empty() ? fmt::format("one of {}", fmt::join(keywords, ", "))
                              : fmt::format("did you mean '{}'?", near));
}

StatementForm& RoleLowering::form_of(const YamlNode& node) {
    const auto [entry, fresh] = context_.forms.try_emplace(&node);
    StatementForm& form = entry->second;
    if (fresh) {
        form.kind = kind_of(node);
        form.head = form.kind == nullptr ? nullptr : node.find(form.kind->keyword);
        const YamlNode* const condition = node.find("when");
        form.condition = condition == form.head ? nullptr : condition;
    }
    return form;
}

void RoleLowering::plain(const YamlNode& node, StatementForm& form) {
    // The keys of an asynchronous operation depend on which it is.
    check_keys_ = !std::exchange(form.keys_checked, true);
    if (check_keys_ && form.kind->keyword != "async") {
        input_.check_keys(node, form.kind->keys, form.kind->what);
    }
    (this->*form.kind->lower)(node, *form.head);
}

void RoleLowering::when(const YamlNode& node, const YamlNode& head) {
    const YamlNode* otherwise = node.find("else");
    const auto then = [&] { block(node.find("do"), node); };
    const auto or_else = [&] {
        if (otherwise != nullptr) {
            block(otherwise, node);
        }
    };
    choose(head, std::ref(then), std::ref(or_else));
}

void RoleLowering::choose(const YamlNode& when, const Body& then, const Body& otherwise) {
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

void RoleLowering::choose_at_run_time(const Condition& condition, const YamlNode& when,
                                      const Body& then, const Body& otherwise) {
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
    if (is_constant(*count) && count->constant < 0) {
        reader_.value_error(head.where, fmt::format("a loop cannot run {} times", count->constant),
                            "write max(0, ...) where that means not at all");
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
        dead(std::ref(body));
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

}  // namespace warpline
