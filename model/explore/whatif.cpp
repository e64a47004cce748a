#include "warpline/explore/whatif.hpp"

#include "warpline/explore/parallel.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace warpline {
namespace {

/// Answers a shape by the first kernel that can, and says which point that was.
std::optional<Point> answer_before(const Predictor& predictor, const WhatIfShape& shape,
                                   WhatIfRow& row) {
    for (const Point& point : shape.kernels) {
        auto prediction = predictor.predict(point);
        if (prediction) {
            row.kernel = prediction->kernel;
            row.problem = point.problem;
            row.before = std::move(*prediction);
            return point;
        }
        if (row.reason.empty()) {
            row.kernel = point.kernel;
            row.problem = point.problem;
            row.reason = prediction.error().diagnostics.front().message;
        }
    }
    return std::nullopt;
}

/// Points of the rows that have an answer before.
std::vector<std::optional<Point>> answer_all_before(const Predictor& predictor,
                                                    const std::vector<WhatIfShape>& shapes,
                                                    int threads, WhatIf& out) {
    out.rows.resize(shapes.size());
    std::vector<std::optional<Point>> points(shapes.size());
    for_each_index(static_cast<std::int64_t>(shapes.size()), threads, [&](std::int64_t i) {
        const auto at = static_cast<std::size_t>(i);
        points[at] = answer_before(predictor, shapes[at], out.rows[at]);
    });
    return points;
}

void answer_all_after(const Predictor& predictor, const std::vector<std::optional<Point>>& points,
                      int threads, WhatIf& out) {
    for_each_index(static_cast<std::int64_t>(points.size()), threads, [&](std::int64_t i) {
        const auto at = static_cast<std::size_t>(i);
        if (!points[at]) {
            return;
        }
        auto prediction = predictor.predict(*points[at]);
        if (prediction) {
            out.rows[at].after = std::move(*prediction);
        } else {
            out.rows[at].reason = prediction.error().diagnostics.front().message;
        }
    });
    for (WhatIfRow& row : out.rows) {
        if (row.before && row.after) {
            row.reason.clear();
        }
    }
}

/// Speed-ups that changes to the first GPU give, by row.
std::vector<std::optional<double>> speedups(const Predictor& predictor, const WhatIf& base,
                                            const std::vector<std::optional<Point>>& points,
                                            const Changes& changes, std::string& reason) {
    std::vector<std::optional<double>> out(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!points[i]) {
            continue;
        }
        Point point = *points[i];
        point.changes = joined(std::move(point.changes), changes);
        const auto prediction = predictor.predict(point);
        if (prediction) {
            out[i] = base.rows[i].before->seconds / prediction->seconds;
        } else if (reason.empty()) {
            reason = prediction.error().diagnostics.front().message;
        }
    }
    return out;
}

void attribute(const Predictor& predictor, const std::vector<SpecDifference>& differences,
               const std::vector<std::optional<Point>>& points, int threads, WhatIf& out) {
    out.attributions.resize(differences.size());
    for_each_index(static_cast<std::int64_t>(differences.size()), threads, [&](std::int64_t i) {
        Attribution& one = out.attributions[static_cast<std::size_t>(i)];
        one.difference = differences[static_cast<std::size_t>(i)];
        one.speedups = speedups(predictor, out, points, one.difference.change, one.reason);
    });
    std::stable_sort(
        out.attributions.begin(), out.attributions.end(),
        [](const auto& a, const auto& b) { return a.largest_effect() > b.largest_effect(); });
    Changes all;
    for (const SpecDifference& difference : differences) {
        all = joined(std::move(all), difference.change);
    }
    std::string ignored;
    out.together = speedups(predictor, out, points, all, ignored);
}

}  // namespace

std::optional<double> WhatIfRow::speedup() const {
    return before && after ? std::optional(before->seconds / after->seconds) : std::nullopt;
}

double Attribution::largest_effect() const {
    double largest = 0.0;
    for (const std::optional<double>& speedup : speedups) {
        largest = std::max(largest, speedup ? std::abs(*speedup - 1.0) : 0.0);
    }
    return largest;
}

std::optional<double> WhatIf::mean_speedup() const {
    double sum = 0.0;
    int count = 0;
    for (const WhatIfRow& row : rows) {
        if (const auto speedup = row.speedup()) {
            sum += std::log(*speedup);
            ++count;
        }
    }
    return count > 0 ? std::optional(std::exp(sum / count)) : std::nullopt;
}

WhatIf what_if(const Predictor& predictor, const std::vector<WhatIfShape>& shapes,
               const Changes& changes, int threads) {
    WhatIf out;
    std::vector<std::optional<Point>> points = answer_all_before(predictor, shapes, threads, out);
    for (std::optional<Point>& point : points) {
        if (point) {
            point->changes = joined(std::move(point->changes), changes);
        }
    }
    out.before = shapes.empty() ? std::string() : shapes.front().kernels.front().gpu;
    out.after = fmt::format("{} with {}", out.before, changes_text(changes));
    answer_all_after(predictor, points, threads, out);
    return out;
}

Result<WhatIf> compare_gpus(const Predictor& predictor, const std::vector<WhatIfShape>& shapes,
                            const std::string& gpu, int threads) {
    WhatIf out;
    const auto points = answer_all_before(predictor, shapes, threads, out);
    const Point& any = shapes.front().kernels.front();
    const auto from = predictor.spec(any.gpu, any.changes.hardware);
    const auto to = predictor.spec(gpu, any.changes.hardware);
    if (!from || !to) {
        return tl::unexpected(!from ? from.error() : to.error());
    }
    out.before = any.gpu;
    out.after = gpu;
    std::vector<std::optional<Point>> other = points;
    for (std::optional<Point>& point : other) {
        if (point) {
            point->gpu = gpu;
        }
    }
    answer_all_after(predictor, other, threads, out);
    attribute(predictor, spec_differences(**from, **to), points, threads, out);
    return out;
}

}  // namespace warpline
