#pragma once

#include <string>

namespace warpline {

/// The checkout under test: specifications, pipelines, measured rows and schemas are read from
/// here. Its path is compiled into one file, so that another checkout of the same sources can share
/// compiled objects.
const std::string& source_dir();

}  // namespace warpline
