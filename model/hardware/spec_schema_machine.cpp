#include "warpline/hardware/spec_schema_parts.hpp"

namespace warpline {
namespace {

int to_int(const ConstantValue& value) {
    return static_cast<int>(value.number);
}
std::int64_t to_int64(const ConstantValue& value) {
    return static_cast<std::int64_t>(value.number);
}

ConstantRule gpc_rule() {
    ConstantRule rule;
    rule.form = ConstantForm::gpc_list;
    return rule;
}

}  // namespace

std::vector<SpecKey> machine_keys() {
    using V = ConstantValue;
    const double memory = 1e9;
    return {
        {"sm_count", count_of("SM", 1e5), "SMs that take work", "", Need::required,
         [](GpuSpec& s, const V& v) { s.sm_count = to_int64(v); }},
        {"gpcs", gpc_rule(), "SMs of each GPC: a cluster lives in one, which can leave SMs idle",
         "", Need::optional, [](GpuSpec& s, const V& v) { s.gpc_sms = v.counts; }},
        {"sub_partitions", count_of("partition", 16),
         "parts of an SM, each with an issue port and its slice of every pipe", "", Need::required,
         [](GpuSpec& s, const V& v) { s.sub_partitions = to_int(v); }},
        {"clock.boost", clock_rule(), "highest SM clock; `--clock boost`", "", Need::required,
         [](GpuSpec& s, const V& v) { s.clocks.boost = v.clock; }},
        {"clock.sustained", clock_rule(),
         "SM clock under a long attention kernel; the default of a prediction", "", Need::required,
         [](GpuSpec& s, const V& v) {
             s.clocks.sustained = v.clock;
             s.clocks.sustained_low = v.clock_low;
             s.clocks.sustained_high = v.clock_high;
         }},
        {"clock.profiled",
         clock_rule(),
         "SM clock that a profiler holds; for rows that give cycles and no clock",
         "",
         Need::optional,
         {}},
        {"clock.sampled_share",
         positive("MHz/MHz", 1.0),
         "SM clock under load over what the driver reports; for rows whose clock was sampled",
         "",
         Need::optional,
         {}},
        {"peak.bf16",
         positive("TFLOP/s", 1e6),
         "dense 16-bit figure of the datasheet; the derived peak is checked against it",
         "",
         Need::required,
         {}},
        {"peak.clock",
         clock_rule(),
         "SM clock behind the datasheet figure",
         "",
         Need::required,
         {}},
        {"board.power",
         positive("W", 1e5),
         "board power; listed, tells products apart",
         "",
         Need::optional,
         {}},
        {"power.sustained",
         positive("W", 1e5),
         "what the power limit lets a long kernel draw; with the others of `power`, for --power",
         "",
         Need::optional,
         {}},
        {"power.static",
         not_negative("W", 1e5),
         "drawn at boost clock with every SM asleep",
         "",
         Need::optional,
         {}},
        {"power.reference_clock",
         clock_rule(),
         "clock by the driver at which the energies of `power` hold",
         "",
         Need::optional,
         {}},
        {"power.clock_exponent",
         not_negative("x", 4.0),
         "energy of an SM's or L2's operation grows with this power of the clock: voltage follows "
         "it",
         "",
         Need::optional,
         {}},
        {"power.energy_scale",
         positive("x", 100.0),
         "energy of an operation of the SMs or L2 over the one stated, where those are another "
         "GPU's",
         "",
         Need::optional,
         {}},
        {"power.tensor_flop",
         not_negative("pJ/FLOP", 1e3),
         "energy of a 16-bit tensor-core FLOP, random operands; one of 8 bits takes half, of 4 a "
         "quarter",
         "",
         Need::optional,
         {}},
        {"power.smem_byte",
         not_negative("pJ/B", 1e6),
         "energy of a byte through a shared-memory port",
         "",
         Need::optional,
         {}},
        {"power.l2_byte",
         not_negative("pJ/B", 1e6),
         "energy of a byte between L2 and an SM",
         "",
         Need::optional,
         {}},
        {"power.hbm_byte",
         not_negative("pJ/B", 1e6),
         "energy of a byte of HBM",
         "",
         Need::optional,
         {}},
        {"power.warp_instruction",
         not_negative("pJ/instruction", 1e9),
         "energy of a warp instruction on 32 lanes, registers included",
         "",
         Need::optional,
         {}},
        {"limits.smem_per_cta", count_of("B", memory), "shared memory a CTA may take", "",
         Need::required, [](GpuSpec& s, const V& v) { s.limits.smem_per_cta = to_int64(v); }},
        {"limits.smem_per_sm", count_of("B", memory), "shared memory of an SM, for all its CTAs",
         "", Need::required, [](GpuSpec& s, const V& v) { s.limits.smem_per_sm = to_int64(v); }},
        {"limits.registers_per_sm", count_of("register", memory), "32-bit registers of an SM", "",
         Need::required, [](GpuSpec& s, const V& v) { s.limits.registers_per_sm = to_int64(v); }},
        {"limits.registers_per_thread", count_of("register", 65536), "registers a thread may have",
         "", Need::required,
         [](GpuSpec& s, const V& v) { s.limits.max_registers_per_thread = to_int(v); }},
        {"limits.threads_per_sm", count_of("thread", 1e6), "resident threads of an SM", "",
         Need::required, [](GpuSpec& s, const V& v) { s.limits.max_threads_per_sm = to_int(v); }},
        {"limits.threads_per_cta", count_of("thread", 1e6), "threads of a CTA", "", Need::required,
         [](GpuSpec& s, const V& v) { s.limits.max_threads_per_cta = to_int(v); }},
        {"limits.ctas_per_sm", count_of("CTA", 1e4), "resident CTAs of an SM", "", Need::required,
         [](GpuSpec& s, const V& v) { s.limits.max_ctas_per_sm = to_int(v); }},
        {"issue.arbitration", word_rule({"greedy_then_oldest", "round_robin", "oldest_request"}),
         "which ready warp a sub-partition issues from", "", Need::required,
         [](GpuSpec& s, const V& v) { s.arbitration = static_cast<Arbitration>(to_int(v)); }},
        {"tensor.scope", word_rule({"sub_partition", "sm"}),
         "whether a tensor core belongs to a sub-partition or to the SM", "", Need::required,
         [](GpuSpec& s, const V& v) { s.tensor_scope = static_cast<UnitScope>(to_int(v)); }},
        {"tensor.queue_depth", count_of("instruction", 1e4),
         "MMA instructions accepted ahead of execution (not mma.sync: one); a full queue stalls "
         "the issuer",
         "", Need::required, [](GpuSpec& s, const V& v) { s.tensor_queue_depth = to_int(v); }},
    };
}

}  // namespace warpline
