// A small prediction written by hand, with something in every field that a report shows.
#pragma once

#include "warpline/device/prediction.hpp"

namespace warpline::test {

/// Two roles, "softmax[0]" and "mma", on a machine with a 100-cycle steady period; 1 ms at 1 GHz.
[[nodiscard]] Prediction example_prediction();
/// "both": two of it, "first" and "second", behind a launch "prepare" of half a millisecond.
[[nodiscard]] Prediction example_operation();

}  // namespace warpline::test
