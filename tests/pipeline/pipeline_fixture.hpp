// A small valid pipeline that tests change in one place, and specifications loaded once.
#pragma once

#include "warpline/hardware/gpu_spec.hpp"
#include "warpline/pipeline/load_plan.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace warpline::test {

const GpuSpec& gpu(const std::string& id);

/// Two roles and a ring; runs on GPUs with tcgen05. Lines are stable: tests name them.
const std::string& base_text();

/// The text with the first occurrence of `from`, which must occur, replaced.
std::string changed(std::string text, std::string_view from, std::string_view to);

AttentionProblem problem(std::int64_t head_dim = 64);

Result<KernelPlan> load(const std::string& text, const std::vector<ParameterOverride>& set = {},
                        const std::string& gpu_id = "b200");

/// What is reported when the text is loaded, "" when it loads.
std::string errors(const std::string& text, const std::vector<ParameterOverride>& set = {},
                   const std::string& gpu_id = "b200");

bool contains(const std::string& text, std::string_view part);

/// A file with one role `r` of 4 warps whose program is `statements` (lines without indentation),
/// with buffers and barriers of every kind to refer to.
std::string one_role(std::string_view statements);

/// The role's program without loops over tiles: what lies between its LoopBegin and LoopEnd.
Program body_of(const KernelPlan& plan);

}  // namespace warpline::test
