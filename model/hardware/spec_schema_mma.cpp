#include "warpline/hardware/spec_schema_parts.hpp"

#include <fmt/format.h>

namespace warpline {
namespace {

/// Keys of one MMA path; its name is the capability that makes them useful.
class PathKeys {
  public:
    PathKeys(MmaPath path, std::string name) : path_(path), name_(std::move(name)) {}

    void add(const char* field, ConstantRule rule, const char* meaning, double MmaModel::*member) {
        keys_.push_back({fmt::format("mma.{}.{}", name_, field), std::move(rule), meaning, name_,
                         Need::required,
                         [path = path_, member](GpuSpec& s, const ConstantValue& v) {
                             MmaModel& model = s.mma[path];
                             model.path = path;
                             model.*member = v.number;
                         }});
    }

    void add_common() {
        add("rate", positive("FLOP/clk", 1e7),
            "dense 16-bit rate of an SM; 8-bit operands run at twice that",
            &MmaModel::flops_per_clk);
        add("k_width", positive("B", 1024),
            "operand bytes of a row and instruction: K = 16 at 16 bits", &MmaModel::k_bytes);
        add("base_latency", not_negative("clk", 1e5),
            "tensor core done -> result visible to a waiter", &MmaModel::base_latency);
        add("issue", positive("slot", 1000), "issue slots of the issuing warp for one instruction",
            &MmaModel::issue_slots);
    }

    [[nodiscard]] std::vector<SpecKey> take() { return std::move(keys_); }

  private:
    MmaPath path_;
    std::string name_;
    std::vector<SpecKey> keys_;
};

std::vector<SpecKey> tcgen05_keys() {
    PathKeys path(MmaPath::tcgen05, "tcgen05");
    path.add_common();
    path.add("min_interval", not_negative("clk", 1e4), "shortest interval between two instructions",
             &MmaModel::min_interval);
    path.add("m64_factor", positive("x", 64), "tensor time of M = 64 in one CTA, as a multiple",
             &MmaModel::half_rate_m64);
    path.add("pair_latency_m256", not_negative("clk", 1e4),
             "added to the latency of a pair, M = 256", &MmaModel::pair_latency_m256);
    path.add("pair_latency_m128", not_negative("clk", 1e4),
             "added to the latency of a pair, M = 128", &MmaModel::pair_latency_m128);
    path.add("pair_penalty_m256", not_negative("clk", 1e4),
             "added to the interval of a pair limited by shared memory, M = 256",
             &MmaModel::pair_smem_penalty_m256);
    path.add("pair_penalty_m128", not_negative("clk", 1e4),
             "added to the interval of a pair limited by shared memory, M = 128",
             &MmaModel::pair_smem_penalty_m128);
    std::vector<SpecKey> keys = path.take();
    keys.push_back({"mma.tcgen05.wide_k_width",
                    positive("B", 1024),
                    "operand bytes of a row and wide 4-bit instruction (K = 96), which takes as "
                    "long as one of K = 64",
                    "mma_k96",
                    Need::required,
                    {}});
    return keys;
}

std::vector<SpecKey> plain_keys(MmaPath path_kind, std::string name) {
    PathKeys path(path_kind, std::move(name));
    path.add_common();
    std::vector<SpecKey> keys = path.take();
    if (path_kind == MmaPath::mma_sync) {
        keys.push_back({"mma.mma_sync.register_delay", not_negative("clk", 1e3),
                        "by which another instruction of the sub-partition delays one that "
                        "executes: both want the register file",
                        "mma_sync", Need::optional, [](GpuSpec& s, const ConstantValue& v) {
                            s.mma[MmaPath::mma_sync].register_delay = v.number;
                        }});
    }
    return keys;
}

/// Of the units whose instructions read and write registers all the time.
std::vector<SpecKey> contention_keys() {
    std::vector<SpecKey> keys;
    for (const Unit unit : {Unit::fma, Unit::alu, Unit::xu}) {
        const auto add = [&](const char* field, const char* meaning,
                             Tick RegisterContention::*member) {
            keys.push_back({fmt::format("register_contention.{}.{}", unit_name(unit), field),
                            not_negative("clk", 1e4), meaning, "wgmma", Need::optional,
                            [unit, member](GpuSpec& s, const ConstantValue& v) {
                                s.register_contention[unit].*member = round_to_ticks(v.number);
                            }});
        };
        add("interval",
            "clocks that an instruction keeps its unit while the sub-partition's tensor core "
            "executes a wgmma",
            &RegisterContention::interval);
        add("hold",
            "clocks that it keeps the sub-partition's other instructions from issuing meanwhile",
            &RegisterContention::hold);
    }
    return keys;
}

}  // namespace

std::vector<SpecKey> mma_keys() {
    std::vector<SpecKey> keys = tcgen05_keys();
    for (const auto& part : {plain_keys(MmaPath::wgmma, "wgmma"),
                             plain_keys(MmaPath::mma_sync, "mma_sync"), contention_keys()}) {
        keys.insert(keys.end(), part.begin(), part.end());
    }
    return keys;
}

}  // namespace warpline
