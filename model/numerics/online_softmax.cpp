#include "warpline/numerics/online_softmax.hpp"

#include "warpline/numerics/exp2_polynomial.hpp"
#include "warpline/numerics/rounding.hpp"

#include <algorithm>

namespace warpline {
namespace {

/// Keys [at, at + count) of each block in turn.
template <typename Work>
void each_block(Eigen::Index keys, std::int64_t block, const Work& work) {
    for (Eigen::Index at = 0; at < keys; at += block) {
        work(at, std::min<Eigen::Index>(block, keys - at));
    }
}

/// The maximum that each row goes on with: its old one unless the new one is more than tau above.
[[nodiscard]] Eigen::ArrayXf kept_maximum(const Eigen::ArrayXf& old, const Eigen::ArrayXf& fresh,
                                          double tau) {
    const Eigen::ArrayXf risen = old.max(fresh);
    return ((risen - old) > static_cast<float>(tau)).select(risen, old);
}

}  // namespace

std::vector<bool> rescaled_steps(const Eigen::Ref<const Eigen::ArrayXXf>& scores,
                                 std::int64_t block, double tau) {
    std::vector<bool> steps;
    Eigen::ArrayXf maximum;
    each_block(scores.cols(), block, [&](Eigen::Index at, Eigen::Index count) {
        const Eigen::ArrayXf fresh = scores.middleCols(at, count).rowwise().maxCoeff();
        if (at == 0) {
            maximum = fresh;
            return;
        }
        const Eigen::ArrayXf kept = kept_maximum(maximum, fresh, tau);
        steps.push_back((kept > maximum).any());
        maximum = kept;
    });
    return steps;
}

Eigen::MatrixXf attend(const Eigen::Ref<const Eigen::ArrayXXf>& scores,
                       const Eigen::Ref<const Eigen::MatrixXf>& v, const OnlineSoftmax& options) {
    const Eigen::MatrixXf values = rounded_to(options.precision, v.array()).matrix();
    Eigen::MatrixXf o = Eigen::MatrixXf::Zero(scores.rows(), v.cols());
    Eigen::ArrayXf sum = Eigen::ArrayXf::Zero(scores.rows());
    Eigen::ArrayXf maximum;
    each_block(scores.cols(), options.block, [&](Eigen::Index at, Eigen::Index count) {
        const auto s = scores.middleCols(at, count);
        const Eigen::ArrayXf fresh = s.rowwise().maxCoeff();
        if (at == 0) {
            maximum = fresh;
        } else {
            const Eigen::ArrayXf kept = kept_maximum(maximum, fresh, options.tau);
            const Eigen::ArrayXf scale = exp2_of(maximum - kept, 0);
            o = scale.matrix().asDiagonal() * o;
            sum *= scale;
            maximum = kept;
        }
        const Eigen::ArrayXXf p = exp2_of((s.colwise() - maximum).min(127.0F), options.exp2_degree);
        sum += p.rowwise().sum();
        o.noalias() += rounded_to(options.precision, p).matrix() * values.middleRows(at, count);
    });
    return sum.inverse().matrix().asDiagonal() * o;
}

Eigen::MatrixXd attend_exactly(const Eigen::Ref<const Eigen::ArrayXXf>& scores,
                               const Eigen::Ref<const Eigen::MatrixXf>& v) {
    const Eigen::ArrayXXd s = scores.cast<double>();
    const Eigen::ArrayXd maximum = s.rowwise().maxCoeff();
    constexpr double ln_2 = 0.6931471805599453;
    const Eigen::ArrayXXd p = ((s.colwise() - maximum) * ln_2).exp();
    const Eigen::ArrayXd inverse = p.rowwise().sum().inverse();
    return inverse.matrix().asDiagonal() * (p.matrix() * v.cast<double>());
}

}  // namespace warpline
