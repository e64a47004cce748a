#include "warpline/pipeline/declarations.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::int64_t largest_size = std::int64_t{1} << 32;
constexpr std::int64_t most_copies = 64;
constexpr std::int64_t most_stages = 1024;

std::optional<BufferSpace> space_from(std::string_view name) {
    for (const BufferSpace space : {BufferSpace::smem, BufferSpace::tmem, BufferSpace::registers}) {
        if (name == buffer_space_name(space)) {
            return space;
        }
    }
    return std::nullopt;
}

class BufferReader {
  public:
    BufferReader(ValueReader& reader, Declarations& out)
        : reader_(reader), input_(reader.problems().input), out_(out) {}

    void read(const std::string& name, const YamlNode& node, const SourceLocation& where) {
        static const std::vector<std::string> keys = {"space",  "bytes", "columns", "copies",
                                                      "stages", "alias", "offset",  "when"};
        const std::string what = "buffer '" + name + "'";
        input_.check_keys(node, keys, what);
        Buffer buffer;
        buffer.name = name;
        buffer.where = where;
        buffer.present = reader_.flag(node.find("when"), "when", true);
        const bool lenient = reader_.lenient();
        reader_.set_lenient(lenient || !buffer.present);
        read_space(node, what, buffer);
        if (const YamlNode* copies = node.find("copies")) {
            buffer.has_copies = true;
            buffer.copies = reader_.integer(*copies, "copies", 1, most_copies).value_or(1);
        }
        read_sizes(node, what, buffer);
        read_alias(node, what, buffer);
        reader_.set_lenient(lenient);
        out_.buffers.push_back(std::move(buffer));
    }

  private:
    void read_space(const YamlNode& node, const std::string& what, Buffer& buffer) {
        const auto text = input_.require_text(node, "space", what);
        if (!text) {
            return;
        }
        if (const auto space = space_from(*text)) {
            buffer.space = *space;
        } else {
            const std::string near = nearest_name(*text, {"smem", "tmem", "registers"});
            input_.error(
                node.find("space")->where, fmt::format("unknown space '{}'", *text),
                near.empty() ? "smem, tmem or registers" : fmt::format("did you mean '{}'?", near));
        }
    }

    void read_sizes(const YamlNode& node, const std::string& what, Buffer& buffer) {
        const YamlNode* stages = node.find("stages");
        std::int64_t count = 1;
        if (stages != nullptr) {
            count = reader_.integer(*stages, "stages", 1, most_stages).value_or(1);
        }
        const bool in_registers = buffer.space == BufferSpace::registers;
        const char* key = buffer.space == BufferSpace::tmem ? "columns" : "bytes";
        const char* other = buffer.space == BufferSpace::tmem ? "bytes" : "columns";
        if (const YamlNode* wrong = node.find(other)) {
            input_.error(wrong->where, fmt::format("the size of {} is given in '{}', not '{}'",
                                                   what, key, other));
        }
        const YamlNode* size = in_registers ? nullptr : input_.require(node, key, what);
        bool uneven = false;
        if (size != nullptr && size->is_sequence()) {
            uneven = true;
            for (const YamlNode& item : size->items) {
                buffer.stage_sizes.push_back(
                    reader_.integer(item, key, 0, largest_size).value_or(0));
            }
            const auto listed = static_cast<std::int64_t>(buffer.stage_sizes.size());
            if (listed == 0 || (stages != nullptr && listed > count && count > 1)) {
                reader_.value_error(
                    size->where, fmt::format("{} has {} stages and {} sizes", what, count, listed));
            }
            if (stages != nullptr && count == 1 && listed > 1) {
                buffer.stage_sizes.resize(1);  // a parameter may leave one stage of several
            }
            for (std::int64_t i = listed; listed > 0 && i < count; ++i) {
                buffer.stage_sizes.push_back(
                    buffer.stage_sizes[static_cast<std::size_t>(i - listed)]);
            }
        } else if (size != nullptr) {
            const std::int64_t each = reader_.integer(*size, key, 0, largest_size).value_or(0);
            buffer.stage_sizes.assign(static_cast<std::size_t>(count), each);
        }
        if (stages != nullptr || uneven) {
            buffer.ring = static_cast<int>(out_.rings.size());
            const auto listed = static_cast<int>(buffer.stage_sizes.size());
            out_.rings.push_back(
                {buffer.name, in_registers ? static_cast<int>(count) : std::max(1, listed)});
        }
    }

    void read_alias(const YamlNode& node, const std::string& what, Buffer& buffer) {
        const YamlNode* alias = node.find("alias");
        const YamlNode* offset = node.find("offset");
        if (offset != nullptr) {
            buffer.offset = reader_.integer(*offset, "offset", 0, largest_size).value_or(0);
            if (alias == nullptr) {
                input_.error(offset->where, fmt::format("{} has an offset but no alias", what));
            }
        }
        if (alias == nullptr) {
            return;
        }
        const auto target_name = reader_.text(*alias, "alias");
        if (!target_name) {
            return;
        }
        std::vector<std::string> names;
        for (std::size_t i = 0; i < out_.buffers.size(); ++i) {
            names.push_back(out_.buffers[i].name);
            if (out_.buffers[i].name == *target_name) {
                buffer.alias = static_cast<int>(i);
            }
        }
        if (buffer.alias < 0) {
            const std::string near = nearest_name(*target_name, names);
            input_.error(alias->where, fmt::format("no buffer '{}' above {}", *target_name, what),
                         near.empty() ? "" : fmt::format("did you mean '{}'?", near));
            return;
        }
        check_inside(*alias, what, buffer);
    }

    void check_inside(const YamlNode& alias, const std::string& what, const Buffer& buffer) {
        const Buffer& target = out_.buffers[static_cast<std::size_t>(buffer.alias)];
        if (target.space != buffer.space) {
            input_.error(alias.where,
                         fmt::format("{} and '{}' lie in different spaces", what, target.name));
            return;
        }
        const char* unit = buffer.space == BufferSpace::tmem ? "columns" : "bytes";
        if (buffer.copies > target.copies) {
            reader_.value_error(alias.where,
                                fmt::format("{} has {} copies, '{}' only {}", what, buffer.copies,
                                            target.name, target.copies));
        }
        if (buffer.offset + buffer.copy_size() > target.copy_size()) {
            reader_.value_error(alias.where, fmt::format("{} ends at {} {} of '{}', which has {}",
                                                         what, buffer.offset + buffer.copy_size(),
                                                         unit, target.name, target.copy_size()));
        }
    }

    ValueReader& reader_;
    DiagnosticSink& input_;
    Declarations& out_;
};

}  // namespace

std::string_view buffer_space_name(BufferSpace space) {
    switch (space) {
        case BufferSpace::smem:
            return "smem";
        case BufferSpace::tmem:
            return "tmem";
        case BufferSpace::registers:
            return "registers";
    }
    return "";
}

std::int64_t Buffer::copy_size() const {
    return std::accumulate(stage_sizes.begin(), stage_sizes.end(), std::int64_t{0});
}

const Buffer* find_buffer(const Declarations& declarations, std::string_view name) {
    const auto found = std::find_if(declarations.buffers.begin(), declarations.buffers.end(),
                                    [&](const Buffer& buffer) { return buffer.name == name; });
    return found == declarations.buffers.end() ? nullptr : &*found;
}

void read_buffers(const YamlNode* section, ValueReader& reader, Declarations& out) {
    BufferReader buffers(reader, out);
    for_each_entry(section, "buffers", reader,
                   [&](const std::string& name, const YamlNode& node, const SourceLocation& where) {
                       buffers.read(name, node, where);
                   });
}

}  // namespace warpline
