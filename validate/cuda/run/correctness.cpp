#include "correctness.hpp"

#include "reference.hpp"

#include <limits>
#include <random>
#include <thread>

namespace attention {
namespace {

// Runs body(i) for i in [0, count) on all cores.
template <class Body>
void in_parallel(int count, Body&& body) {
    const int workers = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    std::vector<std::thread> threads;
    for (int first = 0; first < workers; ++first) {
        threads.emplace_back([&, first] {
            for (int i = first; i < count; i += workers)
                body(i);
        });
    }
    for (std::thread& thread : threads)
        thread.join();
}

int keys_seen(const Shape& s, int row) {
    return s.causal ? std::clamp(row + s.seqlen_kv - s.seqlen_q + 1, 0, s.seqlen_kv) : s.seqlen_kv;
}

struct Sums {
    double difference = 0;
    double reference = 0;
    double worst = 0;
    double log_sum = 0;
    long long wrong = 0;
};

// One head: the given rows of it.
Sums compare_plane(const DeviceProblem& problem, int plane, const std::vector<int>& rows) {
    const Shape& s = problem.shape();
    const int kv_plane =
        plane / s.heads_q * s.heads_kv + plane % s.heads_q / (s.heads_q / s.heads_kv);
    const int d = problem.head_dim();
    const auto q = problem.rows('q', plane, 0, s.seqlen_q);
    const auto o = problem.rows('o', plane, 0, s.seqlen_q);
    const auto k = problem.rows('k', kv_plane, 0, s.seqlen_kv);
    const auto v = problem.rows('v', kv_plane, 0, s.seqlen_kv);
    std::vector<float> log_sums;
    for (const int row : rows)
        log_sums.push_back(problem.log_sum(plane, row));
    std::vector<Sums> parts(rows.size());
    in_parallel(static_cast<int>(rows.size()), [&](int i) {
        const auto index = static_cast<std::size_t>(i);
        const long long at = static_cast<long long>(rows[index]) * d;
        const int seen = keys_seen(s, rows[index]);
        const ReferenceRow want =
            reference_row(q.data() + at, k.data(), v.data(), d, seen, problem.scale());
        Sums& sums = parts[index];
        double square = 0;
        for (const double value : want.output)
            square += value * value;
        const double deviation = std::sqrt(square / d);
        for (int c = 0; c < d; ++c) {
            const double got = from_bf16(o[static_cast<std::size_t>(at + c)]);
            const double expected = want.output[static_cast<std::size_t>(c)];
            const bool wrong = !std::isfinite(got) || (seen == 0 && got != 0);
            sums.wrong += wrong ? 1 : 0;
            const double difference = wrong ? 0 : got - expected;
            sums.difference += difference * difference;
            sums.reference += expected * expected;
            if (deviation > 0) {
                sums.worst =
                    std::max(sums.worst, std::abs(difference) / (std::abs(expected) + deviation));
            }
        }
        const double lse = log_sums[index];
        if (seen == 0)
            sums.wrong += lse == -std::numeric_limits<double>::infinity() ? 0 : 1;
        else if (std::isfinite(lse))
            sums.log_sum = std::abs(lse - want.log_sum);
        else
            ++sums.wrong;
    });
    Sums total;
    for (const Sums& part : parts) {
        total.difference += part.difference;
        total.reference += part.reference;
        total.worst = std::max(total.worst, part.worst);
        total.log_sum = std::max(total.log_sum, part.log_sum);
        total.wrong += part.wrong;
    }
    return total;
}

}  // namespace

// Outputs and probabilities are rounded to bf16 (relative steps of 2^-8): about 2e-3 of the norm.
bool Errors::good() const {
    return relative < 5e-3 && worst < 0.03 && log_sum < 1e-3 && wrong == 0 && intact && rows > 0;
}

Errors compare_with_reference(const Kernel& kernel, DeviceProblem& problem, bool persistent,
                              int sms, long long rows) {
    problem.poison();
    const Arguments arguments = problem.arguments(kernel);
    kernel.launch(arguments, grid_size(kernel, arguments, persistent, sms));
    micro::check(cudaDeviceSynchronize());

    const Shape& s = problem.shape();
    const int planes = s.batch * s.heads_q;
    const bool all = static_cast<long long>(planes) * s.seqlen_q <= rows;
    const int drawn = all ? planes : std::min(planes, 4);
    std::mt19937_64 draw(std::random_device{}());
    Errors errors;
    Sums total;
    for (int i = 0; i < drawn; ++i) {
        const int plane = all ? i : std::uniform_int_distribution<int>(0, planes - 1)(draw);
        std::vector<int> chosen;
        const long long count = all ? s.seqlen_q : std::min<long long>(rows / drawn, s.seqlen_q);
        for (long long r = 0; r < count; ++r) {
            chosen.push_back(all ? static_cast<int>(r)
                                 : std::uniform_int_distribution<int>(0, s.seqlen_q - 1)(draw));
        }
        const Sums sums = compare_plane(problem, plane, chosen);
        total.difference += sums.difference;
        total.reference += sums.reference;
        errors.worst = std::max(errors.worst, sums.worst);
        errors.log_sum = std::max(errors.log_sum, sums.log_sum);
        errors.wrong += sums.wrong;
        errors.rows += count;
    }
    errors.relative = total.reference > 0 ? std::sqrt(total.difference / total.reference) : 0;
    errors.intact = problem.ends_intact();
    return errors;
}

int check_small_shapes(const Kernel& kernel, int sms, std::uint64_t seed, bool quick) {
    // batch, query heads, key heads, queries, keys: exact fits, one over and one under, fewer
    // queries than keys and more, single rows, more tiles than SMs.
    std::vector<Shape> shapes = {{1, 1, 1, 128, 128}, {1, 2, 1, 192, 384},  {2, 4, 2, 257, 511},
                                 {1, 3, 1, 64, 1000}, {1, 2, 2, 500, 77},   {2, 2, 1, 1, 333},
                                 {1, 1, 1, 1, 1},     {1, 4, 4, 513, 2049}, {5, 16, 4, 300, 333},
                                 {1, 2, 1, 1023, 769}};
    if (quick)
        shapes = {{1, 2, 1, 257, 511}, {1, 1, 1, 500, 77}, {2, 80, 80, 192, 640}};
    int bad = 0;
    prepare(kernel);
    for (Shape shape : shapes) {
        shape.causal = kernel.causal;
        DeviceProblem problem(shape, kernel.head_dim, ++seed);
        for (const bool persistent : {true, false}) {
            const Errors e = compare_with_reference(kernel, problem, persistent, sms, 1LL << 40);
            bad += e.good() ? 0 : 1;
            if (!e.good() || persistent) {
                std::printf(
                    "%-4s %-28s b%d h%d/%d q%d kv%d %s: relative %.2e, worst %.2e, "
                    "log sum %.1e, wrong %lld, ends %s\n",
                    e.good() ? "ok" : "BAD", kernel.name.c_str(), shape.batch, shape.heads_q,
                    shape.heads_kv, shape.seqlen_q, shape.seqlen_kv,
                    persistent ? "persistent" : "a CTA a tile", e.relative, e.worst, e.log_sum,
                    e.wrong, e.intact ? "intact" : "OVERWRITTEN");
            }
        }
    }
    return bad;
}

}  // namespace attention
