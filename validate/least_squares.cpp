#include "warpline/validate/least_squares.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <Eigen/Cholesky>
#include <boost/math/distributions/students_t.hpp>

namespace warpline {
namespace {

constexpr double first_damping = 1e-3;
/// Of the sum of squares, in one iteration: less is a small part of any confidence interval.
constexpr double least_gain = 1e-3;
constexpr double indistinct_share = 0.01;
constexpr double singular_share = 1e-7;

[[nodiscard]] Eigen::Index index(std::size_t i) {
    return static_cast<Eigen::Index>(i);
}

[[nodiscard]] Eigen::VectorXd vector_of(const std::vector<double>& values) {
    return Eigen::Map<const Eigen::VectorXd>(values.data(), index(values.size()));
}

/// A row of `derivatives` becomes a column.
[[nodiscard]] Eigen::MatrixXd jacobian_of(const std::vector<Residuals>& derivatives) {
    const std::size_t rows = derivatives.empty() ? 0 : derivatives.front().size();
    Eigen::MatrixXd jacobian(index(rows), index(derivatives.size()));
    for (std::size_t j = 0; j < derivatives.size(); ++j) {
        jacobian.col(index(j)) = vector_of(derivatives[j]);
    }
    return jacobian;
}

[[nodiscard]] double sum_of_squares(const Residuals& residuals) {
    return residuals.empty() ? 0.0 : vector_of(residuals).squaredNorm();
}

/// The singular value decomposition of a matrix, without its left vectors: `directions` in columns,
/// each beside the `strength` with which the matrix takes it on. In no order.
struct Decomposition {
    Eigen::MatrixXd directions;
    Eigen::VectorXd strengths;
};

/// One-sided Jacobi rotations (Hestenes 1958): columns are turned against each other, two at a
/// time, until all stand at right angles; their lengths are the singular values. Accurate for small
/// ones, too, and matrices here have a few columns.
[[nodiscard]] Decomposition decompose(Eigen::MatrixXd matrix) {
    constexpr int most_sweeps = 60;
    constexpr double right_angle = 1e-15;
    const Eigen::Index columns = matrix.cols();
    Eigen::MatrixXd directions = Eigen::MatrixXd::Identity(columns, columns);
    const auto turn = [](Eigen::MatrixXd& of, Eigen::Index p, Eigen::Index q, double tangent) {
        const double cosine = 1.0 / std::hypot(1.0, tangent);
        const double sine = tangent * cosine;
        for (Eigen::Index i = 0; i < of.rows(); ++i) {
            const double left = of(i, p), right = of(i, q);
            of(i, p) = cosine * left - sine * right;
            of(i, q) = sine * left + cosine * right;
        }
    };
    bool turned = true;
    for (int sweep = 0; turned && sweep < most_sweeps; ++sweep) {
        turned = false;
        for (Eigen::Index p = 0; p < columns; ++p) {
            for (Eigen::Index q = p + 1; q < columns; ++q) {
                const double square_p = matrix.col(p).squaredNorm();
                const double square_q = matrix.col(q).squaredNorm();
                const double product = matrix.col(p).dot(matrix.col(q));
                if (std::abs(product) <= right_angle * std::sqrt(square_p * square_q)) {
                    continue;
                }
                const double ratio = (square_q - square_p) / (2.0 * product);
                const double tangent =
                    std::copysign(1.0, ratio) / (std::abs(ratio) + std::hypot(1.0, ratio));
                turn(matrix, p, q, tangent);
                turn(directions, p, q, tangent);
                turned = true;
            }
        }
    }
    return {std::move(directions), matrix.colwise().norm()};
}

/// Where the search stands.
struct State {
    UnknownValues point;
    Residuals residuals;
    double damping = first_damping;
};

class Search {
  public:
    Search(const std::vector<BoundedUnknown>& unknowns, const ResidualsAt& residuals)
        : unknowns_(unknowns), residuals_(residuals) {}

    /// Moves to a better point; false when none is found.
    [[nodiscard]] Result<bool> advance(State& state, const Eigen::MatrixXd& jacobian) const {
        const Eigen::VectorXd slope = jacobian.transpose() * vector_of(state.residuals);
        const std::vector<std::size_t> free = free_unknowns(state.point, slope);
        if (free.empty()) {
            return false;
        }
        // Small dampings first; larger ones turn towards steepest descent and ever shorter steps.
        constexpr std::array<double, 4> near = {0.1, 1.0, 10.0, 100.0};
        constexpr std::array<double, 4> far = {1e3, 1e4, 1e5, 1e6};
        for (const auto& factors : {near, far}) {
            std::vector<UnknownValues> trials;
            trials.reserve(factors.size());
            for (const double factor : factors) {
                trials.push_back(trial(state.point, jacobian, slope, free, factor * state.damping));
            }
            const auto results = residuals_(trials);
            if (!results) {
                return tl::unexpected(results.error());
            }
            if (const auto best = best_of(*results, sum_of_squares(state.residuals))) {
                state.point = trials[*best];
                state.residuals = (*results)[*best];
                state.damping = std::clamp(state.damping * factors[*best], 1e-12, 1e12);
                return true;
            }
        }
        return false;
    }

  private:
    /// Those that no bound keeps from going downhill.
    [[nodiscard]] std::vector<std::size_t> free_unknowns(const UnknownValues& point,
                                                         const Eigen::VectorXd& slope) const {
        std::vector<std::size_t> free;
        for (std::size_t j = 0; j < unknowns_.size(); ++j) {
            const double uphill = slope[index(j)];
            const bool held = (point[j] <= unknowns_[j].low && uphill >= 0.0) ||
                              (point[j] >= unknowns_[j].high && uphill <= 0.0);
            if (!held && uphill != 0.0) {
                free.push_back(j);
            }
        }
        return free;
    }

    [[nodiscard]] UnknownValues trial(const UnknownValues& point, const Eigen::MatrixXd& jacobian,
                                      const Eigen::VectorXd& slope,
                                      const std::vector<std::size_t>& free, double damping) const {
        const Eigen::Index count = index(free.size());
        Eigen::MatrixXd normal(count, count);
        Eigen::VectorXd downhill(count);
        for (Eigen::Index a = 0; a < count; ++a) {
            const auto column = index(free[static_cast<std::size_t>(a)]);
            downhill[a] = -slope[column];
            for (Eigen::Index b = 0; b < count; ++b) {
                normal(a, b) = jacobian.col(column).dot(
                    jacobian.col(index(free[static_cast<std::size_t>(b)])));
            }
        }
        normal.diagonal() *= 1.0 + damping;
        const Eigen::VectorXd move = normal.ldlt().solve(downhill);
        UnknownValues next = point;
        for (std::size_t a = 0; a < free.size(); ++a) {
            const BoundedUnknown& unknown = unknowns_[free[a]];
            const double moved = point[free[a]] + move[index(a)];
            next[free[a]] = std::isfinite(moved) ? std::clamp(moved, unknown.low, unknown.high)
                                                 : point[free[a]];
        }
        return next;
    }

    [[nodiscard]] static std::optional<std::size_t> best_of(const std::vector<Residuals>& results,
                                                            double before) {
        std::optional<std::size_t> best;
        double least = before * (1.0 - least_gain);
        for (std::size_t i = 0; i < results.size(); ++i) {
            const double sum = sum_of_squares(results[i]);
            if (sum < least) {
                least = sum;
                best = i;
            }
        }
        return best;
    }

    const std::vector<BoundedUnknown>& unknowns_;
    const ResidualsAt& residuals_;
};

}  // namespace

Result<std::vector<Residuals>> finite_differences(const std::vector<BoundedUnknown>& unknowns,
                                                  const UnknownValues& point,
                                                  const ResidualsAt& residuals) {
    std::vector<UnknownValues> points;
    for (std::size_t j = 0; j < unknowns.size(); ++j) {
        for (const double side : {-1.0, 1.0}) {
            points.push_back(point);
            points.back()[j] =
                std::clamp(point[j] + side * unknowns[j].step, unknowns[j].low, unknowns[j].high);
        }
    }
    const auto results = residuals(points);
    if (!results) {
        return tl::unexpected(results.error());
    }
    std::vector<Residuals> derivatives;
    for (std::size_t j = 0; j < unknowns.size(); ++j) {
        const Residuals& below = (*results)[2 * j];
        Residuals slope = (*results)[2 * j + 1];
        const double width = points[2 * j + 1][j] - points[2 * j][j];
        for (std::size_t i = 0; i < slope.size(); ++i) {
            slope[i] = (slope[i] - below[i]) / width;
        }
        derivatives.push_back(std::move(slope));
    }
    return derivatives;
}

Result<LeastSquaresFit> least_squares(const std::vector<BoundedUnknown>& unknowns,
                                      const ResidualsAt& residuals, int most_iterations) {
    State state;
    for (const BoundedUnknown& unknown : unknowns) {
        state.point.push_back(std::clamp(unknown.start, unknown.low, unknown.high));
    }
    const auto first = residuals({state.point});
    if (!first) {
        return tl::unexpected(first.error());
    }
    state.residuals = first->front();
    const Search search(unknowns, residuals);
    LeastSquaresFit fit;
    for (; !fit.settled; ++fit.iterations) {
        auto derivatives = finite_differences(unknowns, state.point, residuals);
        if (!derivatives) {
            return tl::unexpected(derivatives.error());
        }
        fit.derivatives = std::move(*derivatives);
        if (fit.iterations == most_iterations) {
            break;
        }
        const auto better = search.advance(state, jacobian_of(fit.derivatives));
        if (!better) {
            return tl::unexpected(better.error());
        }
        fit.settled = !*better;
    }
    for (std::size_t j = 0; j < unknowns.size(); ++j) {
        fit.at_bound.push_back(state.point[j] <= unknowns[j].low ||
                               state.point[j] >= unknowns[j].high);
    }
    fit.values = std::move(state.point);
    fit.residuals = std::move(state.residuals);
    return fit;
}

std::vector<double> confidence_half_widths(const std::vector<Residuals>& derivatives,
                                           const Residuals& residuals, int spent) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    const Eigen::MatrixXd jacobian = jacobian_of(derivatives);
    const Eigen::VectorXd norms = jacobian.colwise().norm();
    std::vector<double> widths(derivatives.size(), infinite);
    const Eigen::Index freedom = index(residuals.size()) - jacobian.cols() - spent;
    if (freedom <= 0 || norms.size() == 0 || norms.minCoeff() <= 0.0) {
        return widths;
    }
    const Eigen::MatrixXd scaled = jacobian * norms.cwiseInverse().asDiagonal();
    const auto [directions, strengths] = decompose(scaled);
    if (strengths.minCoeff() <= singular_share * strengths.maxCoeff()) {
        return widths;
    }
    const double variance = sum_of_squares(residuals) / static_cast<double>(freedom);
    const double quantile =
        boost::math::quantile(boost::math::students_t(static_cast<double>(freedom)), 0.975);
    for (Eigen::Index j = 0; j < jacobian.cols(); ++j) {
        const double spread =
            (directions.row(j).transpose().array() / strengths.array()).matrix().norm();
        widths[static_cast<std::size_t>(j)] = quantile * std::sqrt(variance) * spread / norms[j];
    }
    return widths;
}

std::vector<std::size_t> indistinct_unknowns(const std::vector<Residuals>& derivatives) {
    const Eigen::MatrixXd jacobian = jacobian_of(derivatives);
    const Eigen::MatrixXd scaled =
        jacobian * jacobian.colwise().norm().transpose().cwiseInverse().asDiagonal();
    const auto [directions, strengths] = decompose(scaled);
    std::vector<std::size_t> unknowns;
    for (Eigen::Index k = 0; k < scaled.cols(); ++k) {
        if (strengths[k] >= indistinct_share) {
            continue;
        }
        // The combination that changes nothing names its members.
        for (Eigen::Index j = 0; j < scaled.cols(); ++j) {
            if (std::abs(directions(j, k)) > 0.1) {
                unknowns.push_back(static_cast<std::size_t>(j));
            }
        }
    }
    std::sort(unknowns.begin(), unknowns.end());
    unknowns.erase(std::unique(unknowns.begin(), unknowns.end()), unknowns.end());
    return unknowns;
}

}  // namespace warpline
