#include "warpline/hardware/spec_schema_parts.hpp"
#include "warpline/units/parse_quantity.hpp"

namespace warpline {
namespace {

Tick to_ticks(const ConstantValue& value) {
    return round_to_ticks(value.number);
}

double in_base(const ConstantValue& value, const char* unit) {
    return value.number * parse_unit(unit)->scale;
}

std::vector<SpecKey> tmem_keys() {
    using V = ConstantValue;
    return {
        {"tmem.columns", count_of("column", 1e5), "tensor-memory columns of an SM", "tmem",
         Need::required,
         [](GpuSpec& s, const V& v) { s.tmem.columns = static_cast<std::int64_t>(v.number); }},
        {"tmem.load_width", positive("B/clk", 1e5), "tcgen05.ld bytes a clock and warp", "tmem",
         Need::required, [](GpuSpec& s, const V& v) { s.tmem.load_bytes_per_clk = v.number; }},
        {"tmem.store_width", positive("B/clk", 1e5), "tcgen05.st bytes a clock and warp", "tmem",
         Need::required, [](GpuSpec& s, const V& v) { s.tmem.store_bytes_per_clk = v.number; }},
        {"tmem.load_latency", not_negative("clk", 1e5),
         "port done -> registers hold the last chunk of a tcgen05.ld", "tmem", Need::required,
         [](GpuSpec& s, const V& v) { s.tmem.load_latency = to_ticks(v); }},
        {"tmem.store_latency", not_negative("clk", 1e5),
         "port done -> tcgen05.st visible to tcgen05.wait::st", "tmem", Need::required,
         [](GpuSpec& s, const V& v) { s.tmem.store_latency = to_ticks(v); }},
    };
}

std::vector<SpecKey> bulk_copy_keys() {
    using V = ConstantValue;
    return {
        {"tma.issue_interval", positive("clk", 1e5),
         "clocks between two tensor copies of one thread", "tma", Need::required,
         [](GpuSpec& s, const V& v) { s.tma.issue_interval = to_ticks(v); }},
        {"tma.store_latency", not_negative("clk", 1e6),
         "last byte read from shared memory -> bulk group complete", "tma", Need::required,
         [](GpuSpec& s, const V& v) { s.tma.store_latency = to_ticks(v); }},
        {"tma.load_width", positive("B/clk", 1e5),
         "bytes a clock at which a load occupies the engine", "tma", Need::required,
         [](GpuSpec& s, const V& v) { s.tma.load_bytes_per_clk = v.number; }},
        {"tma.store_width", positive("B/clk", 1e5),
         "bytes a clock at which a store occupies the engine", "tma", Need::required,
         [](GpuSpec& s, const V& v) { s.tma.store_bytes_per_clk = v.number; }},
        {"tma.reduce_width", positive("B/clk", 1e5),
         "bytes a clock at which a reduction into global memory occupies the engine", "tma",
         Need::required, [](GpuSpec& s, const V& v) { s.tma.reduce_bytes_per_clk = v.number; }},
        {"tma.dsmem_width", positive("B/clk", 1e5),
         "bytes a clock at which a copy to a peer CTA occupies the engine", "cluster",
         Need::required, [](GpuSpec& s, const V& v) { s.tma.dsmem_bytes_per_clk = v.number; }},
        {"tma.dsmem_latency", not_negative("clk", 1e6),
         "shared memory -> shared memory of a peer CTA, first bytes", "cluster", Need::required,
         [](GpuSpec& s, const V& v) { s.tma.dsmem_latency = to_ticks(v); }},
    };
}

}  // namespace

std::vector<SpecKey> memory_keys() {
    using V = ConstantValue;
    std::vector<SpecKey> keys = {
        {"smem.width", positive("B/clk", 1e5),
         "shared-memory port: MMA operands, fills, LDS/STS and DSMEM share it", "", Need::required,
         [](GpuSpec& s, const V& v) { s.smem_bytes_per_clk = v.number; }},
        {"smem.quantum", positive("clk", 1e4),
         "longest uninterrupted use of the port by one requester", "", Need::required,
         [](GpuSpec& s, const V& v) { s.smem_quantum = to_ticks(v); }},
        {"smem.fill_shares_port", flag_rule(), "whether copies into shared memory use that port",
         "", Need::required,
         [](GpuSpec& s, const V& v) { s.tma.fill_shares_port = v.number != 0.0; }},
        {"memory.l2_size", positive("MiB", 1e6), "L2 capacity", "", Need::required,
         [](GpuSpec& s, const V& v) {
             s.memory.l2_bytes = static_cast<std::int64_t>(in_base(v, "MiB"));
         }},
        {"memory.l2_width", positive("B/clk", 1e5), "L2 bytes a clock to one SM when all SMs read",
         "", Need::required,
         [](GpuSpec& s, const V& v) { s.memory.l2_bytes_per_clk_per_sm = v.number; }},
        {"memory.sm_width", positive("B/clk", 1e5),
         "L2 bytes a clock to one SM that reads alone: a burst while others compute", "",
         Need::required, [](GpuSpec& s, const V& v) { s.memory.sm_bytes_per_clk = v.number; }},
        {"memory.instruction_cache", positive("KiB", 1e6), "machine code that an SM keeps at hand",
         "", Need::optional,
         [](GpuSpec& s, const V& v) {
             s.memory.instruction_cache_bytes = static_cast<std::int64_t>(in_base(v, "KiB"));
         }},
        {"memory.instruction_width", positive("B/clk", 1e5),
         "machine code a clock from the cache that several SMs share to all of them", "",
         Need::optional,
         [](GpuSpec& s, const V& v) { s.memory.instruction_bytes_per_clk = v.number; }},
        {"memory.instruction_sharers", positive("SMs", 1e4),
         "SMs, on average, that share a cache of machine code", "", Need::optional,
         [](GpuSpec& s, const V& v) { s.memory.instruction_sharers = v.number; }},
        {"memory.l2_latency", positive("clk", 1e6), "copy issued -> first bytes, L2 hit", "",
         Need::required, [](GpuSpec& s, const V& v) { s.tma.l2_latency = to_ticks(v); }},
        {"memory.hbm_latency", positive("clk", 1e6), "copy issued -> first bytes, L2 miss", "",
         Need::required, [](GpuSpec& s, const V& v) { s.tma.hbm_latency = to_ticks(v); }},
        {"memory.hbm_queue_reads", not_negative("clk", 1e6),
         "what a load waits longer where HBM reads at its sustained rate", "", Need::optional,
         [](GpuSpec& s, const V& v) { s.memory.hbm_queue_reads = to_ticks(v); }},
        {"memory.hbm_queue_writes", not_negative("clk", 1e6),
         "what a load would wait longer where HBM writes at its sustained rate", "", Need::optional,
         [](GpuSpec& s, const V& v) { s.memory.hbm_queue_writes = to_ticks(v); }},
        {"memory.hbm_rate", positive("TB/s", 1e4), "HBM bandwidth reached by measurement", "",
         Need::required,
         [](GpuSpec& s, const V& v) { s.memory.hbm_bytes_per_second = in_base(v, "TB/s"); }},
        {"memory.hbm_peak", positive("TB/s", 1e4), "HBM bandwidth of the datasheet", "",
         Need::required,
         [](GpuSpec& s, const V& v) { s.memory.hbm_peak_bytes_per_second = in_base(v, "TB/s"); }},
        {"memory.hbm_size",
         positive("GB", 1e6),
         "HBM capacity; listed, tells products apart",
         "",
         Need::optional,
         {}},
    };
    for (const auto& part : {bulk_copy_keys(), tmem_keys()}) {
        keys.insert(keys.end(), part.begin(), part.end());
    }
    return keys;
}

}  // namespace warpline
