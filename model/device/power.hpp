// What a kernel draws, and the SM clock at which that meets the board's power limit.
//
// Every operation of a kind takes the same energy at one clock; HBM's aside, energy grows with a
// power of the clock, because a faster clock needs a higher voltage. The voltage follows the clock
// that the driver asks for, above which it does not go; loaded SMs run at a share of that clock.
// Costs are fitted on measurements of one GPU (hw_specs, `power.*`) and hold for operands like
// those of a network, whose bits look random: products of zeros draw far less.
#pragma once

#include "warpline/device/prediction.hpp"
#include "warpline/hardware/gpu_spec.hpp"

namespace warpline {

struct EnergyCosts {
    double limit_watts = 0.0;   ///< what the board may draw for long
    double static_watts = 0.0;  ///< drawn with every SM asleep
    SourceLocation where;       ///< that of the draw asleep
    ClockHz reference;          ///< driver's clock of the energies below
    ClockHz boost;              ///< highest clock of the driver
    double loaded_share = 1.0;  ///< SM clock under load over the driver's
    double exponent = 0.0;      ///< of the driver's clock, in all energies but HBM's
    /// Joules each: 16-bit tensor FLOP (one of 8 bits is half of it, of 4 a quarter), byte through
    /// a shared-memory port, byte between L2 and an SM, byte of HBM, warp instruction; all but
    /// HBM's times power.energy_scale.
    double flop = 0.0, smem_byte = 0.0, l2_byte = 0.0, hbm_byte = 0.0, instruction = 0.0;
};

/// Errors: usage, naming the constants that the specification lacks; infeasible when standing by
/// takes all that the board may draw.
[[nodiscard]] Result<EnergyCosts> energy_costs(const GpuSpec& spec);

/// Whether the specification states all that energy_costs() needs, possible or not.
[[nodiscard]] bool has_power_model(const GpuSpec& spec);

/// What a prediction says the GPU does, over the whole kernel.
struct KernelWork {
    double flops = 0.0;  ///< as 16-bit
    double smem_bytes = 0.0, l2_bytes = 0.0, hbm_bytes = 0.0, instructions = 0.0;
    double cycles = 0.0;         ///< of the SM clock, launch overhead excluded
    double fixed_seconds = 0.0;  ///< that no SM clock changes
};

[[nodiscard]] KernelWork kernel_work(const Prediction& prediction, const GpuSpec& spec);

/// Mean draw of back-to-back launches at `clock`, part by part.
[[nodiscard]] PowerAccount power_at(const EnergyCosts& costs, const KernelWork& work,
                                    const ClockHz& clock);

/// The fastest clock, up to `ceiling`, at which the board stays within its limit. Errors:
/// infeasible when it does at none.
[[nodiscard]] Result<ClockHz> clock_within_limit(const EnergyCosts& costs, const KernelWork& work,
                                                 const ClockHz& ceiling);

}  // namespace warpline
