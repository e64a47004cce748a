// warpline specs [GPU]: the GPUs there are, every constant of one, or a draft from measurements.
#include "cli/readable.hpp"
#include "cli/session.hpp"
#include "warpline/explore/data_files.hpp"
#include "warpline/hardware/load_gpu_spec.hpp"
#include "warpline/reports/spec_report.hpp"
#include "warpline/validate/draft_spec.hpp"

#include <memory>

#include <fmt/format.h>

namespace warpline::cli {
namespace {

Result<std::string> list_text(Request& request) {
    const std::vector<std::string> ids = list_gpu_specs(request.data_dir);
    if (ids.empty()) {
        return fail(FailureKind::input,
                    fmt::format("there are no GPU specifications in {}", request.data_dir),
                    "--data-dir names the folder that holds hw_specs and pipelines");
    }
    DataFiles files(request.data_dir);  // of a few architectures are many GPUs
    LeftOut broken;
    const std::vector<GpuSpec> specs = readable_specs(files, broken);
    if (specs.empty()) {
        return tl::unexpected(std::move(*broken.failure()));
    }
    request.left_out = broken.failure();
    return spec_list_text(specs, request.style);
}

Result<std::string> one_text(const Request& request, const std::string& gpu) {
    const Result<GpuSpec> spec = load_gpu_spec(request.data_dir, gpu);
    if (!spec) {
        return tl::unexpected(spec.error());
    }
    return spec_text(*spec, request.style);
}

Result<std::string> draft_text(const Request& request, const std::string& table) {
    const auto rows = read_micro_rows(table);
    if (!rows) {
        return tl::unexpected(rows.error());
    }
    return draft_spec(*rows, std::filesystem::path(table).filename().string(), request.data_dir);
}

}  // namespace

void add_specs(const Command& program, Request& request) {
    const Command command = program.add_subcommand("specs", "GPUs, or every constant of one");
    const auto gpu = std::make_shared<std::string>();
    const Option named = command.add_option("gpu", *gpu, "an id, or a .yaml file").type_name("GPU");
    const auto table = std::make_shared<std::string>();
    command
        .add_option("--from", *table,
                    "draft a specification from a table that `warpline microbench` wrote")
        .type_name("CSV")
        .excludes(named);
    command.when_named([&request, gpu, table] {
        request.action = [&request, gpu, table] {
            if (!table->empty()) {
                return draft_text(request, *table);
            }
            return gpu->empty() ? list_text(request) : one_text(request, *gpu);
        };
    });
}

}  // namespace warpline::cli
