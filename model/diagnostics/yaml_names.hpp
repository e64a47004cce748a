// Which YAML files a folder of data holds.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warpline {

/// Names without .yaml of the files in `folder`, sorted; none when it cannot be listed. What is no
/// file (a folder, a link to nothing) cannot be read and is not named.
[[nodiscard]] std::vector<std::string> yaml_names(const std::filesystem::path& folder);

}  // namespace warpline
