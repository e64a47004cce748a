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
        "cluster", "cp_async", "fast_ex2", "fmnmx3",        "mma_k96", "mma_sync",     "packed_f32",
        "tcgen05", "tma",      "tmem",     "tmem_load_max", "wgmma",   "wide_mbarrier"};
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

}  // namespace warpline
