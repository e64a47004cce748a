// A prediction for programs.
#pragma once

#include "warpline/device/prediction.hpp"
#include "warpline/validate/compare.hpp"

#include <string>
#include <vector>

namespace warpline {

/// Name and version of the format; reports/schema/prediction-1.json describes it.
inline constexpr const char* prediction_schema = "warpline-prediction/1";

/// The same of several kernels that run one after the other: operation-prediction-1.json, which
/// holds a prediction of each.
inline constexpr const char* operation_prediction_schema = "warpline-operation-prediction/1";

/// One JSON object of either format, ending in a line break. Numbers are finite: one that is not is
/// null, which the schema allows only where a number may be absent. Bytes that are not UTF-8 are
/// replaced. `nearest` are measured rows like it, with the model's error on them.
[[nodiscard]] std::string prediction_json(const Prediction& prediction,
                                          const std::vector<ComparedRow>& nearest = {});

}  // namespace warpline
