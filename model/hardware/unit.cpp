#include "warpline/hardware/unit.hpp"

#include <algorithm>

namespace warpline {
namespace {

constexpr std::array<Unit, unit_count> units = {
    Unit::issue,     Unit::fma,        Unit::alu,    Unit::xu,   Unit::lsu, Unit::adu,
    Unit::tmem_load, Unit::tmem_store, Unit::tensor, Unit::smem, Unit::tma, Unit::memory};

constexpr std::array<std::string_view, unit_count> names = {
    "issue",     "fma",        "alu",    "xu",   "lsu", "adu",
    "tmem_load", "tmem_store", "tensor", "smem", "tma", "memory"};

}  // namespace

const std::array<Unit, unit_count>& all_units() {
    return units;
}

std::string_view unit_name(Unit unit) {
    return names.at(static_cast<std::size_t>(unit));
}

std::optional<Unit> unit_from_name(std::string_view name) {
    const auto* const found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
        return std::nullopt;
    }
    return units.at(static_cast<std::size_t>(found - names.begin()));
}

}  // namespace warpline
