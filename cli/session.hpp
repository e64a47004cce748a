// What a run of the command line is given from outside, and what the subcommands share.
#pragma once

#include "cli/command_line.hpp"
#include "warpline/diagnostics/failure.hpp"
#include "warpline/reports/text.hpp"

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace warpline::cli {

/// The process around a run. Tests make their own.
struct Session {
    std::ostream& out;
    std::ostream& err;
    std::filesystem::path data_dir;  ///< unless --data-dir says otherwise
    bool color = false;              ///< what --color auto means here
    bool err_is_terminal = false;    ///< progress is one line that is written over
};

/// A subcommand's work: everything it has to say on standard output, or why not.
using Action = std::function<Result<std::string>()>;

/// Filled while the command line is parsed.
struct Request {
    std::string data_dir;
    std::string color = "auto";
    std::string command;          ///< the command line, for provenance
    Style style;                  ///< set before the action runs
    std::ostream* err = nullptr;  ///< for the progress of long runs; set before the action runs
    bool err_is_terminal = false;
    Action action;              ///< of the subcommand that was named
    bool check_failed = false;  ///< set by an action whose answer does not pass a check asked for
    bool infeasible = false;    ///< set by an action whose answer says that it cannot be done
    std::optional<Failure> left_out;  ///< set by an action whose answer lacks a part: why
};

/// Runs one command line (without the program's name) and returns the exit code: 0, 1 when a check
/// that was asked for does not pass, 2 for usage or input, 3 for what cannot be. Standard output is
/// written only when there is an answer, or all of one but what a broken file holds.
[[nodiscard]] int run(const std::vector<std::string>& arguments, const Session& session);

// One function a subcommand: declares it; when it is named, its action is left in
// `request`, which must outlive the parse.
void add_predict(const Command& program, Request& request);
void add_plan(const Command& program, Request& request);
void add_specs(const Command& program, Request& request);
void add_explain(const Command& program, Request& request);
void add_check(const Command& program, Request& request);
void add_compare(const Command& program, Request& request);
void add_calibrate(const Command& program, Request& request);
void add_kernels(const Command& program, Request& request);
void add_mechanisms(const Command& program, Request& request);
void add_whatif(const Command& program, Request& request);
void add_sensitivity(const Command& program, Request& request);
void add_sweep(const Command& program, Request& request);
void add_tune(const Command& program, Request& request);
void add_rescale(const Command& program, Request& request);
void add_trace(const Command& program, Request& request);
void add_report(const Command& program, Request& request);

}  // namespace warpline::cli
