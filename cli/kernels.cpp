// warpline kernels: the pipelines there are.
#include "cli/session.hpp"
#include "warpline/pipeline/load_plan.hpp"
#include "warpline/reports/phrases.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace warpline::cli {
namespace {

Result<std::string> list_text(const Request& request) {
    const std::vector<std::string> ids = list_kernels(request.data_dir);
    if (ids.empty()) {
        return fail(FailureKind::input,
                    fmt::format("there are no pipelines in {}", request.data_dir),
                    "--data-dir names the folder that holds hw_specs and pipelines");
    }
    Table table({Align::left, Align::left, Align::left});
    table.add({"kernel", "direction", "title"});
    for (const std::string& id : ids) {
        const Result<PipelineSource> source = read_pipeline(request.data_dir, id);
        if (!source) {
            return tl::unexpected(source.error());
        }
        table.add({request.style.bold(printable(id)),
                   std::string(direction_name(pipeline_direction(*source))),
                   printable(pipeline_title(*source))});
    }
    return table.text("");
}

}  // namespace

void add_kernels(CLI::App& app, Request& request) {
    CLI::App* const command = app.add_subcommand("kernels", "The kernels there are");
    command->callback([&request] { request.action = [&request] { return list_text(request); }; });
}

}  // namespace warpline::cli
