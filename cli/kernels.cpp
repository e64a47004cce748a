// warpline kernels: the pipelines there are, and the GPUs that have what each requires.
#include "cli/readable.hpp"
#include "cli/session.hpp"
#include "warpline/explore/data_files.hpp"
#include "warpline/pipeline/load_plan.hpp"
#include "warpline/pipeline/operand_formats.hpp"
#include "warpline/reports/phrases.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace warpline::cli {
namespace {

/// Whether the GPU has every capability that the file requires. What else keeps a kernel from
/// running depends on the problem.
bool runs_on(const PipelineSource& source, const GpuSpec& spec) {
    const YamlNode* required = source.root.find("requires");
    return required == nullptr ||
           std::all_of(required->items.begin(), required->items.end(),
                       [&](const YamlNode& capability) { return spec.has(capability.scalar); });
}

std::string gpus_of(const PipelineSource& source, const std::vector<GpuSpec>& specs) {
    std::vector<std::string> ids;
    for (const GpuSpec& spec : specs) {
        if (runs_on(source, spec)) {
            ids.push_back(printable(spec.id));
        }
    }
    return fmt::format("{}", fmt::join(ids, ", "));
}

std::string formats_of(const PipelineSource& source) {
    DiagnosticSink ignored;  // what is wrong with the file, `check` says
    std::vector<std::string> formats = operand_formats(source.root, ignored);
    for (std::string& format : formats) {
        format = printable(format);
    }
    return fmt::format("{}", fmt::join(formats, ", "));
}

Result<std::string> list_text(Request& request) {
    const std::vector<std::string> ids = list_kernels(request.data_dir);
    if (ids.empty()) {
        return fail(FailureKind::input,
                    fmt::format("there are no pipelines in {}", request.data_dir),
                    "--data-dir names the folder that holds hw_specs and pipelines");
    }
    DataFiles files(request.data_dir);  // many kernels inherit a few
    LeftOut broken;
    const std::vector<GpuSpec> specs = readable_specs(files, broken);
    Table table({Align::left, Align::left, Align::left, Align::left, Align::left});
    table.add({"kernel", "direction", "GPUs", "operands", "title"});
    bool any = false;
    for (const std::string& id : ids) {
        const auto read = files.kernel(id);
        if (!read) {
            broken.add(fmt::format("kernel {}", id), read.error());
            continue;
        }
        const PipelineSource& source = **read;
        any = true;
        table.add({request.style.bold(printable(id)),
                   std::string(direction_name(pipeline_direction(source))), gpus_of(source, specs),
                   formats_of(source), printable(pipeline_title(source))});
    }
    if (!any) {
        return tl::unexpected(std::move(*broken.failure()));
    }
    request.left_out = broken.failure();
    return table.text("");
}

}  // namespace

void add_kernels(const Command& program, Request& request) {
    const Command command = program.add_subcommand("kernels", "The kernels there are");
    command.when_named([&request] { request.action = [&request] { return list_text(request); }; });
}

}  // namespace warpline::cli
