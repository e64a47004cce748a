#include "warpline/planner/design_space.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace warpline {
namespace {

/// Walks the choices of one kind, one parameter after the other.
class DesignWalk {
  public:
    DesignWalk(const DesignRequest& request, bool registers,
               const std::function<bool(Design)>& visit)
        : request_(request),
          registers_(registers),
          register_names_(register_parameters(request.source)),
          visit_(visit) {}

    Result<void> from(const std::vector<ParameterOverride>& base) {
        base_ = base;
        return step({});
    }

    [[nodiscard]] bool is_mine(const Parameter& parameter) const {
        const bool splits = std::find(register_names_.begin(), register_names_.end(),
                                      parameter.name) != register_names_.end();
        return splits == registers_ && !parameter.overridden && !parameter.choices.empty();
    }

  private:
    Result<void> step(std::vector<ParameterOverride> set) {
        std::vector<ParameterOverride> overrides = base_;
        overrides.insert(overrides.end(), set.begin(), set.end());
        auto fit = fit_design(request_.source, request_.spec, request_.problem, overrides);
        if (!fit) {
            return tl::unexpected(std::move(fit.error()));
        }
        const auto open = std::find_if(fit->parameters.begin(), fit->parameters.end(),
                                       [&](const Parameter& one) { return is_mine(one); });
        if (open == fit->parameters.end()) {
            more_ = visit_({std::move(set), std::move(*fit)});
            return {};
        }
        for (const double value : open->choices) {
            std::vector<ParameterOverride> longer = set;
            longer.push_back({open->name, fmt::format("{}", value)});
            if (auto walked = step(std::move(longer)); !walked || !more_) {
                return walked;
            }
        }
        return {};
    }

    const DesignRequest& request_;
    bool registers_;
    std::vector<std::string> register_names_;
    const std::function<bool(Design)>& visit_;
    std::vector<ParameterOverride> base_;
    bool more_ = true;
};

}  // namespace

Result<std::vector<ParameterChoices>> open_choices(const DesignRequest& request, bool registers) {
    const auto fit = fit_design(request.source, request.spec, request.problem, request.fixed);
    if (!fit) {
        return tl::unexpected(fit.error());
    }
    const std::function<bool(Design)> none;
    const DesignWalk walk(request, registers, none);
    std::vector<ParameterChoices> out;
    for (const Parameter& parameter : fit->parameters) {
        if (walk.is_mine(parameter)) {
            out.push_back({parameter.name, parameter.choices});
        }
    }
    return out;
}

Result<void> for_each_design(const DesignRequest& request,
                             const std::function<bool(Design)>& visit) {
    return DesignWalk(request, false, visit).from(request.fixed);
}

Result<std::vector<std::vector<double>>> register_splits(
    const DesignRequest& request, const std::vector<ParameterOverride>& design) {
    const auto names = open_choices(request, true);
    if (!names) {
        return tl::unexpected(names.error());
    }
    std::vector<std::vector<double>> splits;
    if (names->empty()) {
        return splits;
    }
    const std::function<bool(Design)> take = [&](const Design& split) {
        if (split.fit.fits()) {
            std::vector<double> values;
            for (const ParameterChoices& one : *names) {
                values.push_back(split.fit.value(one.name));
            }
            splits.push_back(std::move(values));
        }
        return true;
    };
    std::vector<ParameterOverride> base = request.fixed;
    base.insert(base.end(), design.begin(), design.end());
    if (auto walked = DesignWalk(request, true, take).from(base); !walked) {
        return tl::unexpected(walked.error());
    }
    return splits;
}

}  // namespace warpline
