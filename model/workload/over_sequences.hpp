// Sums over the sequences of a problem.
#pragma once

#include "warpline/workload/attention.hpp"

namespace warpline {

/// The sum of f(sequence) over all sequences; of a batch of equal ones f is asked once.
template <typename F>
[[nodiscard]] double over_sequences(const AttentionProblem& problem, F&& f) {
    if (problem.varlen.empty()) {
        return static_cast<double>(problem.batch) *
               f(SequencePair{problem.seqlen_q, problem.seqlen_kv});
    }
    double total = 0.0;
    for (const SequencePair& s : problem.varlen) {
        total += f(s);
    }
    return total;
}

}  // namespace warpline
