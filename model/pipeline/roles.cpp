#include "warpline/pipeline/declarations.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::int64_t most_warps = 64;
constexpr std::int64_t most_copies = 16;

class RoleReader {
  public:
    RoleReader(const YamlNode* programs, ValueReader& reader, Declarations& out)
        : programs_(programs), reader_(reader), input_(reader.problems().input), out_(out) {}

    void read(const std::string& name, const YamlNode& node, const SourceLocation& where) {
        const std::string what = fmt::format("role '{}'", name);
        input_.check_keys(node, {"each", "warps", "registers", "on", "first_warp", "when"}, what);
        const bool present = reader_.flag(node.find("when"), "when", true);
        const bool lenient = reader_.lenient();
        reader_.set_lenient(lenient || !present);
        DeclaredRole declared;
        declared.where = where;
        declared.role.name = declared.role.base_name = name;
        if (const YamlNode* warps = input_.require(node, "warps", what)) {
            declared.role.warps =
                static_cast<int>(reader_.integer(*warps, "warps", 1, most_warps).value_or(1));
        }
        if (const YamlNode* registers = input_.require(node, "registers", what)) {
            declared.role.registers =
                static_cast<int>(reader_.integer(*registers, "registers", 1, 65536).value_or(1));
        }
        if (const YamlNode* first = node.find("first_warp")) {
            next_warp_ = static_cast<int>(
                reader_.integer(*first, "first_warp", 0, most_warps - 1).value_or(next_warp_));
        }
        declared.role.leader_only = is_leader_only(node);
        const int copies = read_each(node, what, declared);
        declared.program = programs_ != nullptr ? programs_->find(name) : nullptr;
        if (declared.program == nullptr) {
            input_.error(where, fmt::format("{} has no program", what));
        }
        reader_.set_lenient(lenient);
        if (present) {
            add(declared, copies);
        } else {
            out_.absent_roles.push_back(name);
        }
    }

  private:
    bool is_leader_only(const YamlNode& node) {
        const YamlNode* on = node.find("on");
        if (on == nullptr) {
            return false;
        }
        const auto text = reader_.text(*on, "on");
        if (text && *text != "leader" && *text != "each") {
            input_.error(on->where, fmt::format("'on' is '{}'", *text),
                         "leader: only in the first CTA of a cluster; each: in every CTA");
        }
        return text && *text == "leader";
    }

    /// The number of copies; 1 and no index name without `each`.
    int read_each(const YamlNode& node, const std::string& what, DeclaredRole& declared) {
        const YamlNode* each = node.find("each");
        if (each == nullptr) {
            return 1;
        }
        if (!each->is_map() || each->fields.size() != 1 || !is_identifier(each->fields[0].first)) {
            input_.error(each->where,
                         fmt::format("'each' of {} must be one name and a count", what),
                         "for example s: q_stages");
            return 1;
        }
        declared.each = each->fields[0].first;
        if (reader_.evaluator().defines(declared.each)) {
            input_.error(each->where, fmt::format("the name '{}' is taken", declared.each));
        }
        return static_cast<int>(
            reader_.integer(each->fields[0].second, "each", 1, most_copies).value_or(1));
    }

    void add(const DeclaredRole& declared, int copies) {
        for (int copy = 0; copy < copies; ++copy) {
            DeclaredRole one = declared;
            if (!one.each.empty()) {
                one.role.copy = copy;
                one.role.name = fmt::format("{}[{}]", one.role.base_name, copy);
            }
            one.role.first_warp = next_warp_;
            next_warp_ += one.role.warps;
            for (const DeclaredRole& other : out_.roles) {
                if (one.role.first_warp < other.role.first_warp + other.role.warps &&
                    other.role.first_warp < next_warp_) {
                    reader_.value_error(
                        one.where, fmt::format("role '{}' (warps {} to {}) and role '{}' share "
                                               "a warp",
                                               one.role.name, one.role.first_warp, next_warp_ - 1,
                                               other.role.name));
                }
            }
            out_.roles.push_back(std::move(one));
        }
    }

    const YamlNode* programs_;
    ValueReader& reader_;
    DiagnosticSink& input_;
    Declarations& out_;
    int next_warp_ = 0;
};

void check_programs_have_roles(const YamlNode& programs, ValueReader& reader,
                               const std::vector<std::string>& roles) {
    if (programs.is_map()) {
        reader.problems().input.check_keys(programs, roles, "program");
    } else {
        reader.problems().input.error(programs.where,
                                      "program must be a map from role to statements");
    }
}

}  // namespace

void read_roles(const YamlNode* section, const YamlNode* programs, ValueReader& reader,
                Declarations& out) {
    RoleReader roles(programs, reader, out);
    std::vector<std::string> names;
    for_each_entry(section, "roles", reader,
                   [&](const std::string& name, const YamlNode& node, const SourceLocation& where) {
                       names.push_back(name);
                       roles.read(name, node, where);
                   });
    if (programs != nullptr) {
        check_programs_have_roles(*programs, reader, names);
    }
}

}  // namespace warpline
