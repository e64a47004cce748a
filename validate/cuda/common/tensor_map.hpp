// Tensor maps for the copy engine. The driver call is found through the runtime, so that nothing
// links against the driver library.
#pragma once

#include "check.hpp"

#include <cstdint>
#include <cuda.h>

namespace micro {

// A row-major matrix of `rows` rows of 64 two-byte elements (128 bytes), read in boxes of
// `box_rows` whole rows, swizzled as wgmma wants them.
inline CUtensorMap row_box_map(void* matrix, std::uint64_t rows, unsigned box_rows) {
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult found{};
    check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000,
                                           cudaEnableDefault, &found));
    if (found != cudaDriverEntryPointSuccess)
        fail("the driver has no cuTensorMapEncodeTiled");
    const auto encode = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(entry);
    CUtensorMap map{};
    const cuuint64_t sizes[2] = {64, rows};
    const cuuint64_t strides[1] = {128};
    const cuuint32_t box[2] = {64, box_rows};
    const cuuint32_t steps[2] = {1, 1};
    const CUresult status =
        encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, matrix, sizes, strides, box, steps,
               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
               CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (status != CUDA_SUCCESS)
        fail("cuTensorMapEncodeTiled: " + std::to_string(status));
    return map;
}

}  // namespace micro
