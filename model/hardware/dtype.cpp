#include "warpline/hardware/dtype.hpp"

#include <algorithm>

namespace warpline {
namespace {

struct Format {
    DType dtype;
    std::string_view name;
    double bytes;
    int block;
};

constexpr std::array formats = {
    Format{DType::bf16, "bf16", 2.0, 0}, Format{DType::fp16, "fp16", 2.0, 0},
    Format{DType::fp8, "fp8", 1.0, 0}, Format{DType::mxfp8, "mxfp8", 1.0, 32},
    Format{DType::nvfp4, "nvfp4", 0.5, 16}};
static_assert(formats.size() == all_dtypes.size());

const Format& format_of(DType dtype) {
    return formats.at(static_cast<std::size_t>(dtype));
}

}  // namespace

std::string_view dtype_name(DType dtype) {
    return format_of(dtype).name;
}

std::optional<DType> dtype_from_name(std::string_view name) {
    const auto* const found = std::find_if(
        formats.begin(), formats.end(), [&](const Format& format) { return format.name == name; });
    return found == formats.end() ? std::nullopt : std::optional(found->dtype);
}

std::string dtype_names() {
    std::string names;
    for (const Format& format : formats) {
        names += (names.empty() ? "" : ", ") + std::string(format.name);
    }
    return names;
}

double element_bytes(DType dtype) {
    return format_of(dtype).bytes;
}

int scale_block(DType dtype) {
    return format_of(dtype).block;
}

double stored_bytes(DType dtype) {
    const int block = scale_block(dtype);
    return element_bytes(dtype) + (block > 0 ? 1.0 / block : 0.0);
}

double wide_row_bytes(const GpuSpec& spec) {
    const auto found = spec.constants.find("mma.tcgen05.wide_k_width");
    return found == spec.constants.end() ? 0.0 : found->second.value;
}

double peak_flops(const GpuSpec& spec, const ClockHz& clock, DType dtype) {
    double wider = element_bytes(DType::bf16) / element_bytes(dtype);
    const auto path = spec.mma.find(MmaPath::tcgen05);
    const double wide = wide_row_bytes(spec);
    if (dtype == DType::nvfp4 && path != spec.mma.end() && wide > 0.0) {
        wider *= wide / path->second.k_bytes;
    }
    return wider * spec.peak_flops(clock);
}

}  // namespace warpline
