#include "warpline/explore/predictor.hpp"

#include "warpline/device/schedule_memo.hpp"
#include "warpline/explore/parallel.hpp"

#include <optional>
#include <utility>

namespace warpline {
namespace {

constexpr std::size_t remembered_specs = 4096;

template <typename T>
Result<std::shared_ptr<const T>> shared(Result<T> value) {
    if (!value) {
        return tl::unexpected(std::move(value.error()));
    }
    return std::make_shared<const T>(std::move(*value));
}

}  // namespace

Predictor::Predictor(std::filesystem::path data_dir)
    : data_dir_(std::move(data_dir)), memo_(std::make_shared<ScheduleMemo>()) {}

Result<Predictor::Spec> Predictor::spec(const std::string& gpu,
                                        const std::vector<ConstantOverride>& changes) const {
    std::string key = gpu;
    for (const ConstantOverride& change : changes) {
        key += '\n' + change.key + '=' + change.text;
    }
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (const auto known = specs_.find(key); known != specs_.end()) {
            return known->second;
        }
    }
    auto loaded = shared(load_gpu_spec(data_dir_, gpu, changes));
    const std::lock_guard<std::mutex> lock(mutex_);
    if (specs_.size() >= remembered_specs) {
        specs_.clear();
    }
    return specs_.emplace(std::move(key), std::move(loaded)).first->second;
}

Result<Predictor::Source> Predictor::source(const std::string& kernel) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const auto known = sources_.find(kernel); known != sources_.end()) {
        return known->second;
    }
    return sources_.emplace(kernel, shared(read_pipeline(data_dir_, kernel))).first->second;
}

Result<Operation> Predictor::operation(const Point& point) const {
    const auto read = source(point.kernel);
    if (!read) {
        return tl::unexpected(read.error());
    }
    const auto loaded = spec(point.gpu, point.changes.hardware);
    if (!loaded) {
        return tl::unexpected(loaded.error());
    }
    return make_operation(**read, **loaded, point.problem, point.changes.parameters);
}

Result<Prediction> Predictor::predict(const Point& point) const {
    const auto lowered = operation(point);
    if (!lowered) {
        return tl::unexpected(lowered.error());
    }
    const auto loaded = spec(point.gpu, point.changes.hardware);
    if (!loaded) {
        return tl::unexpected(loaded.error());
    }
    return predict_operation(**loaded, *lowered, point.problem, point.options, memo_.get());
}

std::vector<Result<Prediction>> Predictor::predict_all(const std::vector<Point>& points,
                                                       int threads) const {
    std::vector<std::optional<Result<Prediction>>> found(points.size());
    for_each_index(static_cast<std::int64_t>(points.size()), threads, [&](std::int64_t i) {
        const auto at = static_cast<std::size_t>(i);
        found[at].emplace(predict(points[at]));
    });
    std::vector<Result<Prediction>> out;
    out.reserve(found.size());
    for (std::optional<Result<Prediction>>& one : found) {
        out.push_back(std::move(*one));
    }
    return out;
}

}  // namespace warpline
