#include "warpline/pipeline/tile_work.hpp"

namespace warpline {
namespace {

constexpr std::int64_t most_splits = 1024;
constexpr const char* splits_name = "tiles.splits";
constexpr const char* v_in_k_name = "tiles.v_in_k";
constexpr const char* block_lists_name = "tiles.block_lists";
constexpr const char* reversed_name = "tiles.reversed";

}  // namespace

TileWork read_tile_work(const YamlNode* tiles, ValueReader& reader) {
    TileWork work;
    if (tiles == nullptr) {
        return work;
    }
    if (const YamlNode* const splits = tiles->find("splits")) {
        work.splits = reader.integer(*splits, "splits", 1, most_splits).value_or(1);
    }
    work.v_in_k = reader.flag(tiles->find("v_in_k"), "v_in_k", false);
    work.block_lists = reader.flag(tiles->find("block_lists"), "block_lists", false);
    work.reversed = reader.flag(tiles->find("reversed"), "reversed", false);
    return work;
}

void write_tile_work(const TileWork& work, std::map<std::string, double>& values) {
    if (work.splits != 1) {
        values[splits_name] = static_cast<double>(work.splits);
    }
    if (work.v_in_k) {
        values[v_in_k_name] = 1.0;
    }
    if (work.block_lists) {
        values[block_lists_name] = 1.0;
    }
    if (work.reversed) {
        values[reversed_name] = 1.0;
    }
}

TileWork tile_work(const KernelPlan& plan) {
    TileWork work;
    if (const auto splits = plan.parameters.find(splits_name); splits != plan.parameters.end()) {
        work.splits = static_cast<std::int64_t>(splits->second);
    }
    work.v_in_k = plan.parameters.count(v_in_k_name) != 0;
    work.block_lists = plan.parameters.count(block_lists_name) != 0;
    work.reversed = plan.parameters.count(reversed_name) != 0;
    return work;
}

}  // namespace warpline
