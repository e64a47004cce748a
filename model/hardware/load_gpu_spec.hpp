// hw_specs/*.yaml -> GpuSpec.
#pragma once

#include "warpline/diagnostics/failure.hpp"
#include "warpline/hardware/gpu_spec.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace warpline {

/// A replacement of one constant: key "mufu.ex2" (short for "mufu.ex2.rate") and text "32 /clk" or
/// "32/clk".
struct ConstantOverride {
    std::string key;
    std::string text;
};

/// Loads GPU `id` ("b200") from `data_dir`/hw_specs, or the file itself when `id` ends in ".yaml",
/// with what it inherits, and applies `overrides`. Every error of a file is reported at once, with
/// line, column and the nearest valid name. Errors: input (file), usage (unknown id or override
/// key).
[[nodiscard]] Result<GpuSpec> load_gpu_spec(const std::filesystem::path& data_dir,
                                            const std::string& id,
                                            const std::vector<ConstantOverride>& overrides = {});

/// The ids that can be loaded from `data_dir`, sorted.
[[nodiscard]] std::vector<std::string> list_gpu_specs(const std::filesystem::path& data_dir);

}  // namespace warpline
