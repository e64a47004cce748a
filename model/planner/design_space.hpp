// Every design that a pipeline file's choices make: the values that its parameters offer.
#pragma once

#include "warpline/pipeline/design.hpp"

#include <functional>
#include <string>
#include <vector>

namespace warpline {

/// What is planned: a kernel for a GPU and a problem, with some parameters fixed.
struct DesignRequest {
    const PipelineSource& source;
    const GpuSpec& spec;
    AttentionProblem problem;
    std::vector<ParameterOverride> fixed;
};

struct Design {
    std::vector<ParameterOverride> set;  ///< what makes it, beside what is fixed
    DesignFit fit;
};

/// A parameter and the values that a design may give it.
struct ParameterChoices {
    std::string name;
    std::vector<double> values;
};

/// The choices that are left with some parameters fixed, in file order, those that only split the
/// registers apart or left out. What a choice offers may depend on choices before it: these are the
/// offers when all of them are as the file has them. Errors: those of fit_design().
[[nodiscard]] Result<std::vector<ParameterChoices>> open_choices(const DesignRequest& request,
                                                                 bool registers);

/// Calls `visit` for every design, in the order of the values of the parameters in file order,
/// until it returns false. A value offered depends on the choices made before it. Errors: those of
/// fit_design().
[[nodiscard]] Result<void> for_each_design(const DesignRequest& request,
                                           const std::function<bool(Design)>& visit);

/// The values of the register parameters with which the design fits, each in the order of
/// open_choices(request, true). Errors: those of fit_design().
[[nodiscard]] Result<std::vector<std::vector<double>>> register_splits(
    const DesignRequest& request, const std::vector<ParameterOverride>& design);

}  // namespace warpline
