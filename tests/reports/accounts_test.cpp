#include "warpline/reports/accounts.hpp"

#include "example_prediction.hpp"

#include <doctest/doctest.h>

using namespace warpline;
using doctest::Approx;

TEST_CASE("shares of the peak add up to one and each is what it says") {
    const PeakShares shares = peak_shares(test::example_prediction());
    CHECK(shares.counted == Approx(0.60));
    CHECK(shares.not_counted == Approx(0.04));
    CHECK(shares.launch == Approx(0.02));
    CHECK(shares.idle_sms == Approx(0.05));
    REQUIRE(shares.steady_idle);
    CHECK(*shares.steady_idle == Approx(0.16));  // 0.64 / 0.8 - 0.64
    CHECK(shares.other == Approx(0.13));
    CHECK(shares.counted + shares.not_counted + shares.launch + shares.idle_sms +
              *shares.steady_idle + shares.other ==
          Approx(1.0));
}

TEST_CASE("a prediction without work has no shares") {
    const PeakShares shares = peak_shares(Prediction{});
    CHECK(shares.counted == 0.0);
    CHECK(shares.other == 0.0);
    CHECK_FALSE(shares.steady_idle);
}

TEST_CASE("warps of a role are weighed by how many they stand for") {
    Schedule schedule;
    const Cause barrier{Cause::Kind::barrier, 3};
    schedule.roles = {{0, 0, 0, 0, 3, 100, {{barrier, 100}}}, {0, 1, 0, 0, 1, 200, {}}};
    const auto accounts = role_accounts(schedule);
    REQUIRE(accounts.size() == 1);
    CHECK(accounts[0].warps == 4);
    CHECK(accounts[0].busy == Approx(500.0 / 800.0));
    REQUIRE(accounts[0].stalls.size() == 1);
    CHECK(accounts[0].stalls[0].share == Approx(300.0 / 800.0));
    CHECK(accounts[0].stalls[0].cause == barrier);
}

TEST_CASE("idle causes are shares of the makespan over all instances") {
    Schedule schedule;
    schedule.makespan = 100;
    const Cause latency{Cause::Kind::latency, 1};
    const Cause issue{Cause::Kind::issue, 0};
    schedule.units = {{Unit::xu, 0, 0, 3, 60, {{latency, 40}}},
                      {Unit::xu, 1, 0, 1, 20, {{issue, 80}}},
                      {Unit::alu, 0, 0, 1, 0, {{issue, 100}}}};
    const UnitOverRun run = unit_over_run(schedule, Unit::xu);
    CHECK(run.busy == Approx(0.5));
    REQUIRE(run.idle.size() == 2);
    CHECK(run.idle[0].cause == latency);
    CHECK(run.idle[0].share == Approx(0.3));
    CHECK(run.idle[1].share == Approx(0.2));
    CHECK(unit_over_run(schedule, Unit::tma).idle.empty());
}

TEST_CASE("what stands for all sub-partitions tells why they are idle, others beside it are busy") {
    Schedule schedule;
    schedule.makespan = 100;
    const Cause latency{Cause::Kind::latency, 1};
    const Cause issue{Cause::Kind::issue, 0};
    const Cause finished{Cause::Kind::finished, 0};
    // Sub-partition 0 of each of two SMs stands for four; on one a warp of its own is busy beside.
    schedule.units = {{Unit::xu, 0, 0, 4, 60, {{latency, 30}, {issue, 10}}},
                      {Unit::xu, 0, 1, 1, 40, {{finished, 60}}},
                      {Unit::xu, 0, 2, 1, 0, {{finished, 100}}},
                      {Unit::xu, 1, 0, 4, 60, {{latency, 30}, {issue, 10}}}};
    const UnitOverRun run = unit_over_run(schedule, Unit::xu);
    CHECK(run.busy == Approx((4 * 60 + 40 + 4 * 60) / 800.0));
    REQUIRE(run.idle.size() == 2);
    CHECK(run.idle[0].cause == latency);
    CHECK(run.idle[0].share == Approx(0.75 * (1.0 - run.busy)));
    CHECK(run.idle[1].share == Approx(0.25 * (1.0 - run.busy)));
}

TEST_CASE("consecutive steps of one kind are one stretch of the critical cycle") {
    const auto stretches = cycle_stretches(test::example_prediction().recurrence);
    REQUIRE(stretches.size() == 2);
    CHECK(stretches[0].label == "mma QK");
    CHECK(stretches[0].cycles == 60.0);
    CHECK(stretches[1].cycles == 30.0);
}
