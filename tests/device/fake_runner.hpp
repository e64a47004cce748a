// A kernel whose times are known in closed form, in place of the engine.
#pragma once

#include "warpline/device/tile_times.hpp"

namespace warpline {

/// A tile takes `fixed` ticks and `block` a block, `masked` more for each masked one; the next tile
/// of a persistent cluster starts `overlap` before the end of the one before.
struct FakeKernel {
    Tick fixed = 1000;
    Tick block = 160;
    Tick masked = 40;
    Tick overlap = 300;
    int residents = 1;

    [[nodiscard]] Tick alone(const TileClass& tile) const {
        return fixed + block * tile.blocks + masked * (tile.masked_first + tile.masked_last);
    }

    [[nodiscard]] TileRunner runner() const {
        return [*this](const TileClass& tile, std::int64_t count) -> Result<Schedule> {
            Schedule s;
            for (std::int64_t i = 0; i < count; ++i) {
                s.tile_ends.push_back(alone(tile) + i * (alone(tile) - overlap));
            }
            s.makespan = s.tile_ends.back();
            s.steady = {tile.blocks > 4, block, 1, 0, {}};
            s.flops = 10 * tile.blocks * count * residents;
            s.bytes_read = 100 * tile.blocks * count * residents;
            s.bytes_written = 7 * count * residents;
            UnitUsage tensor;
            tensor.unit = Unit::tensor;
            tensor.busy = 20 * tile.blocks * count * residents;
            UnitUsage xu;
            xu.unit = Unit::xu;
            xu.busy = 5 * tile.blocks * count * residents;
            xu.instances = 4;
            s.units = {tensor, xu};
            return s;
        };
    }
};

}  // namespace warpline
