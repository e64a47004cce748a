#include "warpline/device/power.hpp"

#include "source_dir.hpp"
#include "warpline/device/operation.hpp"
#include "warpline/hardware/load_gpu_spec.hpp"
#include "warpline/pipeline/parameters.hpp"

#include <cmath>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

double megahertz(const ClockHz& clock) {
    return boost::rational_cast<double>(clock) / 1e6;
}

ClockHz mhz(std::int64_t value) {
    return ClockHz(value * 1'000'000);
}

/// Energies in round numbers; the voltage follows the SM clock itself.
EnergyCosts round_costs() {
    EnergyCosts costs;
    costs.limit_watts = 700;
    costs.static_watts = 100;
    costs.reference = mhz(1000);
    costs.boost = mhz(2000);
    costs.exponent = 2.0;
    costs.flop = 1e-12;
    costs.smem_byte = 2e-12;
    costs.l2_byte = 20e-12;
    costs.hbm_byte = 50e-12;
    costs.instruction = 300e-12;
    return costs;
}

/// A second at 1 GHz that draws 100 W for each part but HBM's 50.
KernelWork round_work() {
    return {100e12, 50e12, 5e12, 1e12, 1e12 / 3.0, 1e9, 0.0};
}

double part(const PowerAccount& account, const char* name) {
    for (const PowerAccount::Part& found : account.parts) {
        if (found.name == name) {
            return found.watts;
        }
    }
    FAIL("no part " << name);
    return 0.0;
}

const GpuSpec& h200() {
    static const auto spec = load_gpu_spec(source_dir(), "h200");
    REQUIRE(spec);
    return *spec;
}

Result<Prediction> predicted(const GpuSpec& spec, const char* kernel,
                             const AttentionProblem& problem, const PredictOptions& options,
                             const std::vector<ParameterOverride>& set = {}) {
    const auto source = read_pipeline(source_dir(), kernel);
    REQUIRE(source);
    const auto operation = make_operation(*source, spec, problem, set);
    REQUIRE(operation);
    return predict_operation(spec, *operation, problem, options);
}

}  // namespace

TEST_CASE("every part of the draw is its work's energy over the time") {
    const PowerAccount account = power_at(round_costs(), round_work(), mhz(1000));
    CHECK(part(account, "standing") == 100);
    CHECK(part(account, "tensor cores") == doctest::Approx(100));
    CHECK(part(account, "shared memory") == doctest::Approx(100));
    CHECK(part(account, "L2 to SMs") == doctest::Approx(100));
    CHECK(part(account, "HBM") == doctest::Approx(50));
    CHECK(part(account, "instructions") == doctest::Approx(100));
    CHECK(account.watts == doctest::Approx(550));
}

TEST_CASE("a faster clock does more in a second, each at a higher voltage but HBM's") {
    const PowerAccount slow = power_at(round_costs(), round_work(), mhz(1000));
    const PowerAccount fast = power_at(round_costs(), round_work(), mhz(1500));
    CHECK(part(fast, "tensor cores") ==
          doctest::Approx(std::pow(1.5, 3) * part(slow, "tensor cores")));
    CHECK(part(fast, "HBM") == doctest::Approx(1.5 * part(slow, "HBM")));
    CHECK(part(fast, "standing") == part(slow, "standing"));
}

TEST_CASE("the voltage follows the driver's clock, up to boost") {
    EnergyCosts costs = round_costs();
    costs.loaded_share = 0.8;  // SMs at 1600 MHz: the driver at 2000
    const auto energy = [&](std::int64_t clock) {
        const double seconds = 1e9 / boost::rational_cast<double>(mhz(clock));
        return seconds * part(power_at(costs, round_work(), mhz(clock)), "tensor cores");
    };
    CHECK(energy(1600) == doctest::Approx(std::pow(2.0, 2) * 100));
    CHECK(energy(1900) == doctest::Approx(energy(1600)));
    CHECK(energy(1500) < energy(1600));
}

TEST_CASE("the limit is met at the clock it allows, and broken just above") {
    const EnergyCosts costs = round_costs();
    const ClockHz held = clock_within_limit(costs, round_work(), mhz(1900)).value();
    CHECK(held < mhz(1900));
    CHECK(power_at(costs, round_work(), held).watts <= 700);
    CHECK(power_at(costs, round_work(), held + ClockHz(100'000)).watts > 700);
    // 550 W at 1 GHz are within it, so that nothing holds the clock there.
    CHECK(clock_within_limit(costs, round_work(), mhz(1000)) == mhz(1000));
    CHECK(clock_within_limit(costs, KernelWork{}, mhz(1900)) == mhz(1900));
}

TEST_CASE("a board that may draw no more than it does asleep has no clock") {
    const auto refused = [](const char* watts) {
        const auto spec = load_gpu_spec(source_dir(), "h200", {{"power.static", watts}});
        REQUIRE(spec);
        CHECK(has_power_model(*spec));
        PredictOptions options;
        options.power_limit = true;
        const auto answer = predicted(*spec, "warpline_sm90_fwd", {}, options);
        REQUIRE_FALSE(answer);
        CHECK(answer.error().kind == FailureKind::infeasible);
        return answer.error().text();
    };
    const std::string hint = "(what the board draws asleep must lie below what it sustains)";
    CHECK(refused("800 W") ==
          "--set: 'power.static', 800 W, leaves nothing of 'power.sustained', "
          "660 W, for work " +
              hint);
    CHECK(refused("660 W").find("leaves nothing") != std::string::npos);
    // A watt is left, and the kernel takes more at every clock.
    EnergyCosts costs = round_costs();
    costs.static_watts = 699;
    const auto tight = clock_within_limit(costs, round_work(), mhz(1900));
    REQUIRE_FALSE(tight);
    CHECK(tight.error().kind == FailureKind::infeasible);
    CHECK(tight.error().text().find("at 95 MHz, 5 % of the clock that was given, the board still "
                                    "draws 704.1 W of the 700 W that it sustains, 699 W of them") !=
          std::string::npos);
}

TEST_CASE("a GPU whose energies are not known says which constants are missing") {
    const auto spec = load_gpu_spec(source_dir(), "b300");
    REQUIRE(spec);
    const auto costs = energy_costs(*spec);
    REQUIRE_FALSE(costs);
    CHECK(costs.error().text().find("power.tensor_flop") != std::string::npos);
    PredictOptions options;
    options.power_limit = true;
    CHECK_FALSE(predicted(*spec, "fa4_fwd", {}, options));
    CHECK_FALSE(has_power_model(*spec));
}

TEST_CASE("under its limit an H200 holds the clocks that were measured on one") {
    // Back-to-back rows of validate/measured/h200_warpline_sm90_fwd.csv; their draws took part in
    // the fit of the energies, their clocks come from the limit.
    struct Held {
        std::int64_t head_dim, batch, heads, tokens;
        double mhz;
        std::vector<ParameterOverride> set;
    };
    const std::vector<Held> measured = {
        {64, 16, 32, 2048, 1579, {{"groups", "3"}, {"tile_kv", "128"}, {"output_buffer", "0"}}},
        {64, 8, 32, 4096, 1589, {{"groups", "3"}, {"tile_kv", "128"}, {"output_buffer", "0"}}},
        {128, 16, 16, 2048, 1488, {{"groups", "2"}, {"tile_kv", "160"}, {"output_buffer", "1"}}}};
    for (const Held& row : measured) {
        CAPTURE(row.head_dim);
        CAPTURE(row.tokens);
        AttentionProblem problem;
        problem.head_dim_qk = problem.head_dim_v = row.head_dim;
        problem.batch = row.batch;
        problem.heads_q = problem.heads_kv = row.heads;
        problem.seqlen_q = problem.seqlen_kv = row.tokens;
        PredictOptions options;
        options.power_limit = true;
        const auto answer = predicted(h200(), "warpline_sm90_fwd", problem, options, row.set);
        REQUIRE(answer);
        REQUIRE(answer->power);
        CHECK(answer->power->ceiling == h200().clocks.boost);
        CHECK(answer->power->watts == doctest::Approx(answer->power->limit_watts).epsilon(0.01));
        CHECK(megahertz(answer->clock.hz) == doctest::Approx(row.mhz).epsilon(0.03));
        CHECK(answer->clock.origin.find("660 W leave of 1980 MHz") != std::string::npos);
    }
}

TEST_CASE("energies taken from another GPU are scaled, but for those of HBM and sleep") {
    const auto whole = load_gpu_spec(source_dir(), "b200", {{"power.energy_scale", "1 x"}});
    const auto half = load_gpu_spec(source_dir(), "b200", {{"power.energy_scale", "0.5 x"}});
    REQUIRE(whole);
    REQUIRE(half);
    const auto full = energy_costs(*whole);
    const auto scaled = energy_costs(*half);
    REQUIRE(full);
    REQUIRE(scaled);
    CHECK(full->flop == energy_costs(h200())->flop);
    CHECK(scaled->flop == doctest::Approx(0.5 * full->flop));
    CHECK(scaled->smem_byte == doctest::Approx(0.5 * full->smem_byte));
    CHECK(scaled->l2_byte == doctest::Approx(0.5 * full->l2_byte));
    CHECK(scaled->instruction == doctest::Approx(0.5 * full->instruction));
    CHECK(scaled->hbm_byte == full->hbm_byte);
    CHECK(scaled->static_watts == full->static_watts);
}

TEST_CASE("on a B200 the limit holds dense attention lower than sparse") {
    const auto spec = load_gpu_spec(source_dir(), "b200");
    REQUIRE(spec);
    const auto held_mhz = [&](std::int64_t tokens) {
        AttentionProblem problem;
        problem.mask.kind = MaskKind::causal;
        problem.heads_q = problem.heads_kv = 16;
        problem.batch = 32768 / tokens;
        problem.seqlen_q = problem.seqlen_kv = tokens;
        PredictOptions options;
        options.power_limit = true;
        const auto answer = predicted(*spec, "fa4_fwd", problem, options);
        REQUIRE(answer);
        return megahertz(answer->clock.hz);
    };
    const double dense = held_mhz(32768);
    CHECK(dense < held_mhz(4096));
    CHECK(held_mhz(4096) < held_mhz(1024));
    CHECK(dense < megahertz(spec->clocks.boost) * 0.95);
    CHECK(dense > megahertz(spec->clocks.sustained_low));
}

TEST_CASE("a kernel that draws little keeps the clock it is given") {
    AttentionProblem problem;
    problem.batch = 1;
    problem.heads_q = problem.heads_kv = 1;
    problem.seqlen_q = problem.seqlen_kv = 512;
    PredictOptions options;
    options.power_limit = true;
    options.clock = mhz(1700);
    const auto answer = predicted(h200(), "warpline_sm90_fwd", problem, options);
    REQUIRE(answer);
    CHECK(answer->clock.hz == mhz(1700));
    CHECK(answer->power->watts < answer->power->limit_watts);
    options.power_limit = false;
    const auto freely = predicted(h200(), "warpline_sm90_fwd", problem, options);
    CHECK_FALSE(freely->power);
    CHECK(freely->seconds == answer->seconds);
}
