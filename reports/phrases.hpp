// How reports name causes, units, operations and masks in words.
#pragma once

#include "warpline/device/bound_phrase.hpp"
#include "warpline/engine/schedule.hpp"
#include "warpline/pipeline/kernel_plan.hpp"
#include "warpline/workload/attention.hpp"

#include <string>
#include <string_view>

namespace warpline {

/// "barrier s_full", "xu busy", "fma latency", "tmem completion": why something waited. Indices
/// that the plan does not have are shown as numbers.
[[nodiscard]] std::string cause_phrase(const KernelPlan& plan, const Cause& cause);

/// "barrier", "unit", ...: the kind alone, for machines.
[[nodiscard]] std::string_view cause_kind_name(Cause::Kind kind);

/// The role's name, or "role 7" when the plan has no such role.
[[nodiscard]] std::string role_label(const KernelPlan& plan, int role);

/// The label of an operation, or the kind of statement and its barrier where the pipeline gave
/// none: "wait s_full".
[[nodiscard]] std::string op_label(const KernelPlan& plan, int role, int op);

/// "full", "causal", "sliding_window".
[[nodiscard]] std::string_view mask_name(MaskKind kind);
[[nodiscard]] std::string_view direction_name(Direction direction);

/// "two independent measurements or an exact fit" and so on.
[[nodiscard]] std::string_view confidence_phrase(Confidence confidence);

/// Megahertz, for printing.
[[nodiscard]] double megahertz(const ClockHz& clock);

}  // namespace warpline
