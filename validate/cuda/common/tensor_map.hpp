// Tensor maps for the copy engine. The driver call is found through the runtime, so that nothing
// links against the driver library.
#pragma once

#include "check.hpp"

#include <cstdint>
#include <cuda.h>

namespace micro {

inline decltype(&cuTensorMapEncodeTiled) tensor_map_encoder() {
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult found{};
    check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000,
                                           cudaEnableDefault, &found));
    if (found != cudaDriverEntryPointSuccess)
        fail("the driver has no cuTensorMapEncodeTiled");
    return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(entry);
}

// `planes` row-major matrices of `rows` rows of `columns` bf16, one behind the other, read in boxes
// of `box_rows` rows of 64 columns (128 bytes), swizzled as wgmma wants them. Rows past a plane's
// end read as zero and are not written.
inline CUtensorMap plane_box_map(void* planes_of_rows, std::uint64_t columns, std::uint64_t rows,
                                 std::uint64_t planes, unsigned box_rows) {
    CUtensorMap map{};
    const cuuint64_t sizes[3] = {columns, rows, planes};
    const cuuint64_t strides[2] = {2 * columns, 2 * columns * rows};
    const cuuint32_t box[3] = {64, box_rows, 1};
    const cuuint32_t steps[3] = {1, 1, 1};
    const CUresult status = tensor_map_encoder()(
        &map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 3, planes_of_rows, sizes, strides, box, steps,
        CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
        CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (status != CUDA_SUCCESS)
        fail("cuTensorMapEncodeTiled: " + std::to_string(status));
    return map;
}

// A row-major matrix of `rows` rows of 64 two-byte elements, in boxes as above.
inline CUtensorMap row_box_map(void* matrix, std::uint64_t rows, unsigned box_rows) {
    CUtensorMap map{};
    const cuuint64_t sizes[2] = {64, rows};
    const cuuint64_t strides[1] = {128};
    const cuuint32_t box[2] = {64, box_rows};
    const cuuint32_t steps[2] = {1, 1};
    const CUresult status =
        tensor_map_encoder()(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, matrix, sizes, strides, box,
                             steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                             CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (status != CUDA_SUCCESS)
        fail("cuTensorMapEncodeTiled: " + std::to_string(status));
    return map;
}

}  // namespace micro
