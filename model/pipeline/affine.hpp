// Expressions of the current tile, reduced to the linear forms that a program can carry.
#pragma once

#include "warpline/pipeline/expression.hpp"
#include "warpline/pipeline/program.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace warpline {

/// The names that stand for the tile being worked on: blocks, masked_first, masked_last.
[[nodiscard]] const std::vector<std::string>& tile_names();

/// The expression as a linear form with whole coefficients. Found by probing and verified at other
/// points, small and large; anything not linear is an error.
[[nodiscard]] Evaluated<Affine> evaluate_affine(Evaluator& evaluator, std::string_view text);

[[nodiscard]] bool is_constant(const Affine& affine);

}  // namespace warpline
