// A space of points: every combination of some values, or a list.
#pragma once

#include "warpline/diagnostics/failure.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpline {

/// One dimension of a space. Names are those of options ("gpu", "head_dim", "seqlen") or, after
/// "set.", those of --set ("set.kv_stages", "set.hw.mufu.ex2").
struct StudyAxis {
    std::string name;
    std::vector<std::string> values;  ///< never empty
};

/// What distinguishes a point: a value for each name.
using Assignments = std::vector<std::pair<std::string, std::string>>;

/// Points are numbered; the last axis runs fastest. Held as axes, so a space takes no more memory
/// than its description.
struct Study {
    std::string title;
    std::vector<StudyAxis> axes;      ///< of a space; what is fixed has one value
    std::vector<Assignments> listed;  ///< or the points themselves
    std::string fingerprint;          ///< of the file, 16 hex digits

    /// Points, or -1 when there are more than 2^62.
    [[nodiscard]] std::int64_t size() const;
    /// Precondition: 0 <= index < size().
    [[nodiscard]] Assignments at(std::int64_t index) const;
    /// Names in the order of at(); for a list, of its first point.
    [[nodiscard]] std::vector<std::string> names() const;
};

/// Names that an axis may have, apart from "set.".
[[nodiscard]] const std::vector<std::string>& study_names();

/// Reads a study:
///
///     schema: warpline-study/1
///     title: ...
///     fixed: {kernel: fa4_fwd, batch: 4}
///     space:                      # or points: [{head_dim: 64, seqlen: 1024}, ...]
///       gpu: [b200, b300]
///       head_dim: [64, "192:128"]
///       set.emulated: {from: 0, to: 96, step: 8}
///
/// Errors (input), all at once: syntax, an unknown name (with the nearest), a name given twice
/// (under its short or its long form), an axis without values, listed points with different names.
[[nodiscard]] Result<Study> parse_study(std::string_view text, const std::string& file_name);
[[nodiscard]] Result<Study> read_study(const std::filesystem::path& path);

/// "2,4,8" or "0:96:8" (from, to, step; numbers): values of an axis. Errors: usage.
[[nodiscard]] Result<std::vector<std::string>> parse_values(std::string_view text);

}  // namespace warpline
