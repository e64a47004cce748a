// A command line run in this process, for tests to look at what came of it.
#pragma once

#include "cli/session.hpp"
#include "source_dir.hpp"

#include <sstream>
#include <string>
#include <vector>

namespace warpline::test {

struct Ran {
    int code = 0;
    std::string out, err;
};

/// `color`: what --color auto means.
[[nodiscard]] inline Ran run(const std::vector<std::string>& arguments, bool color = false) {
    std::ostringstream out, err;
    const cli::Session session{out, err, source_dir(), color};
    const int code = cli::run(arguments, session);
    return {code, out.str(), err.str()};
}

[[nodiscard]] inline bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace warpline::test
