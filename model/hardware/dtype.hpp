// Operand formats: widths, scale factors, and the rates that follow.
#pragma once

#include "warpline/hardware/gpu_spec.hpp"

#include <array>
#include <string>

namespace warpline {

inline constexpr std::array all_dtypes = {DType::bf16, DType::fp16, DType::fp8, DType::mxfp8,
                                          DType::nvfp4};
/// "bf16, fp16, ...": every name, for messages.
[[nodiscard]] std::string dtype_names();

/// Bytes of one element: 2, 1 or 0.5.
[[nodiscard]] double element_bytes(DType dtype);
/// Elements along K that share a scale factor of one byte; 0 where none do.
[[nodiscard]] int scale_block(DType dtype);
/// Bytes that an element takes in memory, its share of a scale factor included.
[[nodiscard]] double stored_bytes(DType dtype);

/// Operand bytes of a row that one wide 4-bit MMA spans in the time of a plain one; 0 where the GPU
/// has none.
[[nodiscard]] double wide_row_bytes(const GpuSpec& spec);
/// Dense FLOP/s at `clock` of operands of `dtype`.
[[nodiscard]] double peak_flops(const GpuSpec& spec, const ClockHz& clock, DType dtype);

}  // namespace warpline
