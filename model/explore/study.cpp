#include "warpline/explore/study.hpp"

#include "warpline/diagnostics/fingerprint.hpp"
#include "warpline/diagnostics/strict_yaml.hpp"
#include "warpline/explore/changes.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::string_view study_schema = "warpline-study/1";
constexpr std::string_view set_prefix = "set.";
constexpr double most_values = 1e6;
constexpr std::int64_t most_points = std::int64_t{1} << 62U;

bool is_set(std::string_view name) {
    return name.size() > set_prefix.size() && name.substr(0, set_prefix.size()) == set_prefix;
}

std::optional<double> number_of(std::string_view text) {
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool complete = error == std::errc{} && end == text.data() + text.size();
    return complete && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// from, from + step, ... up to `to`; nothing when that is no sensible range.
std::optional<std::vector<std::string>> range(std::string_view from, std::string_view to,
                                              std::string_view step) {
    const auto first = number_of(from), last = number_of(to), by = number_of(step);
    if (!first || !last || !by || *by <= 0.0 || *last < *first ||
        (*last - *first) / *by > most_values) {
        return std::nullopt;
    }
    std::vector<std::string> values;
    const auto count = static_cast<std::int64_t>(std::floor((*last - *first) / *by + 1e-9)) + 1;
    for (std::int64_t i = 0; i < count; ++i) {
        values.push_back(fmt::format("{:.12g}", *first + static_cast<double>(i) * *by));
    }
    return values;
}

class StudyReader {
  public:
    explicit StudyReader(DiagnosticSink& sink) : sink_(sink) {}

    Study read(const YamlNode& root) {
        Study study;
        sink_.check_keys(root, {"schema", "title", "fixed", "space", "points"}, "a study");
        const auto schema = sink_.require_text(root, "schema", "a study");
        if (schema && *schema != study_schema) {
            sink_.error(root.find("schema")->where, fmt::format("schema is '{}'", *schema),
                        fmt::format("this version reads {}", study_schema));
        }
        study.title = sink_.require_text(root, "title", "a study").value_or("");
        const YamlNode* const fixed = root.find("fixed");
        const YamlNode* const space = root.find("space");
        const YamlNode* const points = root.find("points");
        if ((space == nullptr) == (points == nullptr)) {
            sink_.error(root.where, "a study has either 'space' or 'points'");
            return study;
        }
        Seen seen;
        const std::vector<StudyAxis> common =
            fixed == nullptr ? std::vector<StudyAxis>{} : axes_of(*fixed, false, seen);
        if (space != nullptr) {
            study.axes = common;
            for (StudyAxis& axis : axes_of(*space, true, seen)) {
                study.axes.push_back(std::move(axis));
            }
        } else {
            study.listed = listed(*points, common, seen);
        }
        return study;
    }

  private:
    using Seen = std::set<std::string>;

    /// Checks a name; false when it cannot be used.
    bool usable(const std::string& name, const SourceLocation& where, Seen& seen) {
        const std::vector<std::string>& known = study_names();
        const bool set = is_set(name);
        if (!set && std::find(known.begin(), known.end(), name) == known.end()) {
            const std::string near = nearest_name(name, known);
            sink_.error(where, fmt::format("there is no axis '{}'", name),
                        near.empty() ? "parameters and constants are written set.NAME and "
                                       "set.hw.KEY"
                                     : fmt::format("did you mean '{}'?", near));
            return false;
        }
        const std::string full =
            set ? full_change_name(name.substr(set_prefix.size())) : "option " + name;
        if (!seen.insert(full).second) {
            sink_.error(where, fmt::format("'{}' is set twice", name),
                        "give each name in one place");
            return false;
        }
        return true;
    }

    std::vector<StudyAxis> axes_of(const YamlNode& map, bool many, Seen& seen) {
        std::vector<StudyAxis> axes;
        if (!map.is_map()) {
            sink_.error(map.where, "names and their values are expected here");
            return axes;
        }
        for (std::size_t i = 0; i < map.fields.size(); ++i) {
            const auto& [name, node] = map.fields[i];
            if (!usable(name, map.key_locations[i], seen)) {
                continue;
            }
            StudyAxis axis{name, values_of(node, many)};
            if (axis.values.empty()) {
                sink_.error(node.where,
                            fmt::format("'{}' has no values: the space is empty", name));
            } else {
                axes.push_back(std::move(axis));
            }
        }
        return axes;
    }

    std::vector<std::string> values_of(const YamlNode& node, bool many) {
        if (node.is_scalar()) {
            return {node.scalar};
        }
        std::vector<std::string> values;
        if (many && node.is_sequence()) {
            for (const YamlNode& item : node.items) {
                if (!item.is_scalar()) {
                    sink_.error(item.where, "a value is expected here");
                    continue;
                }
                if (std::find(values.begin(), values.end(), item.scalar) != values.end()) {
                    sink_.error(item.where,
                                fmt::format("the value '{}' is there twice", item.scalar));
                }
                values.push_back(item.scalar);
            }
            return values;
        }
        if (many && node.is_map()) {
            sink_.check_keys(node, {"from", "to", "step"}, "a range");
            const auto from = sink_.require_text(node, "from", "a range");
            const auto to = sink_.require_text(node, "to", "a range");
            const auto step = sink_.require_text(node, "step", "a range");
            const auto made = from && to && step ? range(*from, *to, *step) : std::nullopt;
            if (from && to && step && !made) {
                sink_.error(node.where, "from, to and step make no range",
                            "from <= to, step > 0, at most a million values");
            }
            return made.value_or(values);
        }
        sink_.error(node.where, many ? "a value, a list or a range is expected here"
                                     : "one value is expected here");
        return {""};
    }

    std::vector<Assignments> listed(const YamlNode& points, const std::vector<StudyAxis>& common,
                                    const Seen& fixed) {
        std::vector<Assignments> out;
        if (!points.is_sequence() || points.items.empty()) {
            sink_.error(points.where, "points must be a list: the space is empty");
            return out;
        }
        for (const YamlNode& item : points.items) {
            Seen seen = fixed;
            Assignments point;
            for (const StudyAxis& axis : common) {
                point.emplace_back(axis.name, axis.values.front());
            }
            for (const StudyAxis& axis : axes_of(item, false, seen)) {
                point.emplace_back(axis.name, axis.values.front());
            }
            const bool alike =
                out.empty() ||
                std::equal(point.begin(), point.end(), out.front().begin(), out.front().end(),
                           [](const auto& a, const auto& b) { return a.first == b.first; });
            if (!alike) {
                sink_.error(item.where, "this point has other names than the first",
                            "give the same names in the same order in every point");
            }
            out.push_back(std::move(point));
        }
        return out;
    }

    DiagnosticSink& sink_;
};

}  // namespace

const std::vector<std::string>& study_names() {
    static const std::vector<std::string> names = {
        "kernel",   "gpu",  "head_dim", "seqlen", "seqlen_q", "seqlen_kv", "batch",  "heads",
        "heads_kv", "mask", "window",   "dtype",  "varlen",   "clock",     "scores", "blocks"};
    return names;
}

std::int64_t Study::size() const {
    if (axes.empty()) {
        return static_cast<std::int64_t>(listed.size());
    }
    std::int64_t size = 1;
    for (const StudyAxis& axis : axes) {
        const auto count = static_cast<std::int64_t>(axis.values.size());
        if (size > most_points / count) {
            return -1;
        }
        size *= count;
    }
    return size;
}

Assignments Study::at(std::int64_t index) const {
    if (axes.empty()) {
        return listed[static_cast<std::size_t>(index)];
    }
    Assignments out(axes.size());
    for (std::size_t i = axes.size(); i-- > 0;) {
        const auto count = static_cast<std::int64_t>(axes[i].values.size());
        out[i] = {axes[i].name, axes[i].values[static_cast<std::size_t>(index % count)]};
        index /= count;
    }
    return out;
}

std::vector<std::string> Study::names() const {
    std::vector<std::string> out;
    if (size() != 0) {
        for (const auto& [name, value] : at(0)) {
            out.push_back(name);
        }
    }
    return out;
}

Result<Study> parse_study(std::string_view text, const std::string& file_name) {
    const auto root = parse_yaml(text, file_name);
    if (!root) {
        return tl::unexpected(root.error());
    }
    DiagnosticSink sink;
    if (!root->is_map()) {
        sink.error(root->where, "a study is a map with schema, title and space");
        return sink.failure(FailureKind::input);
    }
    Study study = StudyReader(sink).read(*root);
    if (!sink.empty()) {
        return sink.failure(FailureKind::input);
    }
    study.fingerprint = fingerprint(text);
    return study;
}

Result<Study> read_study(const std::filesystem::path& path) {
    const auto text = read_text(path);
    if (!text) {
        return tl::unexpected(text.error());
    }
    return parse_study(*text, path.string());
}

Result<std::vector<std::string>> parse_values(std::string_view text) {
    std::vector<std::string> parts;
    const char separator = text.find(':') != std::string_view::npos ? ':' : ',';
    for (std::string_view rest = text;;) {
        const std::size_t end = rest.find(separator);
        parts.emplace_back(rest.substr(0, end));
        if (end == std::string_view::npos) {
            break;
        }
        rest.remove_prefix(end + 1);
    }
    if (separator == ':') {
        const auto made = parts.size() == 3 ? range(parts[0], parts[1], parts[2]) : std::nullopt;
        if (!made) {
            return fail(FailureKind::usage, fmt::format("'{}' is no range", text),
                        "FROM:TO:STEP, for example 0:96:8");
        }
        return *made;
    }
    for (const std::string& part : parts) {
        if (part.empty() || std::count(parts.begin(), parts.end(), part) != 1) {
            return fail(FailureKind::usage,
                        fmt::format("'{}' is no list of different values", text),
                        "for example 2,4,8, or FROM:TO:STEP");
        }
    }
    return parts;
}

}  // namespace warpline
