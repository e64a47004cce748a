// Which buffers an asynchronous operation touches.
#include "warpline/pipeline/lowering.hpp"

#include <algorithm>

namespace warpline {

void RoleLowering::note_touches(const YamlNode& node, int op) {
    struct Operand {
        const char* key;
        bool writes;
    };
    for (const Operand operand : {Operand{"a", false}, Operand{"b", false}, Operand{"from", false},
                                  Operand{"d", true}, Operand{"to", true}}) {
        const YamlNode* const written = node.find(operand.key);
        if (written == nullptr || !written->is_scalar()) {
            continue;
        }
        std::string_view text = resolved(written->scalar);
        BufferTouch touch;
        touch.op = op;
        touch.writes = operand.writes;
        const std::size_t space = text.find(' ');
        if (space != std::string_view::npos) {
            touch.at = text.substr(0, space) == "all" ? At::all : At::peer;
            text = text.substr(space + 1);
        }
        // "peer" alone names no buffer, nor does "global"; errors were reported before.
        const auto parsed = parse_reference(text);
        const Buffer* const found =
            parsed ? find_buffer(context_.declarations, resolved(parsed->name)) : nullptr;
        if (found == nullptr || found->space == BufferSpace::registers) {
            continue;
        }
        touch.buffer = static_cast<int>(found - context_.declarations.buffers.data());
        if (found->copies == 1) {
            touch.copy = 0;
        } else if (found->has_copies && !parsed->indices.empty()) {
            Reference::Index index = parsed->indices[0];
            touch.copy = copy_index(*written, index, found->name, found->copies).value_or(-1);
        }
        context_.touches.push_back(touch);
    }
}

}  // namespace warpline
