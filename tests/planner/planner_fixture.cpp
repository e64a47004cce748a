#include "planner_fixture.hpp"

#include "source_dir.hpp"
#include "warpline/hardware/load_gpu_spec.hpp"

#include <algorithm>
#include <map>

namespace warpline::test {

const GpuSpec& shipped_gpu(const std::string& id) {
    static std::map<std::string, GpuSpec> specs;
    const auto known = specs.find(id);
    return known != specs.end()
               ? known->second
               : specs.emplace(id, load_gpu_spec(source_dir(), id).value()).first->second;
}

const PipelineSource& shipped_kernel(const std::string& id) {
    static std::map<std::string, PipelineSource> sources;
    const auto known = sources.find(id);
    return known != sources.end()
               ? known->second
               : sources.emplace(id, read_pipeline(source_dir(), id).value()).first->second;
}

AttentionProblem forward_problem(std::int64_t d_qk, std::int64_t d_v, DType dtype) {
    AttentionProblem problem;
    problem.batch = 4;
    problem.heads_q = problem.heads_kv = 16;
    problem.seqlen_q = problem.seqlen_kv = 2048;
    problem.head_dim_qk = d_qk;
    problem.head_dim_v = d_v;
    problem.dtype = dtype;
    return problem;
}

const Budget& budget_of(const std::vector<Budget>& budgets, std::string_view name) {
    return *std::find_if(budgets.begin(), budgets.end(),
                         [&](const Budget& budget) { return budget.name == name; });
}

}  // namespace warpline::test
