#include "cli/data_dir.hpp"

#include <system_error>

namespace warpline::cli {

std::filesystem::path default_data_dir() {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error);
    if (!error) {
        const fs::path beside = (self.parent_path() / WARPLINE_DATA_FROM_BIN).lexically_normal();
        if (fs::is_directory(beside / "hw_specs", error)) {
            // A build tree links to the sources: messages name those.
            const fs::path real = fs::canonical(beside / "hw_specs", error);
            return error ? beside : real.parent_path();
        }
    }
    return WARPLINE_INSTALLED_DATA;
}

}  // namespace warpline::cli
