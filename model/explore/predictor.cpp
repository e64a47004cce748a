#include "warpline/explore/predictor.hpp"

#include "warpline/device/schedule_memo.hpp"
#include "warpline/explore/data_files.hpp"
#include "warpline/explore/lowered_kernel.hpp"
#include "warpline/explore/parallel.hpp"
#include "warpline/explore/rescale_chance.hpp"
#include "warpline/pipeline/family.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::size_t remembered_specs = 256;
constexpr std::size_t remembered_operations = 1024;
constexpr std::size_t remembered_chances = 4096;

template <typename T>
Result<std::shared_ptr<const T>> shared(Result<T> value) {
    if (!value) {
        return tl::unexpected(std::move(value.error()));
    }
    return std::make_shared<const T>(std::move(*value));
}

}  // namespace

Predictor::Predictor(std::filesystem::path data_dir)
    : Predictor(std::make_shared<DataFiles>(std::move(data_dir))) {}

Predictor::Predictor(std::shared_ptr<DataFiles> files)
    : files_(std::move(files)), memo_(std::make_shared<ScheduleMemo>()) {}

Result<Predictor::Family> Predictor::family(const std::string& gpu) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const auto known = families_.find(gpu); known != families_.end()) {
        return known->second;
    }
    return families_.emplace(gpu, files_->gpu(gpu)).first->second;
}

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
    const auto read = family(gpu);
    auto loaded = read ? shared(make_gpu_spec(**read, changes)) : tl::unexpected(read.error());
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
    return sources_.emplace(kernel, files_->kernel(kernel)).first->second;
}

Result<Predictor::Lowered> Predictor::lowered(const Point& point) const {
    std::string key = fmt::format("{}\n{}", point.kernel, point.gpu);
    for (const ConstantOverride& change : point.changes.hardware) {
        key += "\nhw." + change.key + '=' + change.text;
    }
    for (const ParameterOverride& change : point.changes.parameters) {
        key += '\n' + change.name + '=' + change.expression;
    }
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (const auto known = lowered_.find(key); known != lowered_.end()) {
            return known->second;
        }
    }
    const auto make = [&]() -> Result<Lowered> {
        const auto read = source(point.kernel);
        if (!read) {
            return tl::unexpected(read.error());
        }
        const auto loaded = spec(point.gpu, point.changes.hardware);
        if (!loaded) {
            return tl::unexpected(loaded.error());
        }
        return std::make_shared<LoweredKernel>(*read, *loaded, point.changes.parameters);
    };
    auto made = make();
    const std::lock_guard<std::mutex> lock(mutex_);
    std::size_t held = lowered_.size();
    for (const auto& [name, kernel] : lowered_) {
        held += kernel ? (*kernel)->held() : 0;
    }
    if (held >= remembered_operations) {
        lowered_.clear();
    }
    return lowered_.emplace(std::move(key), std::move(made)).first->second;
}

Result<Point> Predictor::without_scores(const Point& point) const {
    Point plain = point;
    plain.scores.reset();
    const auto base = operation(plain);
    if (!base) {
        return tl::unexpected(base.error());
    }
    const KernelPlan& plan = (*base)->plan;
    const auto threshold = plan.parameters.find("rescale_threshold");
    std::string key = fmt::format("{} {} {} {} {} {}", scores_text(*point.scores), plan.tiles.block,
                                  threshold == plan.parameters.end() ? -1.0 : threshold->second,
                                  point.problem.seqlen_kv,
                                  static_cast<int>(point.problem.mask.kind), plan.kernel);
    for (const SequencePair& pair : point.problem.varlen) {
        key += fmt::format(" {}", pair.kv);
    }
    const auto known = [&]() -> std::optional<Result<double>> {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto entry = chances_.find(key);
        return entry == chances_.end() ? std::nullopt : std::optional(entry->second);
    }();
    // One thread: points are what is spread over threads.
    const auto chance = known ? *known : rescale_chance(plan, point.problem, *point.scores, 1);
    if (!known) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (chances_.size() >= remembered_chances) {
            chances_.clear();
        }
        chances_.emplace(std::move(key), chance);
    }
    if (!chance) {
        return tl::unexpected(chance.error());
    }
    plain.changes.parameters.push_back(
        {std::string(rescale_parameter), fmt::format("{:.6g}", *chance)});
    return plain;
}

std::shared_ptr<const std::vector<KernelFamily>> Predictor::kernel_families() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (kernel_families_ == nullptr) {
        kernel_families_ = std::make_shared<const std::vector<KernelFamily>>(
            readable_families(files_->data_dir()));
    }
    return kernel_families_;
}

Result<Predictor::Found> Predictor::find(const Point& point) const {
    const auto answer = [this](const Point& asked) -> Result<Found> {
        const auto kernel = lowered(asked);
        if (!kernel) {
            return tl::unexpected(kernel.error());
        }
        auto operation = (*kernel)->at(asked.problem);
        if (!operation) {
            return tl::unexpected(std::move(operation.error()));
        }
        return Found{std::move(*operation), Spec(*kernel, &(*kernel)->spec())};
    };
    auto found = answer(point);
    if (found || found.error().kind != FailureKind::infeasible) {
        return found;
    }
    const auto loaded = spec(point.gpu, point.changes.hardware);
    const auto other =
        loaded ? kernel_in_place_of(*kernel_families(), point.kernel, **loaded, point.problem)
               : std::nullopt;
    if (!other) {
        return found;
    }
    Point there = point;
    there.kernel = *other;
    return answer(there);
}

Result<std::shared_ptr<const Operation>> Predictor::operation(const Point& point) const {
    if (point.scores) {
        const auto plain = without_scores(point);
        return plain ? operation(*plain) : tl::unexpected(plain.error());
    }
    auto found = find(point);
    return found ? Result<std::shared_ptr<const Operation>>(std::move(found->operation))
                 : tl::unexpected(std::move(found.error()));
}

Result<Prediction> Predictor::predict(const Point& point) const {
    if (point.scores) {
        const auto plain = without_scores(point);
        return plain ? predict(*plain) : tl::unexpected(plain.error());
    }
    const auto found = find(point);
    if (!found) {
        return tl::unexpected(found.error());
    }
    if (point.blocks == nullptr) {
        return predict_operation(*found->spec, *found->operation, point.problem, point.options,
                                 memo_.get());
    }
    Operation listed = *found->operation;
    listed.blocks = *point.blocks;
    return predict_operation(*found->spec, listed, point.problem, point.options, memo_.get());
}

std::vector<Result<Prediction>> Predictor::predict_all(const std::vector<Point>& points,
                                                       int threads) const {
    std::vector<Result<Prediction>> out(points.size());
    for_each_index(static_cast<std::int64_t>(points.size()), threads, [&](std::int64_t i) {
        const auto at = static_cast<std::size_t>(i);
        out[at] = predict(points[at]);
    });
    return out;
}

}  // namespace warpline
