// Kernels as shipped, and the problems that planner tests ask about.
#pragma once

#include "warpline/planner/plan_designs.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace warpline::test {

const GpuSpec& shipped_gpu(const std::string& id);
const PipelineSource& shipped_kernel(const std::string& id);

/// Forward, 4 x 16 heads x 2048 tokens.
AttentionProblem forward_problem(std::int64_t d_qk, std::int64_t d_v, DType dtype = DType::bf16);

const Budget& budget_of(const std::vector<Budget>& budgets, std::string_view name);

}  // namespace warpline::test
