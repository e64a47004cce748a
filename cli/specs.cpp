// warpline specs [GPU]: the GPUs there are, or every constant of one.
#include "cli/session.hpp"
#include "warpline/hardware/load_gpu_spec.hpp"
#include "warpline/reports/spec_report.hpp"

#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace warpline::cli {
namespace {

Result<std::string> list_text(const Request& request) {
    const std::vector<std::string> ids = list_gpu_specs(request.data_dir);
    if (ids.empty()) {
        return fail(FailureKind::input,
                    fmt::format("there are no GPU specifications in {}", request.data_dir),
                    "--data-dir names the folder that holds hw_specs and pipelines");
    }
    std::vector<GpuSpec> specs;
    for (const std::string& id : ids) {
        Result<GpuSpec> spec = load_gpu_spec(request.data_dir, id);
        if (!spec) {
            return tl::unexpected(spec.error());
        }
        specs.push_back(std::move(*spec));
    }
    return spec_list_text(specs, request.style);
}

Result<std::string> one_text(const Request& request, const std::string& gpu) {
    const Result<GpuSpec> spec = load_gpu_spec(request.data_dir, gpu);
    if (!spec) {
        return tl::unexpected(spec.error());
    }
    return spec_text(*spec, request.style);
}

}  // namespace

void add_specs(CLI::App& app, Request& request) {
    CLI::App* const command = app.add_subcommand("specs", "GPUs, or every constant of one");
    const auto gpu = std::make_shared<std::string>();
    command->add_option("gpu", *gpu, "an id, or a .yaml file")->type_name("GPU");
    command->callback([&request, gpu] {
        request.action = [&request, gpu] {
            return gpu->empty() ? list_text(request) : one_text(request, *gpu);
        };
    });
}

}  // namespace warpline::cli
