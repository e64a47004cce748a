#include "warpline/device/operation.hpp"

#include "source_dir.hpp"
#include "warpline/device/side_launch_time.hpp"
#include "warpline/hardware/load_gpu_spec.hpp"

#include <doctest/doctest.h>

using namespace warpline;

TEST_CASE("an operation takes its kernel's time and that of the kernels around it") {
    const auto spec = load_gpu_spec(source_dir(), "b200");
    REQUIRE(spec);
    AttentionProblem problem;
    problem.seqlen_q = problem.seqlen_kv = 1024;
    const auto source = read_pipeline(source_dir(), "fa4_fwd");
    REQUIRE(source);
    auto operation = make_operation(*source, *spec, problem);
    REQUIRE(operation);
    CHECK(operation->launches.empty());
    const auto alone = predict_operation(*spec, *operation, problem);
    const auto plain = predict(*spec, operation->plan, problem);
    REQUIRE(alone);
    CHECK(alone->seconds == plain->seconds);
    SideLaunch launch;
    launch.name = "row sums";
    launch.bytes_read = 1e9;
    operation->launches = {launch, launch};
    const auto together = predict_operation(*spec, *operation, problem);
    REQUIRE(together);
    const double added = 2.0 * side_launch_seconds(launch, *spec, together->clock.hz);
    CHECK(added > 2e9 / spec->memory.hbm_bytes_per_second);
    CHECK(together->seconds == doctest::Approx(alone->seconds + added));
    CHECK(together->tflops * together->seconds == doctest::Approx(alone->tflops * alone->seconds));
    CHECK(together->utilization * together->seconds ==
          doctest::Approx(alone->utilization * alone->seconds));
    CHECK(together->makespan_cycles == alone->makespan_cycles);
    CHECK(together->assumptions.back().find("row sums, a kernel of its own before") !=
          std::string::npos);
}

TEST_CASE("a launch that issues longer than it moves takes the time of its instructions") {
    const auto spec = load_gpu_spec(source_dir(), "b200");
    REQUIRE(spec);
    const ClockHz clock(1'000'000'000);
    const auto seconds = [&](double bytes, double instructions) {
        SideLaunch launch;
        launch.bytes_read = bytes;
        launch.instructions = instructions;
        return side_launch_seconds(launch, *spec, clock);
    };
    const double slots = 1e9 * static_cast<double>(spec->sm_count * spec->sub_partitions);
    const double bytes = spec->memory.hbm_bytes_per_second * 1e-3;  // a millisecond's
    CHECK(seconds(bytes, 0.9e-3 * slots) == seconds(bytes, 0.0));
    CHECK(seconds(bytes, 1.5e-3 * slots) == doctest::Approx(seconds(bytes, 0.0) + 0.5e-3));
}
