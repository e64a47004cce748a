// One kernel on one GPU, lowered once for all problems that its file does not tell apart.
#pragma once

#include "warpline/device/operation.hpp"
#include "warpline/pipeline/traced_plan.hpp"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

namespace warpline {

/// Safe to use from several threads.
class LoweredKernel {
  public:
    using Source = std::shared_ptr<const PipelineSource>;
    using Spec = std::shared_ptr<const GpuSpec>;
    using Lowered = Result<std::shared_ptr<const Operation>>;

    LoweredKernel(Source source, Spec spec, std::vector<ParameterOverride> overrides);

    /// What make_operation() answers. A program is lowered again only when something that its file
    /// asks for has another value.
    [[nodiscard]] Lowered at(const AttentionProblem& problem);

    [[nodiscard]] const GpuSpec& spec() const { return *spec_; }
    /// Operations in memory.
    [[nodiscard]] std::size_t held() const;
    /// Programs lowered so far.
    [[nodiscard]] std::int64_t lowerings() const;

  private:
    /// All of a problem that a file can ask for.
    using Key = std::tuple<Direction, DType, std::vector<double>>;
    struct Body {
        DType dtype;
        NameValues asked;
        std::shared_ptr<const Operation> operation;
    };

    [[nodiscard]] static Key key_of(const AttentionProblem& problem);
    [[nodiscard]] Lowered lower(const AttentionProblem& problem);
    [[nodiscard]] Lowered lower_kernels(const AttentionProblem& problem);
    [[nodiscard]] std::shared_ptr<const Operation> body_for(const AttentionProblem& problem,
                                                            const NameValues& given) const;
    [[nodiscard]] std::vector<Parameter> last_parameters() const;
    void set_last_parameters(std::vector<Parameter> parameters);
    /// `known`: the problem's parameters, where they could be resolved.
    [[nodiscard]] Lowered lower_body(const AttentionProblem& problem,
                                     const std::vector<Parameter>& known = {});

    Source source_;
    Spec spec_;
    std::vector<ParameterOverride> overrides_;
    std::vector<std::unique_ptr<LoweredKernel>> kernels_;  ///< that the file names
    mutable std::mutex mutex_;
    std::map<Key, Lowered> by_problem_;
    std::vector<Body> bodies_;
    std::vector<Parameter> last_;  ///< parameters of the problem that was resolved last
    std::atomic<std::size_t> held_ = 0;
    std::atomic<std::int64_t> lowerings_ = 0;
};

}  // namespace warpline
