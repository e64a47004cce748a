#include "warpline/diagnostics/yaml_names.hpp"

#include <algorithm>
#include <system_error>

namespace warpline {

std::vector<std::string> yaml_names(const std::filesystem::path& folder) {
    namespace fs = std::filesystem;
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        std::error_code ignored;  // that a link leads nowhere
        if (it->path().extension() == ".yaml" && it->is_regular_file(ignored)) {
            names.push_back(it->path().stem().string());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace warpline
