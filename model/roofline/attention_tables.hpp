// The roofline arithmetic of the FlashAttention-4 paper (arXiv:2603.05451, Tables 1 and 3): cycles
// that one tile of scores needs on the tensor core, the SMEM port and the exponential unit. It
// knows nothing of pipelines; it is the yardstick that a lowered kernel's demand is compared with.
#pragma once

#include <cstdint>

namespace warpline {

/// What one SM does in a clock.
struct TableRates {
    double mma_flops = 8192.0;      ///< dense 16-bit FLOPs (B200)
    double smem_bytes = 128.0;      ///< through the SMEM port
    double exponentials = 16.0;     ///< MUFU ex2
    std::int64_t mma_extent = 128;  ///< rows and columns of one MMA; operands are read for each
};

/// Forward scores of `rows` queries and `columns` keys.
struct ForwardTile {
    std::int64_t rows = 128;
    std::int64_t columns = 128;
    std::int64_t head_dim = 128;
    double emulated_share = 0.0;  ///< exponentials computed as polynomials instead, 0 to 1
};

/// Cycles of one SM.
struct ForwardCycles {
    double mma = 0.0;
    double smem = 0.0;  ///< MMA operands: Q K^T reads both from SMEM, P V only V (P is in TMEM)
    double exponentials = 0.0;
};
[[nodiscard]] ForwardCycles forward_table(const ForwardTile& tile, const TableRates& rates = {});

/// Backward scores of one CTA: `q_rows` queries and `kv_rows` keys of its own. The paper names a
/// pair by the M = 256 of its MMAs: 128 keys in each CTA.
struct BackwardTile {
    std::int64_t q_rows = 128;
    std::int64_t kv_rows = 128;
    std::int64_t head_dim = 128;
    bool pair = false;  ///< two CTAs share each MMA, swap halves of dS and own half of dQ each
};

/// Cycles of one SM.
struct BackwardCycles {
    double mma = 0.0;           ///< five GEMMs
    double operands = 0.0;      ///< S, dP, dQ with both operands in SMEM, dV and dK with one
    double ds_write = 0.0;      ///< dS in 16 bits
    double ds_exchange = 0.0;   ///< of a pair: half of dS, three passes (the paper gives the sum;
                                ///< the passes are inferred: staged, read here, written there)
    double dq_reduction = 0.0;  ///< dQ in fp32, written and read back by the bulk reduction
    double exponentials = 0.0;

    [[nodiscard]] double smem() const { return operands + ds_write + ds_exchange + dq_reduction; }
};
[[nodiscard]] BackwardCycles backward_table(const BackwardTile& tile, const TableRates& rates = {});

}  // namespace warpline
