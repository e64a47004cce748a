#include "warpline/roofline/attention_tables.hpp"

namespace warpline {
namespace {

constexpr std::int64_t operand_bytes = 2;
constexpr std::int64_t accumulator_bytes = 4;
constexpr std::int64_t forward_gemms = 2;
constexpr std::int64_t backward_gemms = 5;

std::int64_t ceil_divide(std::int64_t value, std::int64_t by) {
    return (value + by - 1) / by;
}

double quotient(std::int64_t work, double rate) {
    return static_cast<double>(work) / rate;
}

}  // namespace

ForwardCycles forward_table(const ForwardTile& tile, const TableRates& rates) {
    const std::int64_t extent = rates.mma_extent;
    const std::int64_t row_tiles = ceil_divide(tile.rows, extent);
    const std::int64_t qk_elements =
        row_tiles * ceil_divide(tile.columns, extent) * (extent + extent) * tile.head_dim;
    const std::int64_t pv_elements =
        row_tiles * ceil_divide(tile.head_dim, extent) * extent * tile.columns;
    ForwardCycles cycles;
    cycles.mma =
        quotient(2 * forward_gemms * tile.rows * tile.columns * tile.head_dim, rates.mma_flops);
    cycles.smem = quotient((qk_elements + pv_elements) * operand_bytes, rates.smem_bytes);
    cycles.exponentials =
        quotient(tile.rows * tile.columns, rates.exponentials) * (1.0 - tile.emulated_share);
    return cycles;
}

BackwardCycles backward_table(const BackwardTile& tile, const TableRates& rates) {
    const std::int64_t ctas = tile.pair ? 2 : 1;
    const std::int64_t q = tile.q_rows;
    const std::int64_t kv = tile.kv_rows;
    const std::int64_t d = tile.head_dim;
    // A operands are a CTA's own rows; a pair splits B operands between its CTAs.
    const std::int64_t scores = 2 * (kv * d + q * d / ctas);                    // K Q^T, V dO^T
    const std::int64_t key_gradients = 2 * (q * d / ctas);                      // P^T dO, dS^T Q
    const std::int64_t dq = (q / ctas) * (kv * ctas) + (kv * ctas) * d / ctas;  // dS K
    const std::int64_t ds_bytes = q * kv * operand_bytes;
    constexpr std::int64_t exchange_passes = 3;
    constexpr std::int64_t reduction_passes = 2;
    BackwardCycles cycles;
    cycles.mma = quotient(2 * backward_gemms * q * kv * d, rates.mma_flops);
    cycles.operands = quotient((scores + key_gradients + dq) * operand_bytes, rates.smem_bytes);
    cycles.ds_write = quotient(ds_bytes, rates.smem_bytes);
    cycles.ds_exchange =
        tile.pair ? quotient(exchange_passes * ds_bytes / 2, rates.smem_bytes) : 0.0;
    cycles.dq_reduction =
        quotient(reduction_passes * (q / ctas) * d * accumulator_bytes, rates.smem_bytes);
    cycles.exponentials = quotient(q * kv, rates.exponentials);
    return cycles;
}

}  // namespace warpline
