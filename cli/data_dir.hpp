// Where the shipped hw_specs and pipelines are.
#pragma once

#include <filesystem>

namespace warpline::cli {

/// The data folder beside this executable (in a build tree and in an installation that was moved),
/// else the folder it was configured to be installed in, whether or not that exists.
[[nodiscard]] std::filesystem::path default_data_dir();

}  // namespace warpline::cli
