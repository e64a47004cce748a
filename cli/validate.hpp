// warpline validate, which says how far it is while it works for minutes.
#pragma once

#include "cli/session.hpp"

namespace warpline::cli {

/// As the functions of session.hpp; `progress` must outlive the action.
void add_validate(const Command& program, Request& request, std::ostream& progress);

}  // namespace warpline::cli
