// A small question about the shipped forward kernel, for tests of studies.
#pragma once

#include "source_dir.hpp"
#include "warpline/explore/predictor.hpp"

#include <utility>

namespace warpline {

inline Point small_point(std::int64_t seqlen = 2048, MaskKind mask = MaskKind::full) {
    AttentionProblem problem;
    problem.batch = 1;
    problem.heads_q = problem.heads_kv = 16;
    problem.seqlen_q = problem.seqlen_kv = seqlen;
    problem.mask.kind = mask;
    Point point;
    point.kernel = "fa4_fwd";
    point.gpu = "b200";
    point.problem = problem;
    return point;
}

/// The point with one more change.
inline Point changed(Point point, const std::string& name, const std::string& value) {
    add_change(point.changes, name, value);
    return point;
}

inline const Predictor& shipped_predictor() {
    static const Predictor predictor(source_dir());
    return predictor;
}

}  // namespace warpline
