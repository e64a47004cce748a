// The specification that a calibration leaves behind.
#include "warpline/hardware/spec_schema.hpp"
#include "warpline/validate/calibrate.hpp"
#include "warpline/validate/calibration_constants.hpp"

#include <map>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

namespace warpline {
namespace {

constexpr int digits = 5;

[[nodiscard]] std::string percent(double share) {
    return fmt::format("{:.2g} %", 100.0 * share);
}

[[nodiscard]] std::string source_text(const Calibration& calibration) {
    const CalibratedSide& fitted = calibration.fitted;
    const CalibratedSide& held_out = calibration.held_out;
    std::string text = fmt::format(
        "fitted by warpline calibrate on {} {} rows of {}, mean error {} there (before: {})",
        fitted.after.rows, split_name(fitted.split), fmt::join(calibration.files, ", "),
        percent(fitted.after.mean_absolute), percent(fitted.before.mean_absolute));
    if (held_out.after.rows > 0) {
        text += fmt::format(", {} on {} {} rows held out (before: {})",
                            percent(held_out.after.mean_absolute), held_out.after.rows,
                            split_name(held_out.split), percent(held_out.before.mean_absolute));
    }
    return text;
}

void write_constant(YAML::Emitter& out, const CalibratedConstant& constant,
                    const std::string& source) {
    const std::string& unit = constant.stated.unit;
    out << YAML::BeginMap;
    out << YAML::Key << "value" << YAML::Value << constant.text;
    out << YAML::Key << "interval" << YAML::Value
        << fmt::format("{:.{}g} .. {}", constant.low, digits,
                       quantity_text(constant.high, unit, digits));
    out << YAML::Key << "source" << YAML::Value << source;
    out << YAML::Key << "confidence" << YAML::Value << "F";
    out << YAML::Key << "note" << YAML::Value
        << fmt::format("{} before, searched in {:.{}g} .. {}", constant.stated.text,
                       *constant.stated.low, digits,
                       quantity_text(*constant.stated.high, unit, digits));
    out << YAML::EndMap;
}

/// The field of an instruction apart from its name: "mufu.ex2", "rate".
[[nodiscard]] std::pair<std::string, std::string> split_key(const std::string& key) {
    const std::size_t dot = key.rfind('.');
    return {key.substr(0, dot), key.substr(dot + 1)};
}

}  // namespace

std::string calibration_overlay(const Calibration& calibration) {
    const std::string source = source_text(calibration);
    std::map<std::string, std::vector<const CalibratedConstant*>> instructions;
    std::vector<const CalibratedConstant*> constants;
    for (const CalibratedConstant& constant : calibration.constants) {
        if (find_spec_key(constant.stated.key) != nullptr) {
            constants.push_back(&constant);
        } else {
            instructions[split_key(constant.stated.key).first].push_back(&constant);
        }
    }
    YAML::Emitter out;
    out << YAML::BeginMap;
    out << YAML::Key << "schema" << YAML::Value << "warpline-hardware/1";
    out << YAML::Key << "title" << YAML::Value << calibration.title + ", calibrated";
    out << YAML::Key << "inherits" << YAML::Value << calibration.gpu;
    if (!constants.empty()) {
        out << YAML::Key << "constants" << YAML::Value << YAML::BeginMap;
        for (const CalibratedConstant* constant : constants) {
            out << YAML::Key << constant->stated.key << YAML::Value;
            write_constant(out, *constant, source);
        }
        out << YAML::EndMap;
    }
    if (!instructions.empty()) {
        out << YAML::Key << "instructions" << YAML::Value << YAML::BeginMap;
        for (const auto& [name, fields] : instructions) {
            out << YAML::Key << name << YAML::Value << YAML::BeginMap;
            for (const CalibratedConstant* constant : fields) {
                out << YAML::Key << split_key(constant->stated.key).second << YAML::Value;
                write_constant(out, *constant, source);
            }
            out << YAML::EndMap;
        }
        out << YAML::EndMap;
    }
    out << YAML::EndMap;
    return std::string(out.c_str()) + "\n";
}

}  // namespace warpline
