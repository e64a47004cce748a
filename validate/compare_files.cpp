// Answers measured rows from the specs and pipelines of a data directory.
#include "warpline/validate/compare.hpp"

#include <map>
#include <utility>

namespace warpline {
namespace {

class DirectoryPredictor {
  public:
    DirectoryPredictor(const std::filesystem::path& data_dir, const CompareOptions& options)
        : data_dir_(data_dir), options_(options), kernels_(list_kernels(data_dir)) {}

    [[nodiscard]] Result<RowPrediction> operator()(const MeasuredRow& row) {
        if (row.problem.deterministic) {
            return fail(FailureKind::usage, "a deterministic order is not modelled");
        }
        auto kernel = kernel_for(row, kernels_);
        if (!kernel) {
            return tl::unexpected(kernel.error());
        }
        const Result<GpuSpec>& spec = spec_of(row.gpu);
        if (!spec) {
            return tl::unexpected(spec.error());
        }
        const Result<PipelineSource>& source = source_of(*kernel);
        if (!source) {
            return tl::unexpected(source.error());
        }
        const auto plan = make_plan(*source, *spec, row.problem, options_.parameters);
        if (!plan) {
            return tl::unexpected(plan.error());
        }
        PredictOptions predict_options = options_.predict;
        if (row.clock) {
            predict_options.clock = row.clock;
            predict_options.boost_clock = false;
        }
        auto prediction = predict(*spec, *plan, row.problem, predict_options);
        if (!prediction) {
            return tl::unexpected(prediction.error());
        }
        if (row.clock) {
            prediction->clock.origin = "measured with the row";
        }
        return RowPrediction{std::move(*kernel), std::move(*prediction), spec->sub_partitions,
                             spec->tensor_scope};
    }

  private:
    [[nodiscard]] const Result<GpuSpec>& spec_of(const std::string& gpu) {
        const auto known = specs_.find(gpu);
        return known != specs_.end()
                   ? known->second
                   : specs_.emplace(gpu, load_gpu_spec(data_dir_, gpu, options_.constants))
                         .first->second;
    }

    [[nodiscard]] const Result<PipelineSource>& source_of(const std::string& kernel) {
        const auto known = sources_.find(kernel);
        return known != sources_.end()
                   ? known->second
                   : sources_.emplace(kernel, read_pipeline(data_dir_, kernel)).first->second;
    }

    const std::filesystem::path& data_dir_;
    const CompareOptions& options_;
    std::vector<std::string> kernels_;
    std::map<std::string, Result<GpuSpec>> specs_;
    std::map<std::string, Result<PipelineSource>> sources_;
};

}  // namespace

Result<Comparison> compare(const std::filesystem::path& data_dir, const MeasuredTable& table,
                           const CompareOptions& options) {
    DirectoryPredictor predictor(data_dir, options);
    return compare_rows(table, [&](const MeasuredRow& row) { return predictor(row); });
}

}  // namespace warpline
