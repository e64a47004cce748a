#include "warpline/explore/changes.hpp"

#include "warpline/hardware/spec_schema.hpp"

#include <set>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::string_view hardware_prefix = "hw.";

bool starts_with(std::string_view text, std::string_view prefix) {
    return text.substr(0, prefix.size()) == prefix;
}

bool ends_in_field(std::string_view key) {
    for (const SpecKey& field : instruction_fields()) {
        const std::string suffix = "." + field.key;
        if (key.size() > suffix.size() && key.substr(key.size() - suffix.size()) == suffix) {
            return true;
        }
    }
    return false;
}

}  // namespace

void add_change(Changes& changes, const std::string& name, const std::string& value) {
    if (starts_with(name, hardware_prefix)) {
        changes.hardware.push_back({name.substr(hardware_prefix.size()), value});
    } else {
        changes.parameters.push_back({name, value});
    }
}

Changes joined(Changes first, const Changes& second) {
    first.hardware.insert(first.hardware.end(), second.hardware.begin(), second.hardware.end());
    first.parameters.insert(first.parameters.end(), second.parameters.begin(),
                            second.parameters.end());
    return first;
}

std::string changes_text(const Changes& changes) {
    std::string text;
    const auto append = [&text](const std::string& part) {
        text += text.empty() ? part : " " + part;
    };
    for (const ConstantOverride& change : changes.hardware) {
        append(fmt::format("hw.{}={}", change.key, change.text));
    }
    for (const ParameterOverride& change : changes.parameters) {
        append(fmt::format("{}={}", change.name, change.expression));
    }
    return text;
}

std::string full_change_name(const std::string& name) {
    if (!starts_with(name, hardware_prefix)) {
        return name;
    }
    const std::string key = name.substr(hardware_prefix.size());
    const bool complete =
        find_spec_key(key) != nullptr || ends_in_field(key) || starts_with(key, "capabilities.");
    return complete ? name : name + ".rate";
}

Result<void> check_disjoint(const Changes& changes) {
    std::set<std::string> seen;
    const auto twice = [&seen](const std::string& name) {
        return !seen.insert(full_change_name(name)).second;
    };
    const auto refuse = [](const std::string& name) {
        return fail(FailureKind::usage, fmt::format("--set: {} is changed twice", name),
                    "give each name one value");
    };
    for (const ConstantOverride& change : changes.hardware) {
        if (twice("hw." + change.key)) {
            return refuse("hw." + change.key);
        }
    }
    for (const ParameterOverride& change : changes.parameters) {
        if (twice(change.name)) {
            return refuse(change.name);
        }
    }
    return {};
}

}  // namespace warpline
