#include "warpline/roofline/execution_counts.hpp"

#include "../recurrence/plan_builder.hpp"

#include <random>

#include <doctest/doctest.h>

using namespace warpline;
using test::ProgramBuilder;

namespace {

Predicate predicate(Predicate::Kind kind, std::int64_t value = 0, bool negate = false) {
    Predicate result;
    result.kind = kind;
    result.value.constant = value;
    result.negate = negate;
    return result;
}

Predicate every(std::int64_t period, std::int64_t offset) {
    Predicate result = predicate(Predicate::Kind::every);
    result.period = period;
    result.offset = offset;
    return result;
}

Predicate chance(std::vector<int> shares) {
    Predicate result = predicate(Predicate::Kind::chance);
    result.chance_64ths = std::move(shares);
    return result;
}

/// Executes a program step by step: the obviously right way.
class Walker {
  public:
    Walker(const Program& program, const std::vector<TileRun>& runs) : program_(program) {
        for (const TileRun& run : runs) {
            tiles_.insert(tiles_.end(), static_cast<std::size_t>(run.count), run.tile);
        }
        counts_.resize(program.size());
    }
    std::vector<double> run() {
        walk(0, static_cast<int>(program_.size()), 0, 1,
             tiles_.empty() ? TileClass{} : tiles_.front());
        return counts_;
    }

  private:
    void walk(int first, int end, std::int64_t i, std::int64_t n, const TileClass& tile) {
        for (int op = first; op < end;) {
            const OpBody& body = program_[static_cast<std::size_t>(op)].body;
            counts_[static_cast<std::size_t>(op)] += 1;
            ++op;
            if (const auto* skip = std::get_if<SkipUnless>(&body)) {
                op = holds(skip->predicate, i, n, tile) ? op : skip->target;
            } else if (const auto* jump = std::get_if<Jump>(&body)) {
                op = jump->target;
            } else if (const auto* loop = std::get_if<LoopBegin>(&body)) {
                const bool over_tiles = loop->over == LoopBegin::Over::tiles;
                const auto trips =
                    over_tiles ? static_cast<std::int64_t>(tiles_.size()) : loop->count.at(tile);
                for (std::int64_t k = 0; k < trips; ++k) {
                    walk(op, loop->end, k, trips,
                         over_tiles ? tiles_[static_cast<std::size_t>(k)] : tile);
                }
                op = loop->end + 1;
            }
        }
    }
    const Program& program_;
    std::vector<TileClass> tiles_;
    std::vector<double> counts_;
};

Predicate random_predicate(std::mt19937& random) {
    const auto below = [&random](unsigned n) { return static_cast<std::int64_t>(random() % n); };
    Predicate result;
    switch (below(6)) {
        case 0:
            result = predicate(Predicate::Kind::first, below(4));
            break;
        case 1:
            result = predicate(Predicate::Kind::last, below(4));
            break;
        case 2: {
            const std::int64_t period = 1 + below(5);
            result = every(period, below(static_cast<unsigned>(period)));
            break;
        }
        case 3:
            result = predicate(Predicate::Kind::masked);
            break;
        case 4:
            result = predicate(Predicate::Kind::at_least, -below(20));
            result.value.blocks = 1;
            break;
        default:
            result = chance({static_cast<int>(below(65)), static_cast<int>(below(65)),
                             static_cast<int>(below(65))});
            break;
    }
    result.negate = below(2) == 0;
    return result;
}

void random_body(std::mt19937& random, ProgramBuilder& builder, int depth) {
    const auto statements = 1 + random() % 3;
    for (std::size_t s = 0; s < statements; ++s) {
        switch (random() % (depth > 0 ? 3 : 1)) {
            case 0:
                builder.issue(test::fma, 1);
                break;
            case 1:
                builder.when(random_predicate(random));
                random_body(random, builder, depth - 1);
                builder.end_when();
                break;
            default:
                builder.loop({static_cast<std::int64_t>(random() % 3) - 1,
                              static_cast<std::int64_t>(random() % 2), 0, 0});
                random_body(random, builder, depth - 1);
                builder.end();
                break;
        }
    }
}

}  // namespace

TEST_CASE("counts equal those of a step-by-step walk") {
    std::mt19937 random(7);
    for (int trial = 0; trial < 300; ++trial) {
        ProgramBuilder builder;
        builder.loop_tiles();
        random_body(random, builder, 3);
        builder.end();
        const Program program = builder.build();
        std::vector<TileRun> tiles;
        for (unsigned run = 0; run < random() % 4; ++run) {
            tiles.push_back(
                {{static_cast<std::int64_t>(random() % 40), static_cast<std::int64_t>(random() % 3),
                  static_cast<std::int64_t>(random() % 2)},
                 static_cast<std::int64_t>(random() % 5)});
        }
        REQUIRE(execution_counts(program, tiles) == Walker(program, tiles).run());
    }
}

TEST_CASE("huge trip counts cost no more than small ones") {
    constexpr std::int64_t blocks = (std::int64_t{1} << 31) - 1;
    ProgramBuilder builder;
    builder.loop_tiles().loop_blocks().issue(test::fma, 1);
    builder.when(every(1000000, 5)).issue(test::fma, 1).end_when();
    builder.when(chance({64, 16})).issue(test::fma, 1).end_when();
    builder.when(predicate(Predicate::Kind::last, 3)).issue(test::fma, 1).end_when();
    builder.end().end();
    const std::vector<double> counts =
        execution_counts(builder.build(), std::vector<TileRun>{{{blocks, 1, 0}, 1000}});
    CHECK(counts[2] == 1000.0 * static_cast<double>(blocks));
    CHECK(counts[4] == 1000.0 * 2148);  // i = 5, 1000005, ... below 2^31 - 1
    // The first iteration fires for its whole share, then one in four.
    CHECK(counts[6] == 1000.0 * (1 + static_cast<double>((blocks - 1) / 4)));
    CHECK(counts[8] == 3000.0);
}

TEST_CASE("nothing to do is zero") {
    ProgramBuilder builder;
    builder.loop_tiles().loop_blocks(-1).issue(test::fma, 1).end().end();
    const Program program = builder.build();
    CHECK(execution_counts(program, std::vector<TileRun>{{{1, 1, 0}, 5}})[2] == 0.0);
    CHECK(execution_counts(program, std::vector<TileRun>{{{0, 0, 0}, 5}})[2] == 0.0);
    CHECK(execution_counts(program, std::vector<TileRun>{})[1] == 0.0);
}
