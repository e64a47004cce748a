// What a pipeline file declares before its programs: the cluster, tiles, buffers, barriers, roles.
#pragma once

#include "warpline/pipeline/kernel_plan.hpp"
#include "warpline/pipeline/values.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpline {

enum class BufferSpace : std::uint8_t { smem, tmem, registers };
[[nodiscard]] std::string_view buffer_space_name(BufferSpace space);

struct Buffer {
    std::string name;
    BufferSpace space = BufferSpace::smem;
    bool has_copies = false;  ///< declared with `copies`, so references may name one
    std::int64_t copies = 1;
    /// Bytes (smem) or columns (tmem) of each stage; one entry without stages; empty for registers.
    std::vector<std::int64_t> stage_sizes;
    int ring = -1;   ///< index into Declarations::rings, or -1
    int alias = -1;  ///< index into Declarations::buffers of the buffer it lies in, or -1
    std::int64_t offset = 0;
    bool present = true;  ///< false: its `when` is 0
    SourceLocation where;

    /// Of all stages of one copy.
    [[nodiscard]] std::int64_t copy_size() const;
};

struct DeclaredBarrier {
    Barrier barrier;
    bool has_copies = false;
    bool present = true;
    std::vector<std::pair<std::string, std::int64_t>> arrivals;  ///< by base name of the role
    SourceLocation where;
};

struct DeclaredRole {
    Role role;         ///< without its program
    std::string each;  ///< the index name, empty without
    const YamlNode* program = nullptr;
    SourceLocation where;
};

struct Procedure {
    const YamlNode* node = nullptr;
    std::vector<std::string> takes;
};

struct Declarations {
    int cluster = 1;
    int ctas_per_sm = 1;
    double counted_share = 1.0;
    TileShape tiles;
    std::vector<Buffer> buffers;
    std::vector<Ring> rings;
    std::vector<DeclaredBarrier> barriers;
    std::vector<DeclaredRole> roles;        ///< copies of an `each` role are separate
    std::vector<std::string> absent_roles;  ///< left out by their `when`
    std::map<std::string, Procedure, std::less<>> procedures;
};

/// Reads everything but the programs. Problems go to the reader; what could be read is returned.
[[nodiscard]] Declarations read_declarations(const YamlNode& root, ValueReader& reader);

/// The steps of read_declarations, in this order.
void read_launch(const YamlNode& root, ValueReader& reader, Declarations& out);
void read_buffers(const YamlNode* section, ValueReader& reader, Declarations& out);
void read_roles(const YamlNode* section, const YamlNode* programs, ValueReader& reader,
                Declarations& out);
void read_barriers(const YamlNode* section, ValueReader& reader, Declarations& out);
void read_procedures(const YamlNode* section, ValueReader& reader, Declarations& out);

[[nodiscard]] const Buffer* find_buffer(const Declarations& declarations, std::string_view name);
[[nodiscard]] std::optional<int> find_barrier(const Declarations& declarations,
                                              std::string_view name);

/// Calls `visit(name, node, where)` for each entry of a section that is a map of maps; reports
/// what is not.
template <typename Visit>
void for_each_entry(const YamlNode* section, std::string_view what, ValueReader& reader,
                    Visit visit) {
    if (section == nullptr || section->kind == YamlNode::Kind::null) {
        return;
    }
    DiagnosticSink& input = reader.problems().input;
    if (!section->is_map()) {
        input.error(section->where, std::string(what) + " must be a map");
        return;
    }
    for (std::size_t i = 0; i < section->fields.size(); ++i) {
        const auto& [name, node] = section->fields[i];
        if (!is_identifier(name)) {
            input.error(section->key_locations[i], "'" + name + "' is not a name",
                        "letters, digits and underscores");
        } else if (!node.is_map()) {
            input.error(node.where, "'" + name + "' in " + std::string(what) + " must be a map");
        } else {
            visit(name, node, section->key_locations[i]);
        }
    }
}

}  // namespace warpline
