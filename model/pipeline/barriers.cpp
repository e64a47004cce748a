#include "warpline/pipeline/declarations.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::int64_t most_copies = 64;
constexpr std::int64_t most_arrivals = 1 << 20;  // what an mbarrier can count

class BarrierReader {
  public:
    BarrierReader(ValueReader& reader, Declarations& out)
        : reader_(reader), input_(reader.problems().input), out_(out) {
        for (const DeclaredRole& role : out.roles) {
            role_names_.push_back(role.role.base_name);
        }
        role_names_.insert(role_names_.end(), out.absent_roles.begin(), out.absent_roles.end());
    }

    void read(const std::string& name, const YamlNode& node, const SourceLocation& where) {
        static const std::vector<std::string> keys = {"kind",     "scope",    "copies", "ring",
                                                      "released", "arrivals", "when"};
        const std::string what = "barrier '" + name + "'";
        input_.check_keys(node, keys, what);
        DeclaredBarrier declared;
        declared.where = where;
        declared.barrier.name = name;
        declared.present = reader_.flag(node.find("when"), "when", true);
        const bool lenient = reader_.lenient();
        reader_.set_lenient(lenient || !declared.present);
        declared.barrier.kind = read_kind(node, what);
        declared.barrier.scope = read_scope(node);
        if (const YamlNode* copies = node.find("copies")) {
            declared.has_copies = true;
            declared.barrier.copies =
                static_cast<int>(reader_.integer(*copies, "copies", 1, most_copies).value_or(1));
        }
        if (const YamlNode* ring = node.find("ring")) {
            read_ring(*ring, declared);
        }
        declared.barrier.initially_complete =
            reader_.flag(node.find("released"), "released", false) ? 1 : 0;
        read_arrivals(node, what, declared);
        reader_.set_lenient(lenient);
        out_.barriers.push_back(std::move(declared));
    }

  private:
    BarrierKind read_kind(const YamlNode& node, const std::string& what) {
        const auto text = input_.require_text(node, "kind", what);
        if (text == "named") {
            return BarrierKind::named;
        }
        if (text == "bytes") {
            return BarrierKind::bytes;
        }
        if (text && *text != "mbarrier") {
            const std::string near = nearest_name(*text, {"mbarrier", "named", "bytes"});
            input_.error(node.find("kind")->where, fmt::format("unknown kind '{}'", *text),
                         near.empty() ? "mbarrier, named or bytes"
                                      : fmt::format("did you mean '{}'?", near));
        }
        return BarrierKind::mbarrier;
    }

    BarrierScope read_scope(const YamlNode& node) {
        const YamlNode* scope = node.find("scope");
        if (scope == nullptr) {
            return BarrierScope::cta;
        }
        const auto text = reader_.text(*scope, "scope");
        if (text && *text != "warp" && *text != "cta") {
            input_.error(scope->where, fmt::format("unknown scope '{}'", *text),
                         "warp: one instance for each warp index; cta (default)");
        }
        return text == "warp" ? BarrierScope::warp : BarrierScope::cta;
    }

    void read_ring(const YamlNode& node, DeclaredBarrier& declared) {
        const auto name = reader_.text(node, "ring");
        if (!name) {
            return;
        }
        std::vector<std::string> names;
        for (std::size_t i = 0; i < out_.rings.size(); ++i) {
            names.push_back(out_.rings[i].name);
            if (out_.rings[i].name == *name) {
                declared.barrier.ring = static_cast<int>(i);
                declared.barrier.stages = out_.rings[i].stages;
                return;
            }
        }
        const std::string near = nearest_name(*name, names);
        const bool buffer = find_buffer(out_, *name) != nullptr;
        input_.error(node.where,
                     buffer ? fmt::format("buffer '{}' has no stages, so it is no ring", *name)
                            : fmt::format("no ring '{}'", *name),
                     near.empty() ? "" : fmt::format("did you mean '{}'?", near));
    }

    void read_arrivals(const YamlNode& node, const std::string& what, DeclaredBarrier& declared) {
        const YamlNode* arrivals = input_.require(node, "arrivals", what);
        if (arrivals == nullptr) {
            return;
        }
        if (!arrivals->is_map()) {
            input_.error(arrivals->where,
                         fmt::format("arrivals of {} must be a map from role to count", what));
            return;
        }
        input_.check_keys(*arrivals, role_names_, "arrivals of " + what);
        std::int64_t total = 0;
        for (const auto& [role, count] : arrivals->fields) {
            if (std::find(role_names_.begin(), role_names_.end(), role) == role_names_.end()) {
                continue;  // what check_keys() does not know
            }
            const std::int64_t value =
                reader_.integer(count, "arrivals", 0, most_arrivals).value_or(1);
            const bool absent = std::find(out_.absent_roles.begin(), out_.absent_roles.end(),
                                          role) != out_.absent_roles.end();
            if (!absent && value > 0) {
                declared.arrivals.emplace_back(role, value);
                total += value;
            }
        }
        if (total == 0 && declared.present && !out_.roles.empty()) {
            reader_.value_error(arrivals->where, fmt::format("nobody arrives on {}", what));
        }
        declared.barrier.arrivals = std::max<std::int64_t>(1, total);
    }

    ValueReader& reader_;
    DiagnosticSink& input_;
    Declarations& out_;
    std::vector<std::string> role_names_;
};

}  // namespace

std::optional<int> find_barrier(const Declarations& declarations, std::string_view name) {
    for (std::size_t i = 0; i < declarations.barriers.size(); ++i) {
        if (declarations.barriers[i].barrier.name == name) {
            return static_cast<int>(i);
        }
    }
    return std::nullopt;
}

void read_barriers(const YamlNode* section, ValueReader& reader, Declarations& out) {
    BarrierReader barriers(reader, out);
    for_each_entry(section, "barriers", reader,
                   [&](const std::string& name, const YamlNode& node, const SourceLocation& where) {
                       barriers.read(name, node, where);
                   });
}

}  // namespace warpline
