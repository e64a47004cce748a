#include "warpline/hardware/number_format.hpp"

namespace warpline {

NumberFormat number_format(DType dtype) {
    switch (dtype) {
        case DType::bf16:
        case DType::fp16:
            return {2.0, 0, 0.0};
        case DType::fp8:
            return {1.0, 0, 0.0};
        case DType::mxfp8:
            return {1.0, 32, 1.0};
        case DType::nvfp4:
            return {0.5, 16, 1.0};
    }
    return {};
}

double stored_bytes(DType dtype) {
    const NumberFormat format = number_format(dtype);
    const double share = format.scale_block > 0 ? format.scale_bytes / format.scale_block : 0.0;
    return format.element_bytes + share;
}

bool block_scaled(DType dtype) {
    return number_format(dtype).scale_block > 0;
}

const std::vector<DType>& all_dtypes() {
    static const std::vector<DType> all = {DType::bf16, DType::fp16, DType::fp8, DType::mxfp8,
                                           DType::nvfp4};
    return all;
}

}  // namespace warpline
