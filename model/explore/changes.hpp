// Changes to hardware and design by name: the one way in which studies perturb anything.
#pragma once

#include "warpline/hardware/load_gpu_spec.hpp"
#include "warpline/pipeline/load_plan.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace warpline {

/// What --set says, apart: constants of the GPU, and parameters of the pipeline.
struct Changes {
    std::vector<ConstantOverride> hardware;
    std::vector<ParameterOverride> parameters;

    [[nodiscard]] bool empty() const { return hardware.empty() && parameters.empty(); }
};

/// Adds a change: "hw." names a hardware constant ("hw.mufu.ex2") or a capability, which is true or
/// false ("hw.capabilities.fast_ex2"); anything else names a parameter.
void add_change(Changes& changes, const std::string& name, const std::string& value);

/// `first`, then `second`, which wins where both change one thing.
[[nodiscard]] Changes joined(Changes first, const Changes& second);

/// "hw.mufu.ex2=32/clk kv_stages=2"; empty without changes.
[[nodiscard]] std::string changes_text(const Changes& changes);

/// Errors (usage): a name that is changed twice, under its short or its long name.
[[nodiscard]] Result<void> check_disjoint(const Changes& changes);

/// The name that `name` stands for: "hw.mufu.ex2" is short for "hw.mufu.ex2.rate". A name that is
/// a key of its own stays.
[[nodiscard]] std::string full_change_name(const std::string& name);

}  // namespace warpline
