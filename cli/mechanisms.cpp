// warpline mechanisms: what --ideal switches off.
#include "cli/session.hpp"
#include "warpline/pipeline/mechanism_meaning.hpp"
#include "warpline/reports/text.hpp"

#include <string>

#include <CLI/CLI.hpp>

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

void add_mechanisms(CLI::App& app, Request& request) {
    CLI::App* const command =
        app.add_subcommand("mechanisms", "What --ideal of predict, report and trace switches off");
    command->callback([&request] {
        request.action = [&request]() -> Result<std::string> { return list_text(request.style); };
    });
}

}  // namespace warpline::cli
