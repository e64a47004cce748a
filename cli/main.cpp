#include "cli/data_dir.hpp"
#include "cli/session.hpp"

#include <cstdlib>
#include <iostream>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace {

bool color_wanted() {
    const char* const no_color = std::getenv("NO_COLOR");
    const char* const terminal = std::getenv("TERM");
    const bool refused = no_color != nullptr && *no_color != '\0';
    const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
    return !refused && !dumb && isatty(STDOUT_FILENO) == 1;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    const warpline::cli::Session session{std::cout, std::cerr, warpline::cli::default_data_dir(),
                                         color_wanted(), isatty(STDERR_FILENO) == 1};
    return warpline::cli::run(arguments, session);
}
