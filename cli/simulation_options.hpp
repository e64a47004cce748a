// The options that say how a prediction is made, shared by subcommands.
#pragma once

#include "cli/command_line.hpp"
#include "warpline/device/prediction.hpp"

#include <string>
#include <vector>

namespace warpline::cli {

/// As text, as the user wrote it; empty = not given.
struct SimulationOptions {
    std::string clock;
    std::string granularity;
    std::vector<std::string> ideal;
    bool graph_launch = false;
    bool power = false;

    /// Adds the options to a subcommand. This object must outlive the parse.
    void declare(const Command& command);

    /// Errors: usage.
    [[nodiscard]] Result<PredictOptions> read() const;
};

}  // namespace warpline::cli
