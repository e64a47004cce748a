#include "warpline/reports/spec_report.hpp"

#include "warpline/hardware/assumed_constant.hpp"
#include "warpline/reports/phrases.hpp"

#include <map>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::size_t report_width = 100;
constexpr std::size_t shown_uses = 12;

std::string interval_text(const Constant& constant) {
    return constant.low && constant.high
               ? fmt::format("{:g} .. {:g}", *constant.low, *constant.high)
               : std::string();
}

std::string value_text(const Constant& constant) {
    const std::string value =
        fmt::format("{:g}{}{}", constant.value,
                    constant.unit.empty() || constant.unit[0] == '/' ? "" : " ", constant.unit);
    return is_unknown(constant) ? constant.text : value;
}

std::string_view group_of(std::string_view key) {
    return key.substr(0, key.find('.'));
}

}  // namespace

std::string spec_list_text(const std::vector<GpuSpec>& specs, const Style& style) {
    Table table({Align::left, Align::left, Align::right, Align::right, Align::right, Align::right,
                 Align::left});
    table.add({"gpu", "arch", "SMs", "boost", "sustained", "peak", "title"});
    for (const GpuSpec& spec : specs) {
        table.add({style.bold(printable(spec.id)), printable(spec.arch),
                   fmt::format("{}", spec.sm_count),
                   fmt::format("{:.0f} MHz", megahertz(spec.clocks.boost)),
                   fmt::format("{:.0f} MHz", megahertz(spec.clocks.sustained)),
                   fmt::format("{:.0f} TFLOP/s", spec.peak_flops(spec.clocks.sustained) * 1e-12),
                   cut_to(printable(spec.title), 36)});
    }
    return table.text("") + style.dim("peak: dense, 16-bit operands, at the sustained clock") +
           "\n";
}

std::string spec_text(const GpuSpec& spec, const Style& style) {
    std::string text = style.bold(printable(spec.id)) + "  " + printable(spec.title) + "\n";
    text += fmt::format("{}, {} SMs, boost {:.0f} MHz, sustained {:.0f} MHz, constants {}\n",
                        printable(spec.arch), spec.sm_count, megahertz(spec.clocks.boost),
                        megahertz(spec.clocks.sustained), printable(spec.hash));
    std::string capabilities;
    for (const std::string& capability : spec.capabilities) {
        capabilities += (capabilities.empty() ? "" : ", ") + printable(capability);
    }
    text += wrap(capabilities, report_width, "capabilities: ");
    std::map<std::string_view, std::vector<const Constant*>> groups;
    for (const auto& [key, constant] : spec.constants) {
        groups[group_of(key)].push_back(&constant);
    }
    Table table({Align::left, Align::right, Align::left, Align::left, Align::left});
    table.add({"constant", "value", "interval", "conf", "source"});
    for (const auto& [group, constants] : groups) {
        for (const Constant* const constant : constants) {
            table.add({printable(constant->key), printable(value_text(*constant)),
                       interval_text(*constant),
                       std::string(confidence_letter(constant->confidence)),
                       cut_to(printable(constant->source), 34)});
        }
    }
    text += "\n" + table.text("");
    for (const Diagnostic& warning : spec.warnings) {
        text += style.warn("warning: ") + printable(warning.text()) + "\n";
    }
    return text +
           style.dim(
               "confidence: A two measurements, B one, C document, D inference, F "
               "fitted; `warpline explain` has more") +
           "\n";
}

std::vector<const Constant*> constants_named(const GpuSpec& spec, std::string_view key) {
    if (const auto exact = spec.constants.find(std::string(key)); exact != spec.constants.end()) {
        return {&exact->second};
    }
    std::vector<const Constant*> found;
    const std::string prefix = std::string(key) + '.';
    for (auto it = spec.constants.lower_bound(prefix);
         it != spec.constants.end() && it->first.compare(0, prefix.size(), prefix) == 0; ++it) {
        found.push_back(&it->second);
    }
    return found;
}

std::string explain_text(const GpuSpec& spec, const Constant& constant,
                         const std::vector<ConstantUse>& uses, const Style& style) {
    std::string text =
        style.bold(fmt::format("{} on {}", printable(constant.key), printable(spec.id))) + "\n";
    const auto line = [&](std::string_view name, const std::string& value) {
        if (!value.empty()) {
            text += wrap(value, report_width, fmt::format("  {:<12}", name));
        }
    };
    line("value", style.bold(printable(value_text(constant))) +
                      (constant.text.empty() || is_unknown(constant)
                           ? ""
                           : "   written \"" + printable(constant.text) + "\""));
    line("interval", constant.low && constant.high
                         ? interval_text(constant) + " " + printable(constant.unit)
                         : std::string());
    line("confidence", fmt::format("{}: {}", confidence_letter(constant.confidence),
                                   confidence_phrase(constant.confidence)));
    line("source", printable(constant.source));
    line("note", printable(constant.note));
    line("set in", constant.where.line > 0
                       ? fmt::format("{}:{}", printable(constant.where.file), constant.where.line)
                       : printable(constant.where.file));
    line("meaning", printable(constant.meaning));
    for (std::size_t i = 0; i < uses.size() && i < shown_uses; ++i) {
        line(i == 0 ? "used by" : "",
             printable(fmt::format("{}: {}, {}", uses[i].kernel, uses[i].role, uses[i].label)));
    }
    if (uses.size() > shown_uses) {
        line("", fmt::format("and {} more statements", uses.size() - shown_uses));
    }
    return text;
}

}  // namespace warpline
