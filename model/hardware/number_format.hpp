// How wide the elements of each operand type are, and which of them share a scale factor.
#pragma once

#include "warpline/hardware/gpu_spec.hpp"

#include <vector>

namespace warpline {

/// Element types and blocks are those of the OCP Microscaling specification (mxfp8: e4m3 elements,
/// 32 to a ue8m0 scale) and of the PTX ISA, tcgen05.mma kind::mxf4nvf4 (nvfp4: e2m1 elements, 16 to
/// a ue4m3 scale).
struct NumberFormat {
    double element_bytes = 2.0;
    int scale_block = 0;       ///< elements along K that share a scale factor; 0: a tensor has one
    double scale_bytes = 0.0;  ///< of one scale factor of a block
};

[[nodiscard]] NumberFormat number_format(DType dtype);
/// Bytes an element takes in memory, with its share of the scale factor.
[[nodiscard]] double stored_bytes(DType dtype);
[[nodiscard]] bool block_scaled(DType dtype);
/// Every type, widest first.
[[nodiscard]] const std::vector<DType>& all_dtypes();

}  // namespace warpline
