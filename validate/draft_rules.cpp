#include "warpline/validate/draft_rules.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr double lanes = 32.0;
constexpr double k16 = 16.0;  // depth of one MMA with 16-bit operands

double known_or(const KnownNumbers& known, const std::string& key, double otherwise) {
    const auto found = known.find(key);
    return found == known.end() ? otherwise : found->second;
}

/// The middle one of readings of the same thing; it speaks for all of their rows.
MaybeReading middle(std::vector<Reading> readings, const std::string& rows) {
    if (readings.empty()) {
        return std::nullopt;
    }
    std::sort(readings.begin(), readings.end(),
              [](const Reading& a, const Reading& b) { return a.value < b.value; });
    Reading reading = readings[readings.size() / 2];
    reading.spread = std::max({reading.spread, readings.back().value - reading.value,
                               reading.value - readings.front().value});
    reading.rows = rows;
    return reading;
}

void add_device(const Readings& rows, std::vector<DraftRule>& rules) {
    rules.push_back({"sm_count", rows.of("sms")});
    rules.push_back({"clock.boost", rows.of("max_sm_clock")});
    rules.push_back({"clock.sustained", rows.of("sustained_sm_clock_random")});
    constexpr double kibi = 1024.0;
    const auto bytes = [&](const char* row) {
        const MaybeReading size = rows.of(row);
        return size ? MaybeReading(size->times(kibi)) : std::nullopt;
    };
    rules.push_back({"limits.smem_per_cta", bytes("shared_memory_per_block")});
    rules.push_back({"limits.smem_per_sm", bytes("shared_memory_per_sm")});
    rules.push_back({"limits.registers_per_sm", rows.of("registers_per_sm")});
    rules.push_back({"limits.threads_per_sm", rows.of("threads_per_sm")});
    rules.push_back({"limits.ctas_per_sm", rows.of("blocks_per_sm")});
    rules.push_back({"memory.l2_size", rows.of("l2_size")});
    rules.push_back({"memory.hbm_peak", rows.of("memory_peak")});
}

void add_memory(const Readings& rows, std::vector<DraftRule>& rules) {
    rules.push_back({"smem.width", rows.largest("lds128_bandwidth_w", "")});
    if (const MaybeReading sms = rows.of("sms")) {
        const std::string all = fmt::format("_{:g}sm", sms->value);
        rules.push_back({"memory.l2_width", rows.largest("l2_read_", all)});
        rules.push_back({"memory.hbm_rate", rows.largest("hbm_read_", all + "_total")});
    }
    rules.push_back({"memory.sm_width", rows.largest("l2_read_", "_1sm")});
    rules.push_back({"memory.l2_latency", rows.of("tma_latency_l2_1024B")});
    rules.push_back({"memory.hbm_latency", rows.of("tma_latency_hbm_1024B")});
}

void add_bulk_copies(const Readings& rows, std::vector<DraftRule>& rules) {
    constexpr double large = 16384.0;
    constexpr double step = 32768.0 - 1024.0;
    const auto slope = [&](const char* name) {
        const auto more = rows.both(fmt::format("{}_32768B", name), fmt::format("{}_1024B", name),
                                    [](const Reading& a, const Reading& b) { return a.minus(b); });
        return more ? MaybeReading(more->under(step)) : std::nullopt;
    };
    rules.push_back({"tma.issue_interval", rows.of("tma_issue_interval_sustained_1024B")});
    const MaybeReading interval = rows.of("tma_issue_interval_sustained_16384B");
    rules.push_back(
        {"tma.load_width", interval ? MaybeReading(interval->under(large)) : std::nullopt});
    rules.push_back({"tma.store_width", slope("tma_store_read_latency")});
    rules.push_back({"tma.reduce_width", slope("bulk_reduce_read_latency")});
    rules.push_back({"tma.store_latency",
                     rows.both("tma_store_latency_1024B", "tma_store_read_latency_1024B",
                               [](const Reading& a, const Reading& b) { return a.minus(b); })});
    rules.push_back({"tma.dsmem_width", rows.of("dsmem_bulk_bandwidth_cluster2_x1")});
    rules.push_back({"tma.dsmem_latency", rows.of("dsmem_load_latency_cluster2_rank1")});
}

void add_synchronisation(const Readings& rows, const KnownNumbers& known,
                         std::vector<DraftRule>& rules) {
    if (MaybeReading handover = rows.of("mbarrier_handover_2_warpgroups")) {
        // How the hand-over divides between its two sides cannot be seen from outside.
        Reading half = handover->times(0.5);
        half.rows += ", half of it";
        rules.push_back({"sync.mbarrier_arrive", half});
        rules.push_back({"sync.mbarrier_wait", half});
    }
    rules.push_back(
        {"sync.remote_arrive",
         rows.both("remote_mbarrier_handover_cluster2_rank1", "mbarrier_handover_2_warps",
                   [](const Reading& a, const Reading& b) { return a.minus(b); })});
    rules.push_back({"sync.named_barrier", rows.of("named_barrier_handover_2_warpgroups")});
    if (MaybeReading gap = rows.of("block_gap_128_threads")) {
        Reading start = gap->plus(-known_or(known, "sync.cta_exit", 0.0));
        start.rows += ", less sync.cta_exit";
        rules.push_back({"sync.cta_start", start});
    }
    rules.push_back({"launch.kernel", rows.of("launch_period")});
    rules.push_back({"launch.graph_kernel", rows.of("graph_kernel_period")});
}

void add_wgmma(const Readings& rows, const KnownNumbers& known, std::vector<DraftRule>& rules) {
    if (const MaybeReading interval = rows.of("wgmma_m64n256_bf16_ss_interval_wg1")) {
        rules.push_back({"mma.wgmma.rate", interval->under(2.0 * 64 * 256 * k16)});
    }
    std::vector<Reading> latencies;
    for (const int n : {64, 96, 128, 192, 256}) {
        if (const MaybeReading latency = rows.of(fmt::format("wgmma_m64n{}_bf16_rs_latency", n))) {
            latencies.push_back(latency->plus(-n / 2.0 - known_or(known, "mma.wgmma.issue", 1.0)));
        }
    }
    rules.push_back({"mma.wgmma.base_latency",
                     middle(latencies, "wgmma_m64nN_bf16_rs_latency less N/2 and the issue slot")});
}

void add_mma_sync(const Readings& rows, std::vector<DraftRule>& rules) {
    constexpr double flops = 2.0 * 16 * 8 * k16;
    constexpr double sub_partitions = 4.0;
    const MaybeReading interval = rows.smallest("mma_m16n8k16_bf16_interval_w", "");
    if (!interval) {
        return;
    }
    rules.push_back({"mma.mma_sync.rate", interval->under(flops)});
    if (const MaybeReading latency = rows.of("mma_m16n8k16_bf16_latency")) {
        Reading base = latency->minus(interval->times(sub_partitions)).plus(-1.0);
        base.rows += ", less four intervals and the issue slot";
        rules.push_back({"mma.mma_sync.base_latency", base});
    }
}

/// How far wgmma are issued ahead of the tensor cores, by the widest, whose issue waits longest.
void add_wgmma_queue(const Readings& rows, std::vector<DraftRule>& rules) {
    constexpr double whole_batch = 32.0;
    MaybeReading ahead = rows.of("wgmma_m64n256_ss_wg1_issued_ahead");
    // Warps that issued the whole batch without a wait say only that some queue is no shorter.
    if (ahead && ahead->value < whole_batch) {
        ahead->value = std::round(ahead->value);
        rules.push_back({"tensor.queue_depth", ahead});
    }
}

/// "tcgen05_m128n256k16_bf16_ts_cta1_" and what follows.
std::string tcgen05(int m, int n, const char* a, int ctas, const char* what) {
    return fmt::format("tcgen05_m{}n{}k16_bf16_{}_cta{}_{}", m, n, a, ctas, what);
}

void add_tcgen05(const Readings& rows, const KnownNumbers& known, std::vector<DraftRule>& rules) {
    const MaybeReading full = rows.of(tcgen05(128, 256, "ss", 1, "interval"));
    if (!full) {
        return;
    }
    rules.push_back({"mma.tcgen05.rate", full->under(2.0 * 128 * 256 * k16)});
    rules.push_back({"mma.tcgen05.min_interval", rows.smallest("tcgen05_m", "_interval")});
    if (const MaybeReading half = rows.of(tcgen05(64, 256, "ss", 1, "interval"))) {
        rules.push_back({"mma.tcgen05.m64_factor", half->over(*full).times(2.0)});
    }
    const double outside =
        known_or(known, "mma.tcgen05.issue", 0.0) + known_or(known, "sync.mbarrier_wait", 0.0);
    const MaybeReading lone = rows.of(tcgen05(128, 128, "ts", 1, "latency"));
    if (!lone) {
        return;
    }
    constexpr double half_width = 64.0;
    Reading base = lone->plus(-half_width - outside);
    base.rows += ", less N/2, issue and mbarrier_wait";
    rules.push_back({"mma.tcgen05.base_latency", base});
    if (const MaybeReading pair = rows.of(tcgen05(256, 128, "ts", 2, "latency"))) {
        rules.push_back({"mma.tcgen05.pair_latency_m256", pair->minus(*lone)});
    }
    if (const MaybeReading pair = rows.of(tcgen05(128, 128, "ts", 2, "latency"))) {
        // A pair with M = 128 takes N/4 where one CTA takes N/2.
        rules.push_back(
            {"mma.tcgen05.pair_latency_m128", pair->minus(*lone).plus(half_width / 2.0)});
    }
}

void add_tensor_memory(const Readings& rows, std::vector<DraftRule>& rules) {
    constexpr double bytes = 128.0 * 32;  // of one x32 move by a warp
    const auto moves = [&](const char* move, const char* width_key, const char* latency_key) {
        std::vector<Reading> widths;
        for (const int warps : {1, 4}) {
            if (const auto all = rows.of(fmt::format("{}_32x32b_x32_bandwidth_w{}", move, warps))) {
                widths.push_back(all->times(1.0 / warps));
            }
        }
        if (widths.empty()) {
            return;
        }
        const Reading width =
            *std::max_element(widths.begin(), widths.end(),
                              [](const Reading& a, const Reading& b) { return a.value < b.value; });
        rules.push_back({width_key, width});
        if (const auto latency = rows.of(fmt::format("{}_32x32b_x32_latency_w1", move))) {
            Reading beyond = latency->minus(width.under(bytes));
            beyond.value = std::max(0.0, beyond.value);
            rules.push_back({latency_key, beyond});
        }
    };
    moves("tcgen05_ld", "tmem.load_width", "tmem.load_latency");
    moves("tcgen05_st", "tmem.store_width", "tmem.store_latency");
}

}  // namespace

std::vector<DraftRule> machine_rules(const Readings& rows, const KnownNumbers& known) {
    std::vector<DraftRule> rules;
    add_device(rows, rules);
    add_memory(rows, rules);
    add_bulk_copies(rows, rules);
    add_synchronisation(rows, known, rules);
    add_wgmma(rows, known, rules);
    add_wgmma_queue(rows, rules);
    add_mma_sync(rows, rules);
    add_tcgen05(rows, known, rules);
    add_tensor_memory(rows, rules);
    return rules;
}

namespace {

/// Instructions that are measured in groups with others: what is left without those.
void add_groups(const Readings& rows, std::vector<DraftRule>& rules) {
    // Eight comparisons and a selection, all alike.
    constexpr double comparisons = 9.0;
    if (const MaybeReading rate = rows.of("fsetp8_sel_group_rate")) {
        rules.push_back({"fsetp.rate", rate->times(comparisons)});
    }
    if (const MaybeReading latency = rows.of("fsetp8_sel_group_latency")) {
        rules.push_back({"fsetp.latency", latency->times(1.0 / comparisons)});
    }
    // One of bits to predicates, six selections and a shift.
    constexpr double others = 7.0;
    if (const MaybeReading rate = rows.of("r2p_6sel_shf_group_rate")) {
        rules.push_back({"r2p.rate", rate->times(others + 1.0)});
    }
    rules.push_back({"r2p.latency", rows.both("r2p_6sel_shf_group_latency", "shf_b32_latency",
                                              [](const Reading& a, const Reading& b) {
                                                  return a.minus(b.times(others));
                                              })});
    rules.push_back({"branch.latency",
                     rows.both("setp_branch_taken_add_latency", "setp_predicated_add_latency",
                               [](const Reading& a, const Reading& b) { return a.minus(b); })});
    rules.push_back({"mov.rate", rows.of("mov_b32_rate_w16")});
}

/// What 16 warps that do nothing else get of a unit.
void add_shared_rates(const Readings& rows, std::vector<DraftRule>& rules) {
    constexpr std::array<std::pair<const char*, const char*>, 4> steps = {{
        {"fence.rate", "fence_block_w16"},
        {"membar.gpu.rate", "fence_device_w16"},
        {"stg.128.rate", "stg128_issue_w16"},
        {"cp.async.16.rate", "cp_async16_issue_w16"},
    }};
    for (const auto& [key, row] : steps) {
        if (const MaybeReading clocks = rows.of(row)) {
            rules.push_back({key, clocks->under(lanes)});
        }
    }
    if (const MaybeReading pair = rows.of("elect_predicated_add_interval_w16")) {
        constexpr double sub_partitions = 4.0;
        rules.push_back({"elect.rate", pair->under(sub_partitions * lanes)});
    }
}

}  // namespace

std::vector<DraftRule> instruction_rules(const Readings& rows) {
    constexpr std::array<std::pair<const char*, const char*>, 18> chains = {{
        {"ffma", "fma_f32"},
        {"fadd", "add_f32"},
        {"fmul", "mul_f32"},
        {"fmnmx", "max_f32"},
        {"imad", "imad_s32"},
        {"iadd", "iadd_s32"},
        {"lop3", "lop3_b32"},
        {"shf", "shf_b32"},
        {"prmt", "prmt_b32"},
        {"lea", "lea_hi_b32"},
        {"f2fp", "cvt_bf16x2_f32"},
        {"mufu.ex2", "ex2_f32"},
        {"mufu.lg2", "lg2_f32"},
        {"shfl", "shfl_bfly_b32"},
        {"ffma2", "fma_f32x2"},
        {"fadd2", "add_f32x2"},
        {"fmul2", "mul_f32x2"},
        {"fmnmx3", "max3_f32"},
    }};
    std::vector<DraftRule> rules;
    for (const auto& [name, row] : chains) {
        rules.push_back({fmt::format("{}.rate", name), rows.of(fmt::format("{}_rate", row))});
        rules.push_back({fmt::format("{}.latency", name), rows.of(fmt::format("{}_latency", row))});
    }
    // A reciprocal is measured with an addition behind it, which keeps its operand in range.
    rules.push_back({"mufu.rcp.rate", rows.of("rcp_add_pair_rate")});
    rules.push_back({"mufu.rcp.latency",
                     rows.both("rcp_add_pair_latency", "add_f32_latency",
                               [](const Reading& a, const Reading& b) { return a.minus(b); })});
    rules.push_back({"lds.32.latency", rows.of("lds_latency")});
    rules.push_back({"ldmatrix.x4.latency", rows.of("ldmatrix_x4_latency")});
    // A store is done when a fence behind it has nothing left to wait for.
    rules.push_back({"sts.32.latency", rows.of("sts32_fence_block")});
    rules.push_back({"sts.128.latency", rows.of("sts128_fence_block")});
    rules.push_back({"stmatrix.x4.latency", rows.of("stmatrix_x4_fence_block")});
    rules.push_back({"ldg.128.latency", rows.of("ldg_l2_latency")});
    rules.push_back({"sync.latency", rows.of("mbarrier_test")});
    add_groups(rows, rules);
    add_shared_rates(rows, rules);
    rules.push_back({"setmaxnreg.latency", rows.of("setmaxnreg_dec")});
    rules.push_back({"fence.latency", rows.of("fence_block")});
    rules.push_back({"membar.gpu.latency", rows.of("fence_device")});
    rules.push_back({"bar.latency", rows.of("named_barrier_sync_1_warps")});
    constexpr double more_warps = 12.0;
    if (const auto later =
            rows.both("named_barrier_sync_16_warps", "named_barrier_sync_4_warps",
                      [](const Reading& a, const Reading& b) { return a.minus(b); })) {
        rules.push_back({"bar.rate", later->under(lanes * more_warps)});
    }
    if (const MaybeReading arrive = rows.of("mbarrier_arrive_issue")) {
        rules.push_back({"sync.rate", arrive->under(4.0 * lanes)});
    }
    return rules;
}

}  // namespace warpline
