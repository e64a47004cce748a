// Answers measured rows from the specs and pipelines of a data directory.
#include "warpline/device/clock.hpp"
#include "warpline/device/operation.hpp"
#include "warpline/device/power.hpp"
#include "warpline/hardware/dtype.hpp"
#include "warpline/pipeline/family.hpp"
#include "warpline/validate/comparison_parts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace warpline {
namespace {

/// The overrides of the command line count before those of a kernel's variant.
[[nodiscard]] std::vector<ParameterOverride> merged(const std::vector<ParameterOverride>& asked,
                                                    const std::vector<ParameterOverride>& variant) {
    std::vector<ParameterOverride> out = asked;
    for (const ParameterOverride& parameter : variant) {
        const bool named = std::any_of(asked.begin(), asked.end(), [&](const auto& other) {
            return other.name == parameter.name;
        });
        if (!named) {
            out.push_back(parameter);
        }
    }
    return out;
}

/// What SMs run at over the row's clock. A driver's reading says what was asked for: under load the
/// SMs run slower, by as much as the specification says where that was measured.
[[nodiscard]] double share_of_clock(const MeasuredRow& row, const GpuSpec& spec) {
    return row.clock_is_sampled() ? loaded_clock_share(spec) : 1.0;
}

[[nodiscard]] ClockHz scaled(const ClockHz& clock, double share) {
    return ClockHz(std::llround(boost::rational_cast<double>(clock) * share));
}

/// The clock of a row of counters alone, which a profiler took: memory is nearer, in cycles, than
/// at the clock of a free run.
[[nodiscard]] std::optional<ClockHz> profiled_clock(const MeasuredRow& row, const GpuSpec& spec) {
    const auto known = spec.constants.find("clock.profiled");
    if (row.time_ms || row.tflops || known == spec.constants.end()) {
        return std::nullopt;
    }
    return ClockHz(std::llround(known->second.value * 1e6));
}

/// The clock of a row that states none, before the power limit takes its part.
void run_free(PredictOptions& options, const MeasuredRow& row, const GpuSpec& spec) {
    options.power_limit = true;
    options.clock = scaled(spec.clocks.boost, loaded_clock_share(spec));
    options.clock_origin = row.gpu + " boost clock under load";
}

/// At the row's clock, where it has one. A measured clock is what the power limit left; one that
/// was set can be above it.
[[nodiscard]] PredictOptions options_for(const MeasuredRow& row, const GpuSpec& spec,
                                         const CompareOptions& asked) {
    PredictOptions options = asked.predict;
    const bool knows_power = asked.power_limit && has_power_model(spec);
    options.power_limit = knows_power && row.clock_is_ceiling();
    const double share = share_of_clock(row, spec);
    if (row.clock) {
        options.boost_clock = false;
        options.clock = share == 1.0 ? row.clock : scaled(*row.clock, share);
        options.clock_origin = share != 1.0
                                   ? fmt::format("{:.3g} of what was sampled with the row", share)
                               : row.clock_is_ceiling() ? "set with the row"
                                                        : "measured with the row";
        return options;
    }
    if (options.clock || options.boost_clock) {
        return options;
    }
    if (const std::optional<ClockHz> profiled = profiled_clock(row, spec)) {
        options.clock = profiled;
        options.clock_origin = row.gpu + " clock under a profiler";
    } else if (knows_power && (row.time_ms || row.tflops)) {
        run_free(options, row, spec);
    }
    return options;
}

/// Loads each specification and family once.
class DirectoryPredictor {
  public:
    DirectoryPredictor(std::filesystem::path data_dir, CompareOptions options)
        : data_dir_(std::move(data_dir)),
          options_(std::move(options)),
          kernels_(list_kernels(data_dir_)),
          families_known_(list_families(data_dir_)) {}

    [[nodiscard]] Result<RowPrediction> operator()(const MeasuredRow& row) {
        const Result<GpuSpec>& spec = spec_of(row.gpu);
        if (!spec) {
            return tl::unexpected(spec.error());
        }
        auto choice = choice_for(row, *spec);
        if (!choice) {
            return tl::unexpected(choice.error());
        }
        const Result<Operation> operation = operation_of(row, *spec, *choice);
        if (!operation) {
            return tl::unexpected(operation.error());
        }
        auto prediction =
            predict_operation(*spec, *operation, row.problem, options_for(row, *spec, options_));
        if (!prediction) {
            return tl::unexpected(prediction.error());
        }
        return answer(row, *spec, std::move(*choice), std::move(*prediction));
    }

  private:
    [[nodiscard]] static RowPrediction answer(const MeasuredRow& row, const GpuSpec& spec,
                                              KernelChoice choice, Prediction prediction) {
        RowPrediction out;
        out.kernel = std::move(choice.kernel);
        out.prediction = std::move(prediction);
        out.sub_partitions = spec.sub_partitions;
        out.tensor_scope = spec.tensor_scope;
        out.variants = std::move(choice.because);
        out.peak_flops_per_cycle = peak_flops(spec, ClockHz(1), row.problem.dtype);
        out.hbm_bytes_per_second = spec.memory.hbm_bytes_per_second;
        out.clock_range = {boost::rational_cast<double>(spec.clocks.sustained_low) / 1e6,
                           boost::rational_cast<double>(spec.clocks.sustained_high) / 1e6};
        return out;
    }

    [[nodiscard]] Result<Operation> lowered(const MeasuredRow& row, const GpuSpec& spec,
                                            const KernelChoice& choice) {
        const Result<PipelineSource>& source = source_of(choice.kernel);
        return source ? make_operation(*source, spec, row.problem,
                                       merged(options_.parameters, choice.set))
                      : tl::unexpected(source.error());
    }

    /// `choice` becomes the kernel that a family sets in place of one that does not take the
    /// problem.
    [[nodiscard]] Result<Operation> operation_of(const MeasuredRow& row, const GpuSpec& spec,
                                                 KernelChoice& choice) {
        auto operation = lowered(row, spec, choice);
        if (operation || operation.error().kind != FailureKind::infeasible) {
            return operation;
        }
        if (!all_families_) {
            all_families_ = readable_families(data_dir_);
        }
        const auto other = kernel_in_place_of(*all_families_, choice.kernel, spec, row.problem);
        if (!other) {
            return operation;
        }
        choice = {*other, {}, {}};
        return lowered(row, spec, choice);
    }

    [[nodiscard]] Result<KernelChoice> choice_for(const MeasuredRow& row, const GpuSpec& spec) {
        if (std::binary_search(kernels_.begin(), kernels_.end(), row.kernel)) {
            return KernelChoice{row.kernel, {}, {}};
        }
        if (!std::binary_search(families_known_.begin(), families_known_.end(), row.kernel)) {
            return fail(FailureKind::usage,
                        fmt::format("kernel not modelled: there is no pipeline file or family {}",
                                    row.kernel));
        }
        const Result<KernelFamily>& family = family_of(row.kernel);
        if (!family) {
            return tl::unexpected(family.error());
        }
        auto choice = choose_kernel(*family, spec, row.problem, {row.version, row.built});
        if (choice && !std::binary_search(kernels_.begin(), kernels_.end(), choice->kernel)) {
            return fail(FailureKind::usage,
                        fmt::format("kernel not modelled: {} runs {}, which has no pipeline file",
                                    row.kernel, choice->kernel));
        }
        return choice;
    }

    [[nodiscard]] const Result<KernelFamily>& family_of(const std::string& id) {
        const auto known = families_.find(id);
        return known != families_.end()
                   ? known->second
                   : families_.emplace(id, load_family(data_dir_, id)).first->second;
    }

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

    std::filesystem::path data_dir_;
    CompareOptions options_;
    std::vector<std::string> kernels_;
    std::vector<std::string> families_known_;
    std::map<std::string, Result<GpuSpec>> specs_;
    std::map<std::string, Result<KernelFamily>> families_;
    std::optional<std::vector<KernelFamily>> all_families_;  ///< read when first needed
    std::map<std::string, Result<PipelineSource>> sources_;
};

}  // namespace

RowPredictor directory_predictor(const std::filesystem::path& data_dir,
                                 const CompareOptions& options) {
    const auto predictor = std::make_shared<DirectoryPredictor>(data_dir, options);
    return [predictor](const MeasuredRow& row) { return (*predictor)(row); };
}

Result<Comparison> compare(const std::filesystem::path& data_dir, const MeasuredTable& table,
                           const CompareOptions& options) {
    return compare_rows(table, directory_predictor(data_dir, options), options.rows);
}

}  // namespace warpline
