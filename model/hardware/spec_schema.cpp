#include "warpline/hardware/spec_schema.hpp"

#include "warpline/hardware/spec_schema_parts.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace warpline {

ConstantRule positive(std::string unit, double at_most) {
    ConstantRule rule;
    rule.unit = std::move(unit);
    rule.above = true;
    rule.at_most = at_most;
    return rule;
}

ConstantRule not_negative(std::string unit, double at_most) {
    ConstantRule rule;
    rule.unit = std::move(unit);
    rule.at_most = at_most;
    return rule;
}

ConstantRule count_of(std::string unit, double at_most) {
    ConstantRule rule = positive(std::move(unit), at_most);
    rule.whole = true;
    return rule;
}

ConstantRule clock_rule() {
    ConstantRule rule;
    rule.form = ConstantForm::clock;
    rule.unit = "MHz";
    return rule;
}

ConstantRule flag_rule() {
    ConstantRule rule;
    rule.form = ConstantForm::flag;
    return rule;
}

ConstantRule word_rule(std::vector<std::string> words) {
    ConstantRule rule;
    rule.form = ConstantForm::word;
    rule.words = std::move(words);
    return rule;
}

const std::vector<SpecKey>& spec_keys() {
    static const std::vector<SpecKey> keys = [] {
        std::vector<SpecKey> all;
        for (auto part : {machine_keys(), memory_keys(), sync_keys(), mma_keys()}) {
            std::move(part.begin(), part.end(), std::back_inserter(all));
        }
        return all;
    }();
    return keys;
}

const SpecKey* find_spec_key(std::string_view key) {
    const auto found = std::find_if(spec_keys().begin(), spec_keys().end(),
                                    [&](const SpecKey& known) { return known.key == key; });
    return found == spec_keys().end() ? nullptr : &*found;
}

const std::vector<SpecKey>& instruction_fields() {
    static const std::vector<SpecKey> fields = {
        {"rate",
         positive("/clk", 2048),
         "lanes (thread instructions) a clock and SM; sets how long a warp instruction keeps its "
         "unit",
         "",
         Need::required,
         {}},
        {"latency",
         not_negative("clk", 1e5),
         "clocks from issue to the issue of a dependent instruction",
         "",
         Need::required,
         {}},
        {"smem",
         count_of("B", 4096),
         "bytes of a warp instruction through the shared-memory port",
         "",
         Need::optional,
         {}},
        {"issue",
         count_of("slot", 1000),
         "issue slots of a warp instruction (1 unless given)",
         "",
         Need::optional,
         {}},
    };
    return fields;
}

}  // namespace warpline
