#include "warpline/hardware/spec_groups.hpp"

#include "warpline/hardware/assumed_constant.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace warpline {
namespace {

/// What a number rests on; passed down from group to group.
struct Evidence {
    std::string source;
    std::optional<Confidence> confidence;
    std::string note;
};

bool is_evidence(std::string_view key) {
    return key == "source" || key == "confidence" || key == "note";
}

/// What a single number may say beside its value and evidence.
bool is_leaf_key(std::string_view key) {
    return key == "value" || key == "assumed" || key == "interval" || key == "others";
}

bool is_own_note(std::string_view key) {
    return key.rfind("x-", 0) == 0;
}

std::string join_key(const std::string& prefix, const std::string& name) {
    return prefix.empty() ? name : prefix + "." + name;
}

std::vector<std::string> all_key_names() {
    std::vector<std::string> names;
    for (const SpecKey& key : spec_keys()) {
        names.push_back(key.key);
    }
    return names;
}

class GroupReader {
  public:
    GroupReader(SpecFile& file, DiagnosticSink& sink) : file_(file), sink_(sink) {}

    void read_constant_group(const YamlNode& group, const std::string& prefix,
                             const Evidence& outer) {
        const Evidence evidence = read_evidence(group, outer);
        for_each_field(
            group, [&](const std::string& name, const YamlNode& node, const SourceLocation& where) {
                const std::string key = join_key(prefix, name);
                if (const SpecKey* rule = find_spec_key(key)) {
                    read_leaf(*rule, key, node, evidence, where);
                } else if (node.is_map() && node.find("value") == nullptr) {
                    read_constant_group(node, key, evidence);
                } else {
                    report_unknown(key, where, all_key_names());
                }
            });
    }

    void read_instruction_group(const YamlNode& group, const std::string& prefix,
                                const Evidence& outer) {
        const Evidence evidence = read_evidence(group, outer);
        for_each_field(
            group, [&](const std::string& name, const YamlNode& node, const SourceLocation& where) {
                const std::string key = join_key(prefix, name);
                if (!node.is_map()) {
                    sink_.error(where,
                                fmt::format("'{}' must be an instruction or a group of them", key),
                                "an instruction has unit, rate and latency");
                } else if (is_instruction(node)) {
                    read_instruction(node, key, evidence, where);
                } else {
                    read_instruction_group(node, key, evidence);
                }
            });
    }

  private:
    template <typename Visit>
    void for_each_field(const YamlNode& group, const Visit& visit) {
        std::size_t visited = 0;
        for (std::size_t i = 0; i < group.fields.size(); ++i) {
            const auto& [name, node] = group.fields[i];
            if (!is_evidence(name) && !is_own_note(name)) {
                visit(name, node, group.key_locations[i]);
                ++visited;
            }
        }
        if (visited == 0) {
            sink_.error(group.where, "a group without constants");
        }
    }

    static bool is_instruction(const YamlNode& node) {
        constexpr std::array<std::string_view, 5> fields = {"unit", "rate", "latency", "smem",
                                                            "issue"};
        return std::any_of(fields.begin(), fields.end(),
                           [&](std::string_view field) { return node.find(field) != nullptr; });
    }

    void report_unknown(const std::string& key, const SourceLocation& where,
                        const std::vector<std::string>& known) {
        const std::string nearest = nearest_name(key, known);
        sink_.error(where, fmt::format("unknown key '{}'", key),
                    nearest.empty() ? "" : fmt::format("did you mean '{}'?", nearest));
    }

    std::string text_of(const YamlNode& node, std::string_view what) {
        if (!node.is_scalar()) {
            sink_.error(node.where, fmt::format("'{}' must be text", what));
        }
        return node.scalar;
    }

    Evidence read_evidence(const YamlNode& node, Evidence evidence) {
        if (const YamlNode* source = node.find("source")) {
            evidence.source = text_of(*source, "source");
        }
        if (const YamlNode* note = node.find("note")) {
            evidence.note = text_of(*note, "note");
        }
        if (const YamlNode* letter = node.find("confidence")) {
            evidence.confidence = confidence_from_letter(letter->scalar);
            if (!evidence.confidence) {
                sink_.error(letter->where, fmt::format("'{}' is no confidence", letter->scalar),
                            "A, B, C, D or F");
            }
        }
        return evidence;
    }

    void read_leaf(const SpecKey& rule, const std::string& key, const YamlNode& node,
                   const Evidence& outer, const SourceLocation& key_where) {
        Evidence evidence = outer;
        const YamlNode* value = &node;
        const YamlNode* interval = nullptr;
        const YamlNode* others = nullptr;
        bool unknown = false;
        if (node.is_map()) {
            check_leaf_keys(node, key);
            evidence = read_evidence(node, outer);
            interval = node.find("interval");
            others = node.find("others");
            value = node.find("value");
            unknown = says_unknown(rule, value);
            value = assumed_or(value, node.find("assumed"), unknown, key);
        }
        if (value == nullptr || !value->is_scalar()) {
            sink_.error(
                key_where, fmt::format("'{}' lacks a value", key),
                fmt::format("a text such as '1 {}', or a map with value, source, confidence",
                            rule.rule.unit));
            return;
        }
        auto stated = state_constant(rule, key, value->scalar, value->where, sink_);
        if (!stated) {
            return;
        }
        if (interval != nullptr) {
            read_interval(rule, key, *interval, *stated);
        }
        attach(evidence, key, key_where, *stated);
        if (unknown) {
            stated->constant.text = unknown_text(stated->constant.text);
        }
        if (others != nullptr) {
            std::string& note = stated->constant.note;
            note += (note.empty() ? "" : "; ") + ("other sources: " + text_of(*others, "others"));
        }
        if (!file_.constants.emplace(key, std::move(*stated)).second) {
            sink_.error(key_where, fmt::format("'{}' is given twice", key));
        }
    }

    /// A list of GPCs has a word of its own for that.
    static bool says_unknown(const SpecKey& rule, const YamlNode* value) {
        return value != nullptr && value->scalar == "unknown" &&
               rule.rule.form != ConstantForm::gpc_list;
    }

    /// The node with the number to use: what is assumed where the value is unknown.
    const YamlNode* assumed_or(const YamlNode* value, const YamlNode* assumed, bool unknown,
                               const std::string& key) {
        if (unknown && assumed == nullptr) {
            sink_.error(value->where, fmt::format("'{}' is unknown, and nothing is assumed", key),
                        "give the value to use as 'assumed'");
        } else if (!unknown && assumed != nullptr) {
            sink_.error(assumed->where, fmt::format("'{}' has a value: nothing is assumed", key),
                        "leave out 'assumed', or write value: unknown");
        }
        return unknown && assumed != nullptr ? assumed : value;
    }

    void check_leaf_keys(const YamlNode& node, const std::string& key) {
        for (std::size_t i = 0; i < node.fields.size(); ++i) {
            const std::string& name = node.fields[i].first;
            if (!is_leaf_key(name) && !is_evidence(name) && !is_own_note(name)) {
                report_unknown(
                    fmt::format("{}.{}", key, name), node.key_locations[i],
                    {key + ".value", key + ".assumed", key + ".interval", key + ".others",
                     key + ".source", key + ".confidence", key + ".note"});
            }
        }
    }

    void read_interval(const SpecKey& rule, const std::string& key, const YamlNode& node,
                       StatedConstant& stated) {
        const auto value = add_interval(rule.rule, stated.value, text_of(node, "interval"));
        if (!value) {
            const Diagnostic& problem = value.error().diagnostics.front();
            sink_.error(node.where, fmt::format("{}: {}", key, problem.message), problem.hint);
            return;
        }
        stated.value = *value;
        stated.constant.low = value->low;
        stated.constant.high = value->high;
    }

    void attach(const Evidence& evidence, const std::string& key, const SourceLocation& where,
                StatedConstant& stated) {
        if (evidence.source.empty()) {
            sink_.error(where, fmt::format("'{}' names no source", key),
                        "give source here or in a group around it");
        }
        if (!evidence.confidence) {
            sink_.error(where, fmt::format("'{}' states no confidence", key),
                        "give confidence (A, B, C, D or F) here or in a group around it");
        }
        stated.constant.source = evidence.source;
        stated.constant.confidence = evidence.confidence.value_or(Confidence::d);
        stated.constant.note = evidence.note;
    }

    void read_instruction(const YamlNode& node, const std::string& name, const Evidence& outer,
                          const SourceLocation& where) {
        const Evidence evidence = read_evidence(node, outer);
        StatedInstruction stated{std::nullopt, where};
        for_each_field(node, [&](const std::string& field, const YamlNode& value,
                                 const SourceLocation& field_where) {
            if (field == "unit") {
                stated.unit = read_unit(value);
                return;
            }
            const auto& fields = instruction_fields();
            const auto rule = std::find_if(fields.begin(), fields.end(), [&](const SpecKey& known) {
                return known.key == field;
            });
            if (rule == fields.end()) {
                sink_.error(field_where,
                            fmt::format("unknown key '{}' in instruction {}", field, name),
                            "known: unit, rate, latency, smem, issue, source, confidence, note");
                return;
            }
            read_leaf(*rule, join_key(name, field), value, evidence, field_where);
        });
        if (!file_.instructions.emplace(name, stated).second) {
            sink_.error(where, fmt::format("instruction '{}' is given twice", name));
        }
    }

    std::optional<Unit> read_unit(const YamlNode& node) {
        // Work of warp instructions; the others serve operations that are not warp instructions.
        static const std::vector<std::string> pipes = {"fma", "alu", "xu", "lsu", "adu"};
        if (std::find(pipes.begin(), pipes.end(), node.scalar) == pipes.end()) {
            const std::string nearest = nearest_name(node.scalar, pipes);
            sink_.error(node.where,
                        fmt::format("'{}' is no unit of warp instructions", node.scalar),
                        nearest.empty() ? "fma, alu, xu, lsu or adu"
                                        : fmt::format("did you mean '{}'?", nearest));
        }
        return unit_from_name(node.scalar);
    }

    SpecFile& file_;
    DiagnosticSink& sink_;
};

bool check_section(const YamlNode& section, const char* name, DiagnosticSink& sink) {
    if (!section.is_map()) {
        sink.error(section.where, fmt::format("'{}' must be a map", name));
    }
    return section.is_map();
}

}  // namespace

void read_constants(const YamlNode& section, SpecFile& file, DiagnosticSink& sink) {
    if (check_section(section, "constants", sink)) {
        GroupReader(file, sink).read_constant_group(section, "", {});
    }
}

void read_instructions(const YamlNode& section, SpecFile& file, DiagnosticSink& sink) {
    if (check_section(section, "instructions", sink)) {
        GroupReader(file, sink).read_instruction_group(section, "", {});
    }
}

}  // namespace warpline
