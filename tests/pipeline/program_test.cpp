#include "warpline/pipeline/program.hpp"

#include <doctest/doctest.h>

using namespace warpline;

namespace {

Predicate make(Predicate::Kind kind, std::int64_t value = 0) {
    Predicate predicate;
    predicate.kind = kind;
    predicate.value.constant = value;
    return predicate;
}

Predicate chance(std::vector<int> shares) {
    Predicate predicate = make(Predicate::Kind::chance);
    predicate.chance_64ths = std::move(shares);
    return predicate;
}

}  // namespace

TEST_CASE("predicates on the index hold exactly where they say") {
    const TileClass tile{10, 2, 1};
    const Predicate first = make(Predicate::Kind::first, 2);
    CHECK(holds(first, 1, 10, tile));
    CHECK_FALSE(holds(first, 2, 10, tile));
    const Predicate last = make(Predicate::Kind::last, 2);
    CHECK_FALSE(holds(last, 7, 10, tile));
    CHECK(holds(last, 8, 10, tile));
    Predicate every = make(Predicate::Kind::every);
    every.period = 3;
    every.offset = 1;
    CHECK(holds(every, 4, 10, tile));
    CHECK_FALSE(holds(every, 5, 10, tile));
    every.negate = true;
    CHECK(holds(every, 5, 10, tile));
    const Predicate masked = make(Predicate::Kind::masked);
    CHECK(holds(masked, 1, 10, tile));
    CHECK_FALSE(holds(masked, 2, 10, tile));
    CHECK_FALSE(holds(masked, 8, 10, tile));
    CHECK(holds(masked, 9, 10, tile));
    CHECK(holds(make(Predicate::Kind::at_least, 0), 0, 1, tile));
    CHECK_FALSE(holds(make(Predicate::Kind::at_least, -1), 0, 1, tile));
}

TEST_CASE("a constant chance fires p times in any 64 iterations, evenly spread") {
    for (int p = 0; p <= 64; ++p) {
        const Predicate predicate = chance({p});
        std::int64_t last_fire = -1;
        int fires = 0;
        for (std::int64_t i = 0; i < 256; ++i) {
            if (!chance_fires(predicate, i)) {
                continue;
            }
            if (last_fire >= 0) {
                CHECK((i - last_fire + 1) * p > 64);
                CHECK((i - last_fire - 1) * p < 64);
            }
            last_fire = i;
            fires += i >= 64 && i < 128 ? 1 : 0;
        }
        CHECK(fires == p);
    }
}

TEST_CASE("a chance that changes with the index agrees with a running sum") {
    const Predicate predicate = chance({64, 40, 30, 20, 7});
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < 500; ++i) {
        const std::int64_t before = sum;
        const auto& shares = predicate.chance_64ths;
        sum += shares[std::min<std::size_t>(static_cast<std::size_t>(i), shares.size() - 1)];
        CHECK(chance_fires(predicate, i) == (sum / 64 > before / 64));
    }
}
