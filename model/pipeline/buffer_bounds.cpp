// What a statement touches of a buffer fits into one stage of it. Which stage or copy is meant is
// often known at run time only, so the largest stage counts; what a layout adds (padding, unused
// lanes, scale factors) counts as nothing. So only what cannot fit is refused.
#include "warpline/pipeline/lowering.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr double tmem_lanes = 128.0;
constexpr double tmem_lane_bytes = 4.0;  // of one column, and of one sum

std::int64_t rounded_up(double amount) {
    return static_cast<std::int64_t>(std::ceil(amount));
}

/// Without an index, one statement may stand for what goes to each copy.
bool names_all_copies(const Buffer& buffer, const YamlNode& named) {
    return buffer.has_copies && named.scalar.find('[') == std::string::npos;
}

}  // namespace

const Buffer* RoleLowering::buffer_at(const YamlNode& node, const char* key) const {
    const YamlNode* const named = node.find(key);
    if (named == nullptr || !named->is_scalar()) {
        return nullptr;
    }
    // "peer ds": a buffer of that name in another CTA.
    std::string_view text = resolved(named->scalar);
    text.remove_prefix(std::min(text.find(' ') + 1, text.size()));
    const auto parsed = parse_reference(text);
    return parsed ? find_buffer(context_.declarations, resolved(parsed->name)) : nullptr;
}

std::int64_t RoleLowering::excess(const YamlNode& node, const char* key,
                                  std::int64_t amount) const {
    const Buffer* const buffer = reader_.lenient() ? nullptr : buffer_at(node, key);
    if (buffer == nullptr || buffer->stage_sizes.empty()) {
        return 0;
    }
    const auto& sizes = buffer->stage_sizes;
    const bool all_copies = names_all_copies(*buffer, *node.find(key));
    return std::max<std::int64_t>(0, amount - *std::max_element(sizes.begin(), sizes.end()) *
                                                  (all_copies ? buffer->copies : 1));
}

void RoleLowering::refuse_excess(const YamlNode& node, const char* key, std::int64_t amount,
                                 std::string_view what) {
    const std::int64_t over = excess(node, key, amount);
    if (over == 0) {
        return;
    }
    const Buffer& buffer = *buffer_at(node, key);
    const char* const unit = buffer.space == BufferSpace::tmem ? "columns" : "bytes";
    const char* part = "";
    if (buffer.ring >= 0) {
        part = "a stage of ";
    } else if (buffer.copies > 1 && !names_all_copies(buffer, *node.find(key))) {
        part = "a copy of ";
    }
    reader_.value_error(node.find(key)->where,
                        fmt::format("{} {} {}, and {}buffer '{}' holds {}: {} too many", what,
                                    amount, unit, part, buffer.name, amount - over, over));
}

void RoleLowering::check_copy_bounds(const YamlNode& node, std::int64_t bytes) {
    refuse_excess(node, "from", bytes, "the copy moves");
    refuse_excess(node, "to", bytes, "the copy moves");
}

void RoleLowering::check_tmem_bounds(const YamlNode& node, const char* key, std::int64_t columns) {
    refuse_excess(node, key, columns, "the access moves");
}

void RoleLowering::check_mma_bounds(const YamlNode& node, const ChainShape& shape) {
    const auto check = [&](const char* key, std::int64_t rows, std::int64_t columns, double width) {
        const Buffer* const buffer = buffer_at(node, key);
        if (buffer == nullptr || buffer->stage_sizes.empty()) {
            return;  // cheap: most operands that have no size are registers
        }
        // Each CTA of a pair holds half of the rows.
        const double bytes =
            static_cast<double>(rows) / shape.ctas * static_cast<double>(columns) * width;
        const bool tensor = buffer->space == BufferSpace::tmem;
        const std::int64_t amount =
            rounded_up(tensor ? bytes / (tmem_lanes * tmem_lane_bytes) : bytes);
        if (excess(node, key, amount) > 0) {
            refuse_excess(
                node, key, amount,
                fmt::format("operand {} of the MMA, {} x {} elements of {} B{}, takes", key, rows,
                            columns, width, shape.ctas > 1 ? " in two CTAs" : ""));
        }
    };
    check("a", shape.m, shape.k, shape.element_bytes);
    check("b", shape.n, shape.k, shape.element_bytes);
    check("d", shape.m, shape.n, tmem_lane_bytes);
}

}  // namespace warpline
