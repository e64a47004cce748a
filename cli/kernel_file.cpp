#include "cli/kernel_file.hpp"

#include "warpline/diagnostics/strict_yaml.hpp"
#include "warpline/pipeline/load_plan.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace warpline::cli {
namespace {

tl::unexpected<Failure> unknown_kernel(const std::filesystem::path& data_dir, const std::string& id,
                                       const std::vector<std::string>& known) {
    const std::string nearest = nearest_name(id, known);
    std::string hint = "`warpline kernels` lists those there are";
    if (known.empty()) {
        hint = fmt::format("there are no pipelines in {}", data_dir.string());
    } else if (!nearest.empty()) {
        hint = fmt::format("did you mean {}?", nearest);
    }
    return fail(FailureKind::usage, fmt::format("unknown kernel \"{}\"", id), hint);
}

std::string text_of(const YamlNode& document, std::string_view key) {
    const YamlNode* const field = document.find(key);
    return field != nullptr && field->is_scalar() ? field->scalar : std::string();
}

}  // namespace

Result<KernelFile> read_kernel_file(const std::filesystem::path& data_dir, const std::string& id) {
    KernelFile kernel;
    const std::string extension = ".yaml";
    const bool is_file = id.size() > extension.size() &&
                         id.compare(id.size() - extension.size(), extension.size(), extension) == 0;
    if (is_file) {
        kernel.path = id;
    } else {
        const std::vector<std::string> known = list_kernels(data_dir);
        if (std::find(known.begin(), known.end(), id) == known.end()) {
            return unknown_kernel(data_dir, id, known);
        }
        kernel.path = data_dir / "pipelines" / (id + extension);
    }
    const Result<YamlNode> document = read_yaml(kernel.path);
    if (!document) {
        return tl::unexpected(document.error());
    }
    kernel.title = text_of(*document, "title");
    kernel.direction =
        text_of(*document, "direction") == "backward" ? Direction::backward : Direction::forward;
    return kernel;
}

}  // namespace warpline::cli
