#include "source_dir.hpp"

namespace warpline {

const std::string& source_dir() {
    static const std::string path = WARPLINE_SOURCE_DIR;
    return path;
}

}  // namespace warpline
