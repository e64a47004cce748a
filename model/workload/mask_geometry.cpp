#include "warpline/workload/mask_geometry.hpp"

#include <algorithm>
#include <numeric>

namespace warpline {
namespace {

[[nodiscard]] std::int64_t floor_div(std::int64_t a, std::int64_t b) {
    const std::int64_t quotient = a / b;
    return quotient - ((a % b != 0 && a < 0) ? 1 : 0);
}

[[nodiscard]] std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
    return -floor_div(-a, b);
}

}  // namespace

MaskGeometry::MaskGeometry(const SequencePair& sequence, const Mask& mask, const TileShape& shape,
                           std::int64_t heads_per_kv)
    : sequence_(sequence),
      mask_(mask),
      rows_(shape.rows),
      block_(shape.block),
      over_kv_(shape.loop == TileLoop::over_kv),
      packed_(shape.pack_gqa ? heads_per_kv : 1),
      offset_(sequence.kv - sequence.q) {
    const std::int64_t query_rows = sequence.q * packed_;
    tiles_ = ceil_div(over_kv_ ? query_rows : sequence.kv, rows_);
    all_blocks_ = ceil_div(over_kv_ ? sequence.kv : query_rows, block_);
    // A tile moves the edges by rows / packed keys (forward) or rows * packed query rows
    // (backward).
    const std::int64_t unit = over_kv_ ? block_ * packed_ : block_;
    const std::int64_t advance = over_kv_ ? rows_ : (rows_ % block_) * (packed_ % block_);
    period_ = unit / std::gcd(advance, unit);
    padded_last_tile_ = !over_kv_ && sequence.kv % rows_ != 0;
}

MaskGeometry::Edges MaskGeometry::edges(std::int64_t index) const {
    return over_kv_ ? forward_edges(index) : backward_edges(index);
}

TileClass MaskGeometry::tile(std::int64_t index) const {
    const Edges e = edges(index);
    return over_kv_ ? forward_tile(e) : backward_tile(index, e);
}

// Forward: the tile's first and last query tokens decide which keys are visited.
MaskGeometry::Edges MaskGeometry::forward_edges(std::int64_t index) const {
    if (mask_.kind == MaskKind::full) {
        return {0, all_blocks_, all_blocks_, 0};
    }
    const std::int64_t newest_of_first = index * rows_ / packed_ + offset_;
    const std::int64_t newest_of_last = ((index + 1) * rows_ - 1) / packed_ + offset_;
    Edges e;
    e.diagonal = floor_div(newest_of_first, block_);
    e.end = floor_div(newest_of_last, block_) + 1;
    if (mask_.kind == MaskKind::sliding_window) {
        const std::int64_t reach = mask_.window - 1;
        e.begin = floor_div(newest_of_first - reach, block_);
        e.oldest = floor_div(newest_of_last - reach, block_) + 1;
    }
    return e;
}

TileClass MaskGeometry::forward_tile(const Edges& edges) const {
    const std::int64_t begin = std::clamp<std::int64_t>(edges.begin, 0, all_blocks_);
    const std::int64_t end = std::clamp<std::int64_t>(edges.end, 0, all_blocks_);
    if (end <= begin) {
        return {};
    }
    const std::int64_t unmasked_end = std::clamp(edges.diagonal, begin, end - 1);
    const std::int64_t masked_last =
        std::max<std::int64_t>(0, std::min(edges.oldest, unmasked_end) - begin);
    return {end - begin, end - unmasked_end, masked_last};
}

// Backward: the tile's first and last keys decide which query rows are visited. Tokens are clamped
// around the sequence so that packed rows cannot overflow.
MaskGeometry::Edges MaskGeometry::backward_edges(std::int64_t index) const {
    if (mask_.kind == MaskKind::full) {
        return {0, all_blocks_, 0, all_blocks_};
    }
    const auto first_row = [&](std::int64_t token) {
        return std::clamp<std::int64_t>(token, -2, sequence_.q + block_) * packed_;
    };
    const auto last_row = [&](std::int64_t token) { return first_row(token + 1) - 1; };
    const std::int64_t first_of_first = index * rows_ - offset_;
    const std::int64_t first_of_last = (index + 1) * rows_ - 1 - offset_;
    Edges e;
    e.begin = floor_div(first_row(first_of_first), block_);
    e.diagonal = floor_div(last_row(first_of_last), block_) + 1;
    e.end = all_blocks_;
    e.oldest = all_blocks_;
    if (mask_.kind == MaskKind::sliding_window) {
        const std::int64_t reach = mask_.window - 1;
        e.end = floor_div(last_row(first_of_last + reach), block_) + 1;
        e.oldest = floor_div(first_row(first_of_first + reach), block_);
    }
    return e;
}

TileClass MaskGeometry::backward_tile(std::int64_t index, const Edges& edges) const {
    const std::int64_t begin = std::clamp<std::int64_t>(edges.begin, 0, all_blocks_);
    const std::int64_t end = std::clamp<std::int64_t>(edges.end, 0, all_blocks_);
    if (end <= begin) {
        return {};
    }
    if (padded_last_tile_ && index == tiles_ - 1) {
        return {end - begin, end - begin, 0};
    }
    const std::int64_t masked_end = std::clamp(edges.diagonal, begin, end);
    const std::int64_t last_begin = std::clamp(edges.oldest, masked_end, end);
    return {end - begin, masked_end - begin, end - last_begin};
}

}  // namespace warpline
