#include "warpline/hardware/mma_timing.hpp"

#include "warpline/hardware/dtype.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace warpline {
namespace {

const char* path_name(MmaPath path) {
    switch (path) {
        case MmaPath::tcgen05:
            return "tcgen05";
        case MmaPath::wgmma:
            return "wgmma";
        case MmaPath::mma_sync:
            break;
    }
    return "mma_sync";
}

double element_width(const MmaShape& shape) {
    return shape.element_bytes > 0.0 ? shape.element_bytes : element_bytes(shape.dtype);
}

bool block_scaled(const MmaShape& shape) {
    return scale_block(shape.dtype) > 0 || element_width(shape) < 1.0;
}

/// Operand bytes of a row that one instruction spans.
double row_bytes(const GpuSpec& spec, const MmaModel& model, const MmaShape& shape) {
    const double width = element_width(shape);
    const double wide_bytes = wide_row_bytes(spec);
    const auto wide = static_cast<std::int64_t>(wide_bytes / width);
    const bool divides = wide > 0 && shape.k > 0 && shape.k % wide == 0;
    return width < 1.0 && divides ? wide_bytes : model.k_bytes;
}

/// Why the path has no such instruction; empty when it has.
std::string misfit(const MmaShape& shape) {
    const auto multiple = [&](int step, int most) {
        return shape.n % step == 0 && shape.n >= step && shape.n <= most;
    };
    if (shape.path == MmaPath::tcgen05) {
        const bool pair = shape.ctas == 2;
        const bool rows = pair ? shape.m == 128 || shape.m == 256 : shape.m == 64 || shape.m == 128;
        if (block_scaled(shape) && shape.m != (pair ? 256 : 128)) {
            return "block-scaled operands want M = 128 in one CTA, 256 in a pair";
        }
        if ((!pair && shape.ctas != 1) || !rows) {
            return "M is 64 or 128 in one CTA, 128 or 256 in a pair";
        }
        if (!multiple(!pair && shape.m == 64 ? 8 : 16, 256)) {
            return "N is a multiple of 16 (8 for M = 64) up to 256";
        }
        return shape.a == OperandSource::registers ? "A comes from shared or tensor memory" : "";
    }
    if (block_scaled(shape)) {
        return "of the paths modelled, only tcgen05 takes block-scaled operands";
    }
    if (shape.ctas != 1) {
        return "only tcgen05 works in a pair of CTAs";
    }
    if (shape.path == MmaPath::wgmma) {
        if (shape.m != 64 || !multiple(8, 256)) {
            return "M is 64 and N a multiple of 8 up to 256";
        }
        return shape.a == OperandSource::tmem ? "A comes from shared memory or registers" : "";
    }
    if (shape.m <= 0 || shape.m % 16 != 0 || shape.m > 256 || !multiple(8, 512)) {
        return "M is a multiple of 16 up to 256 and N one of 8 up to 512 (instructions of 16 x 8)";
    }
    if (shape.dtype == DType::fp8) {
        return "8-bit operands are not native to mma.sync";
    }
    return shape.a == OperandSource::registers ? "" : "A comes from registers";
}

Result<MmaTiming> unsupported(const GpuSpec& spec, const MmaShape& shape, const std::string& why) {
    return fail(FailureKind::infeasible,
                fmt::format("{} has no {} instruction of M = {}, N = {} in {} CTA{}", spec.id,
                            path_name(shape.path), shape.m, shape.n, shape.ctas,
                            shape.ctas == 1 ? "" : "s"),
                why);
}

std::int64_t to_bytes(double bytes) {
    return static_cast<std::int64_t>(std::llround(bytes));
}

MmaTiming tcgen05_timing(const GpuSpec& spec, const MmaModel& model, const MmaShape& shape,
                         MmaTiming timing, double tensor) {
    const int rows = shape.m / shape.ctas;
    if (shape.ctas == 1 && shape.m == 64) {
        tensor *= model.half_rate_m64;
    }
    const double k_bytes = row_bytes(spec, model, shape);
    const double a_bytes = shape.a == OperandSource::smem ? rows * k_bytes : 0.0;
    double smem_bytes = a_bytes + static_cast<double>(shape.n) / shape.ctas * k_bytes;
    double completion = model.base_latency;
    if (shape.ctas == 2) {
        const bool whole = shape.m == 256;
        completion += whole ? model.pair_latency_m256 : model.pair_latency_m128;
        if (smem_bytes > tensor * spec.smem_bytes_per_clk) {
            // Port time lost between operands of the two CTAs; as bytes, the port's own unit.
            smem_bytes += spec.smem_bytes_per_clk *
                          (whole ? model.pair_smem_penalty_m256 : model.pair_smem_penalty_m128);
        }
    }
    // The floor spaces instructions out; the result of one is not later for it.
    const double paced = std::max(tensor, model.min_interval);
    timing.tensor = round_to_ticks(paced);
    timing.completion = round_to_ticks(std::max(0.0, completion - (paced - tensor)));
    timing.first_operand = round_to_ticks(a_bytes / spec.smem_bytes_per_clk);
    timing.smem_bytes = to_bytes(smem_bytes);
    return timing;
}

MmaTiming wgmma_timing(const GpuSpec& spec, const MmaModel& model, const MmaShape& shape,
                       MmaTiming timing, double tensor) {
    const double a_bytes = shape.a == OperandSource::smem ? shape.m * model.k_bytes : 0.0;
    const double smem_bytes = a_bytes + shape.n * model.k_bytes;
    // The four warps of a warpgroup each run a quarter of the rows and ask for a quarter of the
    // bytes.
    const int warps = spec.tensor_scope == UnitScope::sub_partition ? spec.sub_partitions : 1;
    timing.tensor = round_to_ticks(tensor);
    timing.completion = round_to_ticks(model.base_latency);
    timing.first_operand = round_to_ticks(a_bytes / spec.smem_bytes_per_clk);
    timing.smem_bytes = to_bytes(smem_bytes / warps);
    return timing;
}

MmaTiming mma_sync_timing(const GpuSpec& spec, const MmaModel& model, MmaTiming timing,
                          double tensor) {
    // A warp uses the tensor core of its sub-partition alone.
    const int share = spec.tensor_scope == UnitScope::sub_partition ? spec.sub_partitions : 1;
    timing.tensor = round_to_ticks(tensor * share);
    timing.completion = round_to_ticks(model.base_latency);
    return timing;
}

}  // namespace

Result<MmaTiming> mma_timing(const GpuSpec& spec, const MmaShape& shape) {
    const auto found = spec.mma.find(shape.path);
    if (found == spec.mma.end()) {
        return unsupported(spec, shape, fmt::format("the GPU lacks {}", path_name(shape.path)));
    }
    if (const std::string why = misfit(shape); !why.empty()) {
        return unsupported(spec, shape, why);
    }
    const MmaModel& model = found->second;
    constexpr double bytes_of_16_bits = 2.0;
    MmaTiming timing;
    timing.k = static_cast<int>(row_bytes(spec, model, shape) / element_width(shape));
    timing.flops = std::int64_t{2} * (shape.m / shape.ctas) * shape.n * timing.k;
    // Of any width and format: as long as one of 16-bit operands.
    const double tensor = 2.0 * (shape.m / shape.ctas) * shape.n *
                          (model.k_bytes / bytes_of_16_bits) / model.flops_per_clk;
    switch (shape.path) {
        case MmaPath::tcgen05:
            return tcgen05_timing(spec, model, shape, timing, tensor);
        case MmaPath::wgmma:
            return wgmma_timing(spec, model, shape, timing, tensor);
        case MmaPath::mma_sync:
            break;
    }
    return mma_sync_timing(spec, model, timing, tensor);
}

}  // namespace warpline
