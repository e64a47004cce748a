// How much each number matters: relative change of the time over relative change of the number.
#pragma once

#include "warpline/explore/predictor.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warpline {

/// One number, moved to one side.
struct SensitivityStep {
    double value = 0.0;  ///< in the number's unit; meaningless when there is a reason
    double seconds = 0.0;
    std::string reason;  ///< why there is no prediction; empty when there is one
};

struct SensitivityRow {
    std::string name;  ///< as --set takes it: "hw.mufu.ex2.rate", "kv_stages"
    std::string unit;  ///< empty for parameters
    double value = 0.0;
    std::string meaning;  ///< of a constant
    SensitivityStep up, down;
    /// d ln time / d ln value to either side; nothing without a prediction, or from a value of 0.
    std::optional<double> slope_up, slope_down;
    /// Time when the number is a thousand times better (or, where that cannot be described, as
    /// much better as can be), as a fraction of the base; nothing when the number has no effect.
    std::optional<double> removed;

    /// The mean of the slopes there are; 0 when there is none.
    [[nodiscard]] double elasticity() const;
    /// Whether moving the number changes the time on either side.
    [[nodiscard]] bool has_effect(double base_seconds) const;
    /// Whether the slopes differ by more than a tenth of the larger: the base sits on a kink.
    [[nodiscard]] bool kinked() const;
};

struct Sensitivity {
    Prediction base;
    double step = 0.0;
    std::vector<SensitivityRow> rows;  ///< by falling |elasticity|, then by name
};

struct SensitivityOptions {
    /// Relative step, at least 0.02. Whole numbers move by one at least, and a parameter to the
    /// nearest value that the kernel accepts.
    double step = 0.05;
    int threads = 0;
};

/// Moves every hardware constant that a model reads and every parameter of the kernel, one at a
/// time, up and down. Errors: usage (step outside 0.02 to 0.5); those of the base prediction.
[[nodiscard]] Result<Sensitivity> sensitivity(const Predictor& predictor, const Point& point,
                                              const SensitivityOptions& options = {});

/// A hardware constant at another value, as text: "16.8 /clk". Whole and exact where it must be.
[[nodiscard]] std::string constant_text(const Constant& constant, double value);
/// Whether a constant is a number that can be moved and that a model reads.
[[nodiscard]] bool can_be_moved(const Constant& constant);

}  // namespace warpline
