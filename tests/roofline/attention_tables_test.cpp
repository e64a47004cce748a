#include "warpline/roofline/attention_tables.hpp"

#include <initializer_list>

#include <doctest/doctest.h>

using namespace warpline;

// Tables 1 and 3 of the FlashAttention-4 paper, arXiv:2603.05451v1. Every value is exact in binary.

TEST_CASE("the forward table of the paper, to the cycle") {
    SUBCASE("128 x 128 scores, head dim 128") {
        const ForwardCycles cycles = forward_table({128, 128, 128});
        CHECK(cycles.mma == 1024.0);
        CHECK(cycles.smem == 768.0);
        CHECK(cycles.exponentials == 1024.0);
    }
    SUBCASE("256 x 128 scores, head dim 128") {
        const ForwardCycles cycles = forward_table({256, 128, 128});
        CHECK(cycles.mma == 2048.0);
        CHECK(cycles.smem == 1536.0);
        CHECK(cycles.exponentials == 2048.0);
    }
    SUBCASE("one GEMM of the pipeline figure is half of the tile's MMA time") {
        CHECK(forward_table({128, 128, 128}).mma / 2 == 512.0);
    }
}

TEST_CASE("exponentials left on the unit after emulation") {
    CHECK(forward_table({256, 128, 128, 0.1875}).exponentials == 1664.0);
    CHECK(forward_table({256, 128, 128, 0.125}).exponentials == 1792.0);
    CHECK(forward_table({256, 128, 128, 0.25}).exponentials == 1536.0);
}

TEST_CASE("the forward closed forms hold for multiples of the MMA extent") {
    for (const std::int64_t rows : {128, 256, 384}) {
        for (const std::int64_t columns : {128, 256}) {
            for (const std::int64_t d : {128, 256, 512}) {
                const ForwardCycles cycles = forward_table({rows, columns, d});
                const auto mnd = static_cast<double>(rows * columns * d);
                CHECK(cycles.mma == 4 * mnd / 8192);
                CHECK(cycles.smem == 3 * mnd / 8192);
            }
        }
    }
}

TEST_CASE("a tile smaller than an MMA still fetches whole operands") {
    CHECK(forward_table({128, 128, 64}).smem == 512.0);  // V is charged 128 columns
    CHECK(forward_table({1, 128, 128}).smem == 768.0);
    CHECK(forward_table({1, 128, 128}).mma == 8.0);
}

TEST_CASE("the backward table of the paper, one CTA, to the cycle") {
    const BackwardCycles cycles = backward_table({128, 128, 128, false});
    CHECK(cycles.mma == 2560.0);
    CHECK(cycles.operands == 2048.0);
    CHECK(cycles.ds_write == 256.0);
    CHECK(cycles.ds_exchange == 0.0);
    CHECK(cycles.dq_reduction == 1024.0);
    CHECK(cycles.smem() == 3328.0);
    CHECK(cycles.exponentials == 1024.0);
}

TEST_CASE("the backward table of the paper, CTA pair, to the cycle") {
    const BackwardCycles cycles = backward_table({128, 128, 128, true});
    CHECK(cycles.mma == 2560.0);
    CHECK(cycles.operands == 1536.0);
    CHECK(cycles.ds_write == 256.0);
    CHECK(cycles.ds_exchange == 384.0);
    CHECK(cycles.dq_reduction == 512.0);
    CHECK(cycles.smem() == 2688.0);
    CHECK(cycles.exponentials == 1024.0);
}

TEST_CASE("the backward closed form of one CTA holds away from squares") {
    for (const std::int64_t m : {64, 128, 256}) {
        for (const std::int64_t n : {64, 128}) {
            for (const std::int64_t d : {64, 128, 192}) {
                const BackwardCycles cycles = backward_table({m, n, d, false});
                CHECK(cycles.operands == static_cast<double>(4 * m * d + 3 * n * d + m * n) / 64);
                CHECK(cycles.dq_reduction == static_cast<double>(m * d) / 16);
            }
        }
    }
}

TEST_CASE("rates scale the tables") {
    TableRates hopper;
    hopper.mma_flops = 4096;
    CHECK(forward_table({128, 128, 128}, hopper).mma == 2048.0);
    TableRates doubled;
    doubled.exponentials = 32;
    CHECK(forward_table({128, 128, 128}, doubled).exponentials == 512.0);
}
