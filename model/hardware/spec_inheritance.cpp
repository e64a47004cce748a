#include "warpline/hardware/spec_inheritance.hpp"

#include "warpline/diagnostics/yaml_names.hpp"

#include <algorithm>
#include <array>
#include <system_error>

#include <fmt/format.h>

namespace warpline {
namespace {

namespace fs = std::filesystem;

bool ends_in_yaml(const std::string& name) {
    constexpr std::string_view suffix = ".yaml";
    return name.size() > suffix.size() &&
           std::string_view(name).substr(name.size() - suffix.size()) == suffix;
}

/// The file `parent` stands for, or an empty path after a report to `sink`.
fs::path find_parent(const fs::path& data_dir, const fs::path& child, const SpecFile& file,
                     DiagnosticSink& sink) {
    std::error_code ignored;
    if (ends_in_yaml(file.inherits)) {
        fs::path path = child.parent_path() / file.inherits;
        if (fs::exists(path, ignored)) {
            return path;
        }
    }
    const std::array folders{data_dir / "hw_specs", data_dir / "hw_specs" / "arch"};
    for (const fs::path& folder : folders) {
        fs::path path = folder / (file.inherits + ".yaml");
        if (fs::path(file.inherits).filename() == file.inherits && fs::exists(path, ignored)) {
            return path;
        }
    }
    std::vector<std::string> known;
    for (const fs::path& folder : folders) {
        const std::vector<std::string> names = yaml_names(folder);
        known.insert(known.end(), names.begin(), names.end());
    }
    const std::string nearest = nearest_name(file.inherits, known);
    sink.error(file.inherits_where,
               fmt::format("inherits '{}', which does not exist", file.inherits),
               nearest.empty() ? "" : fmt::format("did you mean '{}'?", nearest));
    return {};
}

}  // namespace

Result<GpuFamily> load_spec_family(const fs::path& data_dir, const fs::path& path,
                                   YamlDocuments& documents) {
    DiagnosticSink sink;
    GpuFamily family;
    family.id = path.stem().string();
    std::vector<SpecFile> chain;  // child first
    std::vector<fs::path> seen;
    std::string route;
    for (fs::path next = path; !next.empty();) {
        std::error_code ignored;
        const fs::path canonical = fs::weakly_canonical(next, ignored);
        route += (route.empty() ? "" : " -> ") + next.stem().string();
        if (std::find(seen.begin(), seen.end(), canonical) != seen.end()) {
            sink.error(chain.back().inherits_where, fmt::format("inherits itself: {}", route));
            break;
        }
        seen.push_back(canonical);
        const auto document = documents.read(next);
        if (!document) {
            for (const Diagnostic& problem : document.error().diagnostics) {
                sink.error(problem.where, problem.message, problem.hint);
            }
            break;
        }
        family.documents.push_back(*document);
        chain.push_back(read_spec_file((*document)->root, sink));
        next = chain.back().inherits.empty() ? fs::path{}
                                             : find_parent(data_dir, next, chain.back(), sink);
    }
    if (!sink.empty()) {
        return sink.failure(FailureKind::input);
    }
    family.file = std::move(chain.back());
    for (auto child = std::next(chain.rbegin()); child != chain.rend(); ++child) {
        family.file.override_with(std::move(*child));
    }
    return family;
}

}  // namespace warpline
