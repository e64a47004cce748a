#include "warpline/validate/draft_spec.hpp"

#include "warpline/diagnostics/yaml_names.hpp"
#include "warpline/hardware/spec_inheritance.hpp"
#include "warpline/hardware/spec_schema.hpp"
#include "warpline/validate/draft_rules.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr double tera = 1e12;
constexpr double mega = 1e6;

/// The architecture of the GPU that a table comes from.
struct Family {
    std::string arch;  ///< "sm_90"
    SpecFile file;
};

Result<Family> family_of(const std::vector<MicroRow>& rows, const std::filesystem::path& data_dir) {
    const MicroRow* const capability = find_micro_row(rows, "compute_capability");
    if (capability == nullptr) {
        return fail(FailureKind::input, "the table has no row compute_capability",
                    "the program device_info writes it");
    }
    Family family;
    family.arch = fmt::format("sm_{:g}", capability->value);
    const auto folder = data_dir / "hw_specs" / "arch";
    const std::vector<std::string> known = yaml_names(folder);
    if (std::find(known.begin(), known.end(), family.arch) == known.end()) {
        return fail(FailureKind::input,
                    fmt::format("there is no architecture file for {}", family.arch),
                    fmt::format("known: {}", fmt::join(known, ", ")));
    }
    YamlDocuments documents;
    auto read = load_spec_family(data_dir, folder / (family.arch + ".yaml"), documents);
    if (!read) {
        return tl::unexpected(read.error());
    }
    family.file = std::move(read->file);
    return family;
}

KnownNumbers numbers_of(const SpecFile& file) {
    KnownNumbers known;
    for (const auto& [key, stated] : file.constants) {
        known[key] = stated.value.number;
    }
    return known;
}

/// The rule of an instruction's field ("mufu.ex2.rate"), or null.
const SpecKey* field_rule(const std::string& key) {
    const std::string field = key.substr(key.rfind('.') + 1);
    const auto& fields = instruction_fields();
    const auto found = std::find_if(fields.begin(), fields.end(),
                                    [&](const SpecKey& rule) { return rule.key == field; });
    return found == fields.end() ? nullptr : &*found;
}

bool useful(const SpecKey& rule, const SpecFile& file) {
    return rule.capability.empty() || std::find(file.capabilities.begin(), file.capabilities.end(),
                                                rule.capability) != file.capabilities.end();
}

std::vector<DraftedConstant> drafted(const std::vector<MicroRow>& rows, const SpecFile& family) {
    const Readings readings(rows);
    std::vector<DraftedConstant> out;
    for (const DraftRule& rule : machine_rules(readings, numbers_of(family))) {
        const SpecKey* const key = find_spec_key(rule.key);
        if (rule.reading && key != nullptr && useful(*key, family)) {
            // A count has no interval.
            const double spread = key->rule.whole ? 0.0 : rule.reading->spread;
            out.push_back(
                {rule.key, rule.reading->value, spread, key->rule.unit, rule.reading->rows});
        }
    }
    for (const DraftRule& rule : instruction_rules(readings)) {
        const std::string name = rule.key.substr(0, rule.key.rfind('.'));
        const SpecKey* const field = field_rule(rule.key);
        if (rule.reading && field != nullptr && family.instructions.count(name) != 0) {
            out.push_back({rule.key, rule.reading->value, rule.reading->spread, field->rule.unit,
                           rule.reading->rows});
        }
    }
    return out;
}

const DraftedConstant* find_drafted(const std::vector<DraftedConstant>& all, std::string_view key) {
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const DraftedConstant& one) { return one.key == key; });
    return found == all.end() ? nullptr : &*found;
}

/// "63.7219 /clk": no blank in "/clk", one before every other unit; sizes of devices are in KiB.
std::string with_unit(double value, const std::string& unit) {
    constexpr double kibi = 1024.0;
    const bool whole_kibi = unit == "B" && value >= kibi && value == kibi * int(value / kibi);
    return whole_kibi ? fmt::format("{:g} KiB", value / kibi)
                      : fmt::format("{:.6g} {}", value, unit);
}

std::string constant_text(const DraftedConstant& constant) {
    std::string interval;
    if (constant.spread > 0.0) {
        interval = fmt::format("interval: {:.6g} .. {:.6g} {}, ",
                               std::max(0.0, constant.value - constant.spread),
                               constant.value + constant.spread, constant.unit);
    }
    return fmt::format("{{value: {}, {}note: \"{}\"}}", with_unit(constant.value, constant.unit),
                       interval, constant.rows);
}

/// A constant that no program measures, and the value assumed for it.
struct Assumption {
    std::string key, value, why;
};

/// What is assumed for constants of the schema that are neither measured nor the architecture's.
std::vector<Assumption> assumptions(const std::vector<DraftedConstant>& all,
                                    const SpecFile& family) {
    std::vector<Assumption> out;
    const DraftedConstant* const sms = find_drafted(all, "sm_count");
    const DraftedConstant* const boost = find_drafted(all, "clock.boost");
    double rate = 0.0;
    for (const char* key : {"mma.tcgen05.rate", "mma.wgmma.rate", "mma.mma_sync.rate"}) {
        const DraftedConstant* const measured = find_drafted(all, key);
        const auto inherited = family.constants.find(key);
        rate =
            std::max({rate, measured != nullptr ? measured->value : 0.0,
                      inherited != family.constants.end() ? inherited->second.value.number : 0.0});
    }
    if (sms != nullptr && boost != nullptr && rate > 0.0) {
        out.push_back({"peak.bf16",
                       with_unit(sms->value * rate * boost->value * mega / tera, "TFLOP/s"),
                       "SMs x MMA rate x highest clock; replace it with the datasheet's"});
        out.push_back({"peak.clock", with_unit(boost->value, "MHz"), "the highest clock"});
        out.push_back({"clock.sustained", with_unit(boost->value, "MHz"),
                       "the highest clock, which no long kernel keeps"});
    }
    if (const DraftedConstant* const hbm = find_drafted(all, "memory.hbm_rate")) {
        out.push_back({"memory.hbm_peak", with_unit(hbm->value, hbm->unit), "what was reached"});
    }
    return out;
}

/// Lines for the constants that must be there and are not; those without an assumption are named
/// in `missing`.
std::string unknown_lines(const std::vector<DraftedConstant>& all, const SpecFile& family,
                          std::vector<std::string>& missing) {
    const std::vector<Assumption> assumed = assumptions(all, family);
    std::string text;
    for (const SpecKey& rule : spec_keys()) {
        if (rule.need != Need::required || !useful(rule, family) ||
            family.constants.count(rule.key) != 0 || find_drafted(all, rule.key) != nullptr) {
            continue;
        }
        const auto found = std::find_if(assumed.begin(), assumed.end(),
                                        [&](const Assumption& one) { return one.key == rule.key; });
        if (found == assumed.end()) {
            missing.push_back(rule.key);
            continue;
        }
        text +=
            fmt::format("  {}: {{value: unknown, assumed: {}, source: \"{}\", confidence: D}}\n",
                        rule.key, found->value, found->why);
    }
    return text;
}

std::string source_text(const std::vector<MicroRow>& rows, const std::string& table) {
    const MicroRow& row = *find_micro_row(rows, "compute_capability");
    return fmt::format("measured, {}, CUDA {}, {} ({})", row.gpu, row.cuda_version, row.note,
                       table);
}

/// The instructions' fields, one line an instruction.
std::string instruction_lines(const std::vector<DraftedConstant>& all) {
    // Rules of one instruction need not follow one another.
    std::map<std::string, std::string> fields;
    std::vector<std::string> names;
    for (const DraftedConstant& constant : all) {
        if (find_spec_key(constant.key) != nullptr) {
            continue;
        }
        const std::string name = constant.key.substr(0, constant.key.rfind('.'));
        if (fields.count(name) == 0) {
            names.push_back(name);
        }
        fields[name] += fmt::format("    {}: {}\n", constant.key.substr(name.size() + 1),
                                    constant_text(constant));
    }
    std::string text;
    for (const std::string& name : names) {
        text += fmt::format("  {}:\n{}", name, fields[name]);
    }
    return text;
}

}  // namespace

Result<std::vector<DraftedConstant>> draft_constants(const std::vector<MicroRow>& rows,
                                                     const std::filesystem::path& data_dir) {
    return family_of(rows, data_dir).map([&](const Family& family) {
        return drafted(rows, family.file);
    });
}

Result<std::string> draft_spec(const std::vector<MicroRow>& rows, const std::string& table,
                               const std::filesystem::path& data_dir) {
    const auto family = family_of(rows, data_dir);
    if (!family) {
        return tl::unexpected(family.error());
    }
    const std::vector<DraftedConstant> all = drafted(rows, family->file);
    std::vector<std::string> missing;
    const std::string unknown = unknown_lines(all, family->file, missing);
    if (!missing.empty()) {
        return fail(FailureKind::input,
                    fmt::format("the table has no rows for {}", fmt::join(missing, ", ")),
                    "run all programs of validate/cuda/micro", {table, 0, 0});
    }
    const std::string source = source_text(rows, table);
    std::string text = fmt::format(
        "# Drafted from {}: what was measured there over what {} says, and what is still unknown.\n"
        "# Rates of instructions are as measured, a little below the round number of the "
        "hardware.\n"
        "schema: warpline-hardware/1\n"
        "title: {} (measured)\n"
        "inherits: {}\n\n"
        "constants:\n"
        "  source: \"{}\"\n"
        "  confidence: B\n",
        table, family->arch, rows.front().gpu, family->arch, source);
    for (const DraftedConstant& constant : all) {
        if (find_spec_key(constant.key) != nullptr) {
            text += fmt::format("  {}: {}\n", constant.key, constant_text(constant));
        }
    }
    text += unknown;
    const std::string instructions = instruction_lines(all);
    if (!instructions.empty()) {
        text += fmt::format("\ninstructions:\n  source: \"{}\"\n  confidence: B\n{}", source,
                            instructions);
    }
    return text;
}

}  // namespace warpline
