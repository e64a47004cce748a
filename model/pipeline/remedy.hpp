// What to change when a kernel does not fit on the GPU.
#pragma once

#include "warpline/pipeline/parameters.hpp"

#include <functional>
#include <string>
#include <vector>

namespace warpline {

/// Whether the kernel fits with these overrides (and satisfies its own checks).
using FitsWith = std::function<bool(const std::vector<ParameterOverride>&)>;

/// For each parameter that is there to be chosen, the largest smaller value with which the kernel
/// fits, all others unchanged: "fits with kv_stages = 2, or tile_kv = 96". Empty when none helps.
[[nodiscard]] std::string find_remedy(const std::vector<Parameter>& parameters,
                                      const std::vector<ParameterOverride>& overrides,
                                      const FitsWith& fits);

}  // namespace warpline
