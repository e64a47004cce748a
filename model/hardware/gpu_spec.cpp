#include "warpline/hardware/gpu_spec.hpp"

#include "warpline/units/quantity.hpp"

#include <algorithm>
#include <array>

namespace warpline {
namespace {

constexpr std::array<std::string_view, 5> letters = {"A", "B", "C", "D", "F"};

}  // namespace

const std::vector<std::string>& known_capabilities() {
    static const std::vector<std::string> all = {
        "cluster", "cp_async", "fast_ex2", "fmnmx3",        "mma_sync", "packed_f32",
        "tcgen05", "tma",      "tmem",     "tmem_load_max", "wgmma",    "wide_mbarrier"};
    return all;
}

std::string_view confidence_letter(Confidence confidence) {
    return letters.at(static_cast<std::size_t>(confidence));
}

std::optional<Confidence> confidence_from_letter(std::string_view letter) {
    const auto* const found = std::find(letters.begin(), letters.end(), letter);
    if (found == letters.end()) {
        return std::nullopt;
    }
    return static_cast<Confidence>(found - letters.begin());
}

bool GpuSpec::has(const std::string& capability) const {
    return std::find(capabilities.begin(), capabilities.end(), capability) != capabilities.end();
}

double GpuSpec::peak_flops(const ClockHz& clock) const {
    FlopsPerCycle fastest;
    for (const auto& [path, model] : mma) {
        fastest = std::max(fastest, FlopsPerCycle(model.flops_per_clk));
    }
    return (fastest * to_hertz(clock)).value() * static_cast<double>(sm_count);
}

std::string_view dtype_name(DType dtype) {
    switch (dtype) {
        case DType::bf16:
            return "bf16";
        case DType::fp16:
            return "fp16";
        case DType::fp8:
            return "fp8";
    }
    return "unknown";
}

std::optional<DType> dtype_from_name(std::string_view name) {
    for (const DType dtype : {DType::bf16, DType::fp16, DType::fp8}) {
        if (dtype_name(dtype) == name) {
            return dtype;
        }
    }
    return std::nullopt;
}

}  // namespace warpline
