// Every specification that ships: loads without a warning and states its evidence.
#include "source_dir.hpp"
#include "warpline/hardware/load_gpu_spec.hpp"
#include "warpline/hardware/spec_schema.hpp"

#include <set>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

const std::filesystem::path data_dir = source_dir();

}  // namespace

TEST_CASE("every shipped GPU loads, agrees with its datasheet and names its sources") {
    const auto ids = list_gpu_specs(data_dir);
    CHECK(ids == std::vector<std::string>{"a100_sxm", "b100", "b200", "b300", "gb200", "gb300",
                                          "h100_sxm", "h200", "rtx_5090", "rtx_pro_6000", "rubin"});
    std::set<std::string> hashes;
    for (const std::string& id : ids) {
        CAPTURE(id);
        const auto spec = load_gpu_spec(data_dir, id);
        REQUIRE(spec.has_value());
        CHECK(spec->warnings.empty());
        CHECK(hashes.insert(spec->hash).second);
        for (const auto& entry : spec->constants) {
            const Constant& constant = entry.second;
            CAPTURE(constant.key);
            CHECK(constant.key == entry.first);
            CHECK_FALSE(constant.text.empty());
            CHECK_FALSE(constant.source.empty());
            CHECK_FALSE(constant.meaning.empty());
            CHECK(constant.where.line > 0);
            if (constant.low) {
                CHECK(*constant.low <= constant.value);
                CHECK(constant.value <= *constant.high);
            }
        }
    }
}

TEST_CASE("every key of the schema is used by a shipped GPU") {
    std::set<std::string> used;
    for (const std::string& id : list_gpu_specs(data_dir)) {
        const GpuSpec spec = load_gpu_spec(data_dir, id).value();
        for (const auto& [key, constant] : spec.constants) {
            used.insert(key);
        }
    }
    std::set<std::string> names;
    for (const SpecKey& key : spec_keys()) {
        CAPTURE(key.key);
        CHECK(used.count(key.key) == 1);
        CHECK(names.insert(key.key).second);
        CHECK_FALSE(key.meaning.empty());
    }
}

TEST_CASE("the instructions that kernels of each generation are made of are there") {
    const std::vector<std::string> everywhere = {
        "ffma",   "fadd",   "fmul",        "fmnmx",      "mufu.ex2", "mufu.rcp", "mufu.lg2",
        "f2fp",   "lop3",   "shf",         "sel",        "isetp",    "fsetp",    "r2p",
        "imad",   "iadd",   "lea",         "mov",        "shfl",     "vote",     "bar",
        "branch", "lds.32", "lds.128",     "sts.32",     "sts.128",  "ldg.128",  "stg.128",
        "sync",   "fence",  "cp.async.16", "ldmatrix.x4"};
    for (const std::string& id : list_gpu_specs(data_dir)) {
        CAPTURE(id);
        const GpuSpec spec = load_gpu_spec(data_dir, id).value();
        for (const std::string& name : everywhere) {
            CAPTURE(name);
            CHECK(spec.instructions.count(name) == 1);
        }
        for (const char* name : {"ffma2", "fadd2", "fmul2"}) {
            CHECK(spec.has("packed_f32") == (spec.instructions.count(name) == 1));
        }
        CHECK(spec.has("fmnmx3") == (spec.instructions.count("fmnmx3") == 1));
        CHECK(spec.has("tma") == (spec.instructions.count("elect") == 1));
        CHECK(spec.has("tma") == (spec.instructions.count("setmaxnreg") == 1));
        CHECK(spec.has("tma") == (spec.instructions.count("stmatrix.x4") == 1));
        for (const auto& entry : spec.instructions) {
            const InstructionKind& kind = entry.second;
            CAPTURE(kind.name);
            CHECK(kind.name == entry.first);
            CHECK(kind.interval >= 1);
            CHECK(kind.issue_slots >= 1);
        }
    }
}

TEST_CASE("peaks follow from SMs, rate and clock") {
    const GpuSpec h100 = load_gpu_spec(data_dir, "h100_sxm").value();
    CHECK(h100.peak_flops(ClockHz(1'830'000'000)) == doctest::Approx(989.4e12).epsilon(0.001));
    const GpuSpec b200 = load_gpu_spec(data_dir, "b200").value();
    CHECK(b200.peak_flops(b200.clocks.boost) == doctest::Approx(2382.4e12).epsilon(0.001));
}
