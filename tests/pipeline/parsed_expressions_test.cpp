#include "warpline/pipeline/parsed_expressions.hpp"

#include "pipeline_fixture.hpp"

#include <thread>

#include <doctest/doctest.h>

using namespace warpline;
using namespace warpline::test;

TEST_CASE("what one evaluator parsed the next one finds, and none of its names") {
    const auto pool = std::make_shared<ExpressionPool>();
    {
        Evaluator evaluator(gpu("b200"), pool);
        evaluator.define("a", 7);
        CHECK(*evaluator.number("a * 2 + 1") == 15);
        CHECK(*evaluator.number("has(tcgen05) + 2 * has(wgmma)") == 1);
        CHECK(*evaluator.number("hw.mma.tcgen05.rate / 2") == 4096);
    }
    Evaluator evaluator(gpu("h200"), pool);
    CHECK_FALSE(evaluator.defines("a"));
    const auto unknown = evaluator.number("a * 2 + 1");
    REQUIRE_FALSE(unknown.has_value());
    CHECK(unknown.error().message == "unknown name 'a'");
    CHECK(unknown.error().hint.empty());
    evaluator.define("a", 8);
    CHECK(*evaluator.number("a * 2 + 1") == 17);
    // Another GPU has other capabilities and constants.
    CHECK(*evaluator.number("has(tcgen05) + 2 * has(wgmma)") == 2);
    CHECK(evaluator.number("hw.mma.tcgen05.rate / 2").error().message ==
          "the GPU has no constant 'mma.tcgen05.rate'");
    CHECK(evaluator.asked() == std::vector<std::string>{"a"});
}

TEST_CASE("a pool keeps the parsed expressions of evaluators that are done") {
    ExpressionPool pool;
    auto parsed = pool.take();
    ParsedExpressions* const first = parsed.get();
    const ParsedExpression* const sum = &parsed->of("1 + a");
    CHECK(&parsed->of("1 + a") == sum);
    auto other = pool.take();
    CHECK(other.get() != first);
    pool.give_back(std::move(parsed));
    parsed = pool.take();
    CHECK(parsed.get() == first);
    CHECK(&parsed->of("1 + a") == sum);
    for (int i = 0; i < 10000; ++i) {
        static_cast<void>(parsed->of(std::to_string(i)));
    }
    pool.give_back(std::move(parsed));  // more than is worth keeping
    CHECK(pool.take()->size() == 0);
}

TEST_CASE("evaluators of one pool that live at a time do not see each other's values") {
    const auto pool = std::make_shared<ExpressionPool>();
    Evaluator one(gpu("b200"), pool);
    Evaluator two(gpu("b200"), pool);
    one.define("x", 1);
    two.define("x", 2);
    CHECK(*one.number("x + 0") == 1);
    CHECK(*two.number("x + 0") == 2);
    CHECK(*one.number("x + 0") == 1);
}

TEST_CASE("threads evaluate through one pool") {
    const auto pool = std::make_shared<ExpressionPool>();
    const GpuSpec& spec = gpu("b200");
    std::vector<double> sums(4);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        threads.emplace_back([&, i] {
            for (int n = 0; n < 20; ++n) {
                Evaluator evaluator(spec, pool);
                evaluator.define("i", static_cast<double>(i));
                evaluator.define("n", n);
                sums[i] += *evaluator.number("max(i, 0) * 100 + n");
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
        CHECK(sums[i] == 2000.0 * static_cast<double>(i) + 190.0);
    }
}

TEST_CASE("a table is computed anew when a name that it reads besides has another value") {
    Evaluator evaluator(gpu("b200"));
    evaluator.define("x", 1);
    const std::vector<double> points{1, 2};
    CHECK(*evaluator.tabulate("x * y", {"y"}, points) == std::vector<double>{1, 2});
    evaluator.define("x", 10);
    CHECK(*evaluator.tabulate("x * y", {"y"}, points) == std::vector<double>{10, 20});
    CHECK(*evaluator.tabulate("x * y", {"y"}, {3}) == std::vector<double>{30});
    CHECK(*evaluator.tabulate("x * y", {"x", "y"}, {3, 4}) == std::vector<double>{12});
    CHECK(*evaluator.number("x") == 10);
}
