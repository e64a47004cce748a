// The hardware blocks the model keeps time for. A specification places instructions on them by
// name.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace warpline {

enum class Unit : std::uint8_t {
    issue,       ///< issue port: one warp instruction a clock
    fma,         ///< FP32 multiply-add pipe
    alu,         ///< integer, logic, min/max, conversion and packing
    xu,          ///< transcendental unit (MUFU): ex2, rcp, rsq, lg2
    lsu,         ///< load/store address path: LDS, STS, LDG, STG, cp.async, shuffle
    adu,         ///< barriers, votes and other rarely used instructions
    tmem_load,   ///< tensor-memory read port of warps (tcgen05.ld)
    tmem_store,  ///< tensor-memory write port of warps (tcgen05.st)
    tensor,      ///< tensor core; scope per `GpuSpec::tensor_scope`
    smem,        ///< shared-memory data port, shared by MMA operands, TMA fills, LDS/STS and DSMEM
    tma,         ///< bulk-copy engine: one request every issue interval
    memory,      ///< this SM's path to L2 and HBM: bytes a clock as the memory environment grants
};

inline constexpr std::size_t unit_count = 12;

enum class UnitScope : std::uint8_t { sub_partition, sm };

/// All units, in the order of the enumeration.
[[nodiscard]] const std::array<Unit, unit_count>& all_units();
[[nodiscard]] std::string_view unit_name(Unit unit);
[[nodiscard]] std::optional<Unit> unit_from_name(std::string_view name);

}  // namespace warpline
