// warpline mechanisms: what --ideal switches off.
#include "cli/session.hpp"
#include "warpline/pipeline/mechanism_meaning.hpp"
#include "warpline/reports/text.hpp"

#include <string>

namespace warpline::cli {
namespace {

std::string list_text(const Style& style) {
    Table table({Align::left, Align::left});
    table.add({"--ideal", "what is left"});
    for (const Mechanism mechanism : all_mechanisms()) {
        table.add(
            {style.bold(mechanism_name(mechanism)), std::string(mechanism_meaning(mechanism))});
    }
    return table.text("");
}

}  // namespace

void add_mechanisms(const Command& program, Request& request) {
    const Command command = program.add_subcommand(
        "mechanisms", "What --ideal of predict, report and trace switches off");
    command.when_named([&request] {
        request.action = [&request]() -> Result<std::string> { return list_text(request.style); };
    });
}

}  // namespace warpline::cli
