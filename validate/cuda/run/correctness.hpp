// Kernels against the double-precision reference.
#pragma once

#include "device_problem.hpp"

namespace attention {

struct Errors {
    double relative = 0;  // |output - reference| / |reference|, Euclidean over the checked rows
    double worst = 0;     // largest |difference| / (|reference| + deviation of the row)
    double log_sum = 0;   // largest difference
    long long rows = 0;   // checked
    long long wrong = 0;  // not finite, or a fully masked row that is not zero
    bool intact = false;  // nothing written past the end

    [[nodiscard]] bool good() const;
};

// Runs the kernel on the problem with poisoned outputs and compares `rows` rows, or all of them
// where there are no more. A few heads at most are drawn if there are more.
[[nodiscard]] Errors compare_with_reference(const Kernel& kernel, DeviceProblem& problem,
                                            bool persistent, int sms, long long rows);

// Small shapes, ragged ones included, for this kernel: every row. Prints a line a shape and returns
// how many were wrong. `quick`: three shapes, for tools that slow everything down.
int check_small_shapes(const Kernel& kernel, int sms, std::uint64_t seed, bool quick);

}  // namespace attention
