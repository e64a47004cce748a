// How long one MMA instruction keeps the tensor core and the SMEM port, and when its result is
// visible.
#pragma once

#include "warpline/diagnostics/failure.hpp"
#include "warpline/hardware/gpu_spec.hpp"

#include <cstdint>

namespace warpline {

enum class OperandSource : std::uint8_t { smem, tmem, registers };

/// One MMA instruction. `m` and `n` are of the whole instruction: with `ctas` = 2, M = 256 means
/// 128 rows a CTA.
struct MmaShape {
    MmaPath path = MmaPath::tcgen05;
    int m = 128;
    int n = 128;
    int ctas = 1;
    OperandSource a = OperandSource::smem;
    DType dtype = DType::bf16;
    double element_bytes = 0.0;  ///< of the operands where that is not the dtype's
    std::int64_t k = 0;          ///< of all instructions of a chain, which decides their width
};

/// Times are per SM; for a path whose tensor core belongs to a sub-partition, per sub-partition and
/// warp (each warp of a wgmma executes a quarter of the rows).
struct MmaTiming {
    int k = 16;       ///< K of one instruction
    Tick tensor = 0;  ///< tensor core busy
    std::int64_t smem_bytes =
        0;  ///< operand bytes through the SMEM port of each SM (per warp share for wgmma)
    Tick first_operand = 0;  ///< fetch of A before the first instruction of a chain can start
    Tick completion = 0;     ///< tensor end -> result visible to a barrier or a wgmma wait
    std::int64_t flops = 0;  ///< executed by one instruction on each SM (all warps)
};

/// Whatever the format, an instruction spans k_bytes of each operand's row in the same time: K and
/// the rate double as the width halves. (B200: raw CSV of SemiAnalysis microbench-blackwell, 8- and
/// 4-bit and MX forms alike.) Where there are wide 4-bit instructions, a chain whose K they divide
/// takes those: wide_k_width in the same time. tcgen05:  tensor = N/4 if ctas = 2 and M = 128, else
/// 2*M'*N*K/flops_per_clk with M' rows a CTA;
///           smem   = ([A in SMEM] * M' + N/ctas) * k_bytes; first_operand = A bytes / 128;
///           completion = base_latency + the pair term. (B200 fit: SemiAnalysis
///           microbench-blackwell.)
/// wgmma:    tensor = N/2 per m64 instruction; smem = ([A in SMEM] * 64 + N) * k_bytes over the
/// four warps. mma_sync: tensor = 2*m*n*k over the sub-partition's share of flops_per_clk. Errors:
/// infeasible when the spec lacks the path or the shape is not one the path has.
[[nodiscard]] Result<MmaTiming> mma_timing(const GpuSpec& spec, const MmaShape& shape);

}  // namespace warpline
