// The first half of loading a pipeline: values and declarations, for one GPU and problem.
#pragma once

#include "warpline/pipeline/declarations.hpp"
#include "warpline/pipeline/parameters.hpp"
#include "warpline/workload/attention.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warpline {

/// What is asked: a file, for a GPU and a problem.
struct Request {
    const PipelineSource& source;
    const GpuSpec& spec;
    const AttentionProblem& problem;
};

/// The values and declarations of a file: all that its programs need to be read.
struct Resolved {
    explicit Resolved(const Request& request)
        : evaluator(request.spec, request.source.expressions), reader(evaluator, problems) {}
    Problems problems;
    Evaluator evaluator;
    ValueReader reader;
    std::vector<Parameter> parameters;
    Declarations declarations;
};

/// The direction that the file names, or nothing and an error.
[[nodiscard]] std::optional<Direction> direction_of(const YamlNode& root, DiagnosticSink& input);

/// The texts of a list such as `assumptions`; empty without one.
[[nodiscard]] std::vector<std::string> texts_of(const YamlNode& root, const char* key,
                                                DiagnosticSink& input);

/// The head and the parameters alone. False: the request cannot be met, or the file not be read.
/// `known`: see parameters.hpp.
[[nodiscard]] bool resolve_parameters(const Request& request,
                                      const std::vector<ParameterOverride>& overrides,
                                      Resolved& out, const std::vector<Parameter>& known = {});

/// The parameters, and the file's checks of them: all that a file which names kernels has. False:
/// as above, or a check forbids it.
[[nodiscard]] bool resolve_head(const Request& request,
                                const std::vector<ParameterOverride>& overrides, Resolved& out,
                                const std::vector<Parameter>& known = {});

/// Everything before the programs. Stops early when the request cannot be met, since what follows
/// would only fail for the same reason. `known`: see parameters.hpp.
void resolve(const Request& request, const std::vector<ParameterOverride>& overrides, Resolved& out,
             const std::vector<Parameter>& known = {});

}  // namespace warpline
