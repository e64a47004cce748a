#include "warpline/explore/data_files.hpp"

#include <algorithm>
#include <utility>

namespace warpline {

template <typename T, typename Read>
Result<std::shared_ptr<const T>> DataFiles::current(ById<T>& known, const std::string& id,
                                                    const Read& read) {
    const auto before = [&]() -> std::shared_ptr<const T> {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto entry = known.find(id);
        return entry == known.end() ? nullptr : entry->second;
    }();
    if (before != nullptr &&
        std::all_of(before->documents.begin(), before->documents.end(),
                    [](const auto& document) { return is_current(*document); })) {
        return before;
    }
    auto fresh = read();
    if (!fresh) {
        return tl::unexpected(std::move(fresh.error()));
    }
    auto kept = std::make_shared<const T>(std::move(*fresh));
    const std::lock_guard<std::mutex> lock(mutex_);
    known[id] = kept;
    return kept;
}

Result<std::shared_ptr<const GpuFamily>> DataFiles::gpu(const std::string& id) {
    return current(gpus_, id, [&] { return read_gpu_family(data_dir_, id, documents_); });
}

Result<std::shared_ptr<const PipelineSource>> DataFiles::kernel(const std::string& id) {
    return current(kernels_, id, [&] { return read_pipeline(data_dir_, id, documents_); });
}

Result<GpuSpec> DataFiles::load_gpu_spec(const std::string& id,
                                         const std::vector<ConstantOverride>& overrides) {
    const auto family = gpu(id);
    return family ? make_gpu_spec(**family, overrides) : tl::unexpected(family.error());
}

Result<KernelPlan> DataFiles::load_plan(const std::string& id, const GpuSpec& spec,
                                        const AttentionProblem& problem,
                                        const std::vector<ParameterOverride>& overrides) {
    const auto source = kernel(id);
    return source ? make_plan(**source, spec, problem, overrides) : tl::unexpected(source.error());
}

}  // namespace warpline
