// A GPU's specification for a person: every constant, and one constant with its evidence.
#pragma once

#include "warpline/hardware/gpu_spec.hpp"
#include "warpline/reports/text.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace warpline {

/// One line a GPU: id, architecture, SMs, clocks and dense 16-bit peak at the sustained clock.
[[nodiscard]] std::string spec_list_text(const std::vector<GpuSpec>& specs,
                                         const Style& style = {});

/// Every constant of one GPU, grouped by the first part of its key.
[[nodiscard]] std::string spec_text(const GpuSpec& spec, const Style& style = {});

/// A statement of a kernel's program that depends on a constant.
struct ConstantUse {
    std::string kernel;
    std::string role;
    std::string label;

    friend bool operator==(const ConstantUse&, const ConstantUse&) = default;
};

/// Constants that `key` names: the one of that key, else every one below it ("mufu.ex2" names
/// "mufu.ex2.rate" and "mufu.ex2.latency"). Empty when there is none.
[[nodiscard]] std::vector<const Constant*> constants_named(const GpuSpec& spec,
                                                           std::string_view key);

/// Value, unit, interval, confidence, source, place, meaning and users of one constant.
[[nodiscard]] std::string explain_text(const GpuSpec& spec, const Constant& constant,
                                       const std::vector<ConstantUse>& uses,
                                       const Style& style = {});

}  // namespace warpline
