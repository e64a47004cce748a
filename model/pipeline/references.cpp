// Names and indices in statements.
#include "warpline/pipeline/lowering.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace warpline {

std::optional<Reference> parse_reference(std::string_view text) {
    Reference result;
    const std::size_t bracket = std::min(text.find('['), text.size());
    result.name = text.substr(0, bracket);
    if (!is_identifier(result.name)) {
        return std::nullopt;
    }
    std::size_t at = bracket;
    while (at < text.size()) {
        const std::size_t close = text.find(']', at);
        if (text[at] != '[' || close == std::string_view::npos || close == at + 1) {
            return std::nullopt;
        }
        result.indices.push_back({text.substr(at + 1, close - at - 1), at + 1});
        at = close + 1;
    }
    return result;
}

const std::string_view* RoleLowering::alias_of(std::string_view name) const {
    const auto alias = std::find_if(aliases_.begin(), aliases_.end(),
                                    [&](const auto& known) { return known.first == name; });
    return alias == aliases_.end() ? nullptr : &alias->second;
}

std::string_view RoleLowering::resolved(std::string_view name) const {
    const std::string_view* const alias = alias_of(name);
    return alias == nullptr ? name : *alias;
}

void RoleLowering::unknown(const YamlNode& node, std::size_t offset, std::string_view kind,
                           std::string_view name, const std::vector<std::string>& candidates) {
    const std::string near = nearest_name(name, candidates);
    std::string hint;
    if (!near.empty()) {
        hint = fmt::format("did you mean '{}'?", near);
    } else if (!candidates.empty() && candidates.size() <= 12) {
        hint = fmt::format("there are {}", fmt::join(candidates, ", "));
    }
    input_.error(place_in(node, offset), fmt::format("no {} '{}'", kind, name), std::move(hint));
}

std::optional<std::string> RoleLowering::name_of(const YamlNode& head, std::string_view what) {
    const auto text = reader_.text(head, what);
    if (!text) {
        return std::nullopt;
    }
    if (!is_identifier(*text)) {
        input_.error(head.where, fmt::format("{} needs a name, not '{}'", what, *text));
        return std::nullopt;
    }
    return std::string(resolved(*text));
}

std::optional<Reference> RoleLowering::reference(const YamlNode& node, std::string_view what) {
    const auto text = reader_.text(node, what);
    if (!text) {
        return std::nullopt;
    }
    auto parsed = parse_reference(*text);
    if (!parsed) {
        input_.error(node.where, fmt::format("{} needs a name such as a, a[0] or a[slot], not '{}'",
                                             what, *text));
        return std::nullopt;
    }
    parsed->name = resolved(parsed->name);
    return parsed;
}

std::optional<int> RoleLowering::copy_index(const YamlNode& node, const Reference::Index& index,
                                            std::string_view name, std::int64_t copies) {
    const auto value = reader_.evaluator().number(resolved(index.text));
    if (!value) {
        if (handles_.count(resolved(index.text)) != 0) {
            reader_.value_error(place_in(node, index.offset),
                                fmt::format("'{}' is indexed by a copy, not by a slot", name));
        } else {
            reader_.report(node, value.error(), fmt::format("index of '{}'", name), index.offset);
        }
        return reader_.lenient() ? std::optional(0) : std::nullopt;
    }
    const auto whole = static_cast<std::int64_t>(std::clamp(*value, -1.0, 1e6));
    if (static_cast<double>(whole) != *value || whole < 0 || whole >= copies) {
        reader_.value_error(
            place_in(node, index.offset),
            fmt::format("'{}' has copies 0 to {}, not {}", name, copies - 1, *value));
        return reader_.lenient() ? std::optional(0) : std::nullopt;
    }
    return static_cast<int>(whole);
}

const RoleLowering::Handle* RoleLowering::handle(const YamlNode& node,
                                                 const Reference::Index& index) {
    const std::string_view name = resolved(index.text);
    const auto found = handles_.find(name);
    if (found != handles_.end()) {
        return &found->second;
    }
    std::vector<std::string> names;
    for (const auto& [candidate, unused] : handles_) {
        names.push_back(candidate);
    }
    const std::string near = nearest_name(name, names);
    input_.error(place_in(node, index.offset),
                 fmt::format("no slot '{}' has been taken before this statement", name),
                 near.empty() ? "" : fmt::format("did you mean '{}'?", near));
    return nullptr;
}

std::optional<BarrierRef> RoleLowering::barrier(const YamlNode& node) {
    const auto parsed = reference(node, "a barrier");
    if (!parsed) {
        return std::nullopt;
    }
    const auto& declared = context_.declarations.barriers;
    const auto index = find_barrier(context_.declarations, parsed->name);
    if (!index) {
        std::vector<std::string> names;
        names.reserve(declared.size());
        for (const DeclaredBarrier& candidate : declared) {
            names.push_back(candidate.barrier.name);
        }
        unknown(node, 0, "barrier", parsed->name, names);
        return std::nullopt;
    }
    const DeclaredBarrier& found = declared[static_cast<std::size_t>(*index)];
    if (!found.present) {
        reader_.value_error(
            node.where,
            fmt::format("barrier '{}' is left out here: its 'when' is 0", parsed->name));
    }
    BarrierRef result;
    result.barrier = *index;
    std::size_t expected = 0;
    if (found.has_copies) {
        if (parsed->indices.empty()) {
            input_.error(
                node.where,
                fmt::format("barrier '{0}' has copies: write {0}[0] or the like", parsed->name));
            return std::nullopt;
        }
        const auto copy = copy_index(node, parsed->indices[0], parsed->name, found.barrier.copies);
        if (!copy) {
            return std::nullopt;
        }
        result.copy = *copy;
        ++expected;
    }
    if (found.barrier.ring >= 0) {
        if (parsed->indices.size() <= expected) {
            input_.error(
                node.where,
                fmt::format(
                    "barrier '{0}' belongs to the ring '{1}': write {0}[slot]", parsed->name,
                    context_.declarations.rings[static_cast<std::size_t>(found.barrier.ring)]
                        .name));
            return std::nullopt;
        }
        if (!barrier_handle(node, *parsed, found, result)) {
            return std::nullopt;
        }
        ++expected;
    }
    if (parsed->indices.size() > expected) {
        input_.error(place_in(node, parsed->indices[expected].offset),
                     expected == 0
                         ? fmt::format("barrier '{}' has neither copies nor a ring", parsed->name)
                         : fmt::format("one index too many for barrier '{}'", parsed->name));
        return std::nullopt;
    }
    return result;
}

bool RoleLowering::barrier_handle(const YamlNode& node, const Reference& parsed,
                                  const DeclaredBarrier& declared, BarrierRef& result) {
    const Reference::Index& index = parsed.indices[declared.has_copies ? 1 : 0];
    const Handle* slot = handle(node, index);
    if (slot == nullptr) {
        return false;
    }
    if (slot->ring != declared.barrier.ring) {
        const auto& rings = context_.declarations.rings;
        input_.error(
            place_in(node, index.offset),
            fmt::format("'{}' is a slot of '{}', and barrier '{}' belongs to '{}'", index.text,
                        rings[static_cast<std::size_t>(slot->ring)].name, parsed.name,
                        rings[static_cast<std::size_t>(declared.barrier.ring)].name));
        return false;
    }
    result.handle = slot->index;
    return true;
}

const Buffer* RoleLowering::buffer(const YamlNode& node, std::string_view text,
                                   std::size_t offset) {
    const auto parsed = parse_reference(text);
    const std::string_view name = parsed ? resolved(parsed->name) : text;
    const Buffer* found = parsed ? find_buffer(context_.declarations, name) : nullptr;
    if (found == nullptr) {
        std::vector<std::string> names;
        for (const Buffer& candidate : context_.declarations.buffers) {
            names.push_back(candidate.name);
        }
        unknown(node, offset, "buffer", name, names);
        return nullptr;
    }
    context_.used_buffers.insert(found);
    if (!found->present) {
        reader_.value_error(node.where,
                            fmt::format("buffer '{}' is left out here: its 'when' is 0", name));
    }
    // Which copy or stage is used does not change any time, so indices may be left out.
    std::size_t at = 0;
    if (found->has_copies && at < parsed->indices.size()) {
        Reference::Index index = parsed->indices[at++];
        index.offset += offset;
        static_cast<void>(copy_index(node, index, name, found->copies));
    }
    if (found->ring >= 0 && at < parsed->indices.size()) {
        Reference::Index index = parsed->indices[at++];
        index.offset += offset;
        if (const Handle* slot = handle(node, index);
            slot != nullptr && slot->ring != found->ring) {
            input_.error(place_in(node, index.offset),
                         fmt::format("'{}' is not a slot of '{}'", index.text, name));
        }
    }
    if (at < parsed->indices.size()) {
        input_.error(place_in(node, offset + parsed->indices[at].offset),
                     fmt::format("one index too many for buffer '{}'", name));
    }
    return found;
}

At RoleLowering::at_of(const YamlNode& node) {
    const YamlNode* at = node.find("at");
    if (at == nullptr) {
        return At::self;
    }
    const auto text = reader_.text(*at, "at");
    if (!text) {
        return At::self;
    }
    static const std::vector<std::string> names = {"self", "leader", "peer", "all"};
    if (std::find(names.begin(), names.end(), *text) == names.end()) {
        unknown(*at, 0, "place", *text, names);
        return At::self;
    }
    const int cluster = context_.declarations.cluster;
    if (*text == "peer") {
        if (cluster != 2) {
            reader_.value_error(
                at->where, fmt::format("a peer exists in a cluster of 2 only, not of {}", cluster));
        }
        return At::peer;
    }
    if (cluster == 1 || *text == "self") {
        return At::self;
    }
    return *text == "leader" ? At::leader : At::all;
}

int RoleLowering::op_class(std::string_view name, const YamlNode& where, bool launches) {
    const std::string_view text = resolved(name);
    auto found = std::find_if(classes_.begin(), classes_.end(),
                              [&](const OpClass& known) { return known.name == text; });
    if (found == classes_.end()) {
        found = classes_.insert(found, {std::string(text), false, nullptr});
    }
    if (launches) {
        found->launched = true;
    } else if (found->awaited == nullptr) {
        found->awaited = &where;
    }
    return static_cast<int>(found - classes_.begin());
}

std::optional<int> RoleLowering::class_of(const YamlNode& node, bool launches) {
    const YamlNode* named = input_.require(node, "class", "this statement");
    if (named == nullptr) {
        return std::nullopt;
    }
    const auto name = name_of(*named, "class");
    return name ? std::optional(op_class(*name, *named, launches)) : std::nullopt;
}

void RoleLowering::check_classes() {
    std::vector<std::string> launched;
    std::vector<const OpClass*> missing;
    for (const OpClass& known : classes_) {
        if (known.launched) {
            launched.push_back(known.name);
        } else {
            missing.push_back(&known);
        }
    }
    const auto by_name = [](const OpClass* a, const OpClass* b) { return a->name < b->name; };
    std::sort(launched.begin(), launched.end());
    std::sort(missing.begin(), missing.end(), by_name);
    for (const OpClass* const awaited : missing) {
        const std::string near = nearest_name(awaited->name, launched);
        input_.error(awaited->awaited->where,
                     fmt::format("no asynchronous operation of role '{}' has the class '{}'",
                                 declared_.role.base_name, awaited->name),
                     near.empty() ? "" : fmt::format("did you mean '{}'?", near));
    }
}

}  // namespace warpline
