// Every key a hardware specification may hold: its unit, its limits, what the model does with it.
#pragma once

#include "warpline/hardware/constant_value.hpp"
#include "warpline/hardware/gpu_spec.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace warpline {

/// When a constant must be there.
enum class Need : std::uint8_t {
    required,  ///< always, or whenever the GPU has `capability`
    optional,
};

struct SpecKey {
    std::string key;  ///< dotted, e.g. "smem.width"
    ConstantRule rule;
    std::string meaning;  ///< what the model does with it
    std::string
        capability;  ///< without it the key has no use and is refused; empty = always useful
    Need need = Need::required;
    /// Stores the value in its typed place; empty for keys that are only listed.
    std::function<void(GpuSpec&, const ConstantValue&)> store;
};

/// All keys of the section `constants`, in the order in which listings show them.
[[nodiscard]] const std::vector<SpecKey>& spec_keys();
/// The key, or null.
[[nodiscard]] const SpecKey* find_spec_key(std::string_view key);

/// The fields of an instruction besides its unit: rate, latency, smem, issue.
[[nodiscard]] const std::vector<SpecKey>& instruction_fields();

}  // namespace warpline
