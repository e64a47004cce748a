// The texts after `when:`.
#pragma once

#include "warpline/pipeline/expression.hpp"
#include "warpline/pipeline/program.hpp"

#include <string_view>
#include <vector>

namespace warpline {

/// A condition: settled at load time when `all` is empty, else the predicates that must hold
/// together.
struct Condition {
    bool value = true;           ///< the answer when `all` is empty
    std::vector<Predicate> all;  ///< each as written
    bool negate = false;         ///< what is meant is the opposite of "all hold"
};

/// Understands `first [E]`, `last [E]`, `every N [offset M]`, `masked`, `chance P` (P may use
/// `index`), comparisons of tile quantities joined by &&, and constant expressions; each may be
/// preceded by `not`.
[[nodiscard]] Evaluated<Condition> evaluate_condition(Evaluator& evaluator, std::string_view text);

/// Whether the condition looks at the index of the innermost loop.
[[nodiscard]] bool needs_loop(const Condition& condition);

}  // namespace warpline
