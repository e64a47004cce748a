// Which Warpline this is.
#pragma once

#include <string>

namespace warpline::cli {

/// "0.1.0", or "0.1.0 (1a2b3c4)" when it was built from a Git checkout.
[[nodiscard]] std::string version_text();

}  // namespace warpline::cli
