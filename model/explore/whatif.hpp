// The same questions before and after a change, side by side.
#pragma once

#include "warpline/explore/predictor.hpp"
#include "warpline/explore/spec_difference.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warpline {

/// One shape. A side without a prediction has its reason.
struct WhatIfRow {
    std::string kernel;
    AttentionProblem problem;
    std::optional<Prediction> before, after;
    std::string reason;

    /// Time before over time after; nothing when a side is missing.
    [[nodiscard]] std::optional<double> speedup() const;
};

/// One difference of two GPUs, made alone on the first.
struct Attribution {
    SpecDifference difference;
    std::vector<std::optional<double>> speedups;  ///< by row; nothing where it cannot be made
    std::string reason;                           ///< of the first that cannot

    /// The largest departure from 1 over all rows.
    [[nodiscard]] double largest_effect() const;
};

struct WhatIf {
    std::string before, after;  ///< "b200", "b200 with hw.mufu.ex2=32/clk", "b300"
    std::vector<WhatIfRow> rows;
    /// For two GPUs: by falling effect, then by key.
    std::vector<Attribution> attributions;
    /// And all of them made together on the first, by row.
    std::vector<std::optional<double>> together;

    /// Over all rows that have one; nothing when none has.
    [[nodiscard]] std::optional<double> mean_speedup() const;
};

/// Shapes with the kernels that may answer each: the first that can, before the change, does.
struct WhatIfShape {
    std::vector<Point> kernels;  ///< the same problem for each kernel; never empty
};

/// Makes `changes` to every shape.
[[nodiscard]] WhatIf what_if(const Predictor& predictor, const std::vector<WhatIfShape>& shapes,
                             const Changes& changes, int threads = 0);

/// Asks every shape of its own GPU and of `gpu`, and attributes the difference. Errors: those of
/// load_gpu_spec().
[[nodiscard]] Result<WhatIf> compare_gpus(const Predictor& predictor,
                                          const std::vector<WhatIfShape>& shapes,
                                          const std::string& gpu, int threads = 0);

}  // namespace warpline
