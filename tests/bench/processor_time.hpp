// Processor time of this process: what others run on the machine hardly moves it.
#pragma once

#include <ctime>

namespace warpline {

[[nodiscard]] inline double processor_seconds() {
    return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

}  // namespace warpline
