#include "warpline/workload/attention.hpp"

#include <algorithm>
#include <limits>
#include <random>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

constexpr std::int64_t longest = 2147483647;

AttentionProblem square(std::int64_t length, MaskKind kind = MaskKind::full,
                        std::int64_t window = 0) {
    AttentionProblem p;
    p.seqlen_q = p.seqlen_kv = length;
    p.mask = {kind, window};
    return p;
}

std::string refusal(const AttentionProblem& problem) {
    const auto result = make_attention(problem);
    REQUIRE_FALSE(result);
    CHECK(result.error().kind == FailureKind::usage);
    REQUIRE(result.error().diagnostics.size() == 1);
    return result.error().diagnostics.front().message;
}

std::int64_t visible_pairs(const SequencePair& s, const Mask& mask) {
    std::int64_t pairs = 0;
    for (std::int64_t i = 0; i < s.q; ++i) {
        for (std::int64_t j = 0; j < s.kv; ++j) {
            const bool old_enough = mask.kind == MaskKind::full || j <= i + s.kv - s.q;
            const bool new_enough =
                mask.kind != MaskKind::sliding_window || i + s.kv - s.q - mask.window < j;
            pairs += old_enough && new_enough ? 1 : 0;
        }
    }
    return pairs;
}

}  // namespace

TEST_CASE("make_attention accepts the limits and refuses one beyond, naming the field") {
    AttentionProblem p = square(longest);
    p.batch = p.heads_q = p.heads_kv = longest;
    p.head_dim_qk = p.head_dim_v = 1024;
    CHECK(make_attention(p).has_value());
    p = square(1);
    p.seqlen_kv = 0;
    CHECK(make_attention(p).has_value());

    const auto with = [](auto change) {
        AttentionProblem q = square(64);
        change(q);
        return refusal(q);
    };
    CHECK(with([](auto& q) { q.seqlen_q = 0; }).find("seqlen_q is 0") == 0);
    CHECK(with([](auto& q) { q.seqlen_q = longest + 1; }).find("seqlen_q") == 0);
    CHECK(with([](auto& q) { q.seqlen_kv = -1; }).find("seqlen_kv is -1") == 0);
    CHECK(with([](auto& q) { q.batch = 0; }).find("batch") == 0);
    CHECK(with([](auto& q) { q.heads_q = 0; }).find("heads_q") == 0);
    CHECK(with([](auto& q) { q.heads_kv = 0; }).find("heads_kv") == 0);
    CHECK(with([](auto& q) {
              q.heads_kv = std::numeric_limits<std::int64_t>::min();
          }).find("heads_kv") == 0);
    CHECK(with([](auto& q) {
              q.heads_q = 6;
              q.heads_kv = 4;
          }) == "heads_kv (4) does not divide heads_q (6)");
    CHECK(with([](auto& q) { q.head_dim_qk = 0; }).find("head_dim_qk") == 0);
    CHECK(with([](auto& q) { q.head_dim_v = 1025; }).find("head_dim_v is 1025") == 0);
    CHECK(with([](auto& q) { q.mask = {MaskKind::sliding_window, 0}; }).find("window is 0") == 0);
    CHECK(with([](auto& q) { q.mask = {MaskKind::causal, 5}; }).find("a window was given") == 0);
}

TEST_CASE("make_attention checks every sequence of a list and ignores the unused lengths") {
    AttentionProblem p = square(0);
    p.batch = 0;
    p.varlen = {{5, 7}, {1, 0}};
    CHECK(make_attention(p).has_value());
    CHECK(p.sequences() == 2);
    CHECK(p.sequence(1).kv == 0);
    p.varlen.push_back({0, 3});
    CHECK(refusal(p).find("query length of sequence 2 is 0") == 0);
    p.varlen.back() = {3, -1};
    CHECK(refusal(p).find("key length of sequence 2") == 0);
}

TEST_CASE("counted FLOPs follow the benchmark convention") {
    AttentionProblem p = square(8192);
    p.batch = 4;
    p.heads_q = p.heads_kv = 16;
    CHECK(counted_flops(p) == 2.0 * 4 * 16 * 8192.0 * 8192.0 * 256.0);
    p.mask.kind = MaskKind::causal;
    CHECK(counted_flops(p) == 4 * 16 * 8192.0 * 8192.0 * 256.0);  // exactly half
    p.direction = Direction::backward;
    CHECK(counted_flops(p) == 2.5 * 4 * 16 * 8192.0 * 8192.0 * 256.0);
    p = square(100, MaskKind::causal);
    p.seqlen_kv = 300;
    p.head_dim_qk = 192;
    CHECK(counted_flops(p) == 2.0 * 100 * 250.0 * (192 + 128));
    p.seqlen_kv = 60;  // mean 30
    CHECK(counted_flops(p) == 2.0 * 100 * 30.0 * (192 + 128));
    p = square(100, MaskKind::sliding_window, 10);
    CHECK(counted_flops(p) == 2.0 * (55 + 90 * 10) * 256.0);
    p = square(10);
    p.seqlen_kv = 0;
    CHECK(counted_flops(p) == 0.0);
}

TEST_CASE("unmasked scores agree with counting them") {
    std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): a fixed seed keeps the test reproducible
    const auto between = [&](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(random);
    };
    for (int round = 0; round < 500; ++round) {
        AttentionProblem p;
        p.heads_q = 6;
        p.heads_kv = 3;
        const auto kind = static_cast<MaskKind>(between(0, 2));
        p.mask = {kind, kind == MaskKind::sliding_window ? between(1, 40) : 0};
        std::int64_t expected = 0;
        for (int i = between(1, 3); i > 0; --i) {
            p.varlen.push_back({between(1, 30), between(0, 30)});
            expected += 6 * visible_pairs(p.varlen.back(), p.mask);
        }
        CHECK(unmasked_scores(p) == static_cast<double>(expected));
    }
}

TEST_CASE("the longest problems do not overflow") {
    const double n = static_cast<double>(longest);
    CHECK(unmasked_scores(square(longest)) == doctest::Approx(n * n).epsilon(1e-15));
    CHECK(unmasked_scores(square(longest, MaskKind::causal)) ==
          doctest::Approx(n * (n + 1) / 2).epsilon(1e-15));
    CHECK(unmasked_scores(square(longest, MaskKind::sliding_window, longest)) ==
          doctest::Approx(n * (n + 1) / 2).epsilon(1e-15));
}

TEST_CASE("compulsory bytes count each input and each output once") {
    AttentionProblem p = square(100);
    p.heads_q = 4;
    p.heads_kv = 2;
    p.head_dim_qk = 192;
    p.seqlen_kv = 50;
    const double q = 4 * 100;
    const double kv = 2 * 50;
    CHECK(compulsory_bytes(p) == 2 * (q * 192 + kv * (192 + 128) + q * 128));
    p.dtype = DType::fp8;
    CHECK(compulsory_bytes(p) == q * 192 + kv * (192 + 128) + 2 * q * 128);
    p.dtype = DType::bf16;
    p.direction = Direction::backward;
    CHECK(compulsory_bytes(p) ==
          2 * (q * 192 + kv * 320 + q * 128) + 2 * q * 128 + 4 * q + 2 * (q * 192 + kv * 320));
}

TEST_CASE("describe writes one line") {
    AttentionProblem p = square(8192);
    p.batch = 4;
    p.heads_q = p.heads_kv = 16;
    CHECK(describe(p) == "fwd bf16 b4 h16 s8192 d128 full");
    p.heads_kv = 4;
    p.seqlen_kv = 1024;
    p.head_dim_qk = 192;
    p.mask = {MaskKind::sliding_window, 512};
    p.direction = Direction::backward;
    p.dtype = DType::fp16;
    p.deterministic = true;
    CHECK(describe(p) == "bwd fp16 b4 h16/4 s8192x1024 d192/128 window512 deterministic");
    p.varlen = {{1, 2}, {3, 4}};
    p.mask = {MaskKind::causal, 0};
    p.deterministic = false;
    CHECK(describe(p) == "bwd fp16 varlen2 h16/4 d192/128 causal");
}
