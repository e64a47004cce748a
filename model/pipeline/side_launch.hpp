// Kernels that run before or after the main one and do little but move bytes: row sums before
// backward, the conversion of dQ after it, the combination of split results.
#pragma once

#include <string>

namespace warpline {

struct SideLaunch {
    std::string name;
    bool after = false;       ///< the main kernel; else before it
    double bytes_read = 0.0;  ///< of the whole problem
    double bytes_written = 0.0;
    double cached = 0.0;        ///< share of the bytes read that L2 still holds
    double instructions = 0.0;  ///< warp instructions of the whole problem
};

}  // namespace warpline
