// warpline microbench: measures the GPU at hand.
#pragma once

#include "cli/session.hpp"

#include <iosfwd>

namespace warpline::cli {

/// Declares the subcommand, as the functions of session.hpp do. It takes minutes: how far it is
/// goes to `progress`, which must outlive the action.
void add_microbench(const Command& program, Request& request, std::ostream& progress);

}  // namespace warpline::cli
