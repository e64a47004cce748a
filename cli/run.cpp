#include "cli/command_line.hpp"
#include "cli/microbench.hpp"
#include "cli/session.hpp"
#include "cli/validate.hpp"
#include "cli/version.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace warpline::cli {
namespace {

constexpr int success = 0;
constexpr int unexpected_error = 1;
constexpr int failed_check = 1;
constexpr int bad_request = 2;
constexpr int impossible = 3;

int exit_code(FailureKind kind) {
    switch (kind) {
        case FailureKind::usage:
        case FailureKind::input:
            return bad_request;
        case FailureKind::infeasible:
        case FailureKind::deadlock:
            return impossible;
    }
    return unexpected_error;
}

int report(const Failure& failure, std::ostream& err) {
    // The first of many errors are enough to work on, and later ones often follow from them.
    constexpr std::size_t most_shown = 10;
    const std::size_t shown = std::min(most_shown, failure.diagnostics.size());
    for (std::size_t i = 0; i < shown; ++i) {
        err << "error: " << printable(failure.diagnostics[i].text()) << '\n';
    }
    if (shown < failure.diagnostics.size()) {
        err << "error: and " << failure.diagnostics.size() - shown << " more\n";
    }
    err.flush();
    return exit_code(failure.kind);
}

int deliver(const std::string& text, const Session& session) {
    session.out << text;
    session.out.flush();
    if (!session.out) {
        session.err << "error: standard output cannot be written\n";
        return bad_request;
    }
    return success;
}

Style style_of(const Request& request, const Session& session) {
    return {request.color == "always" || (request.color == "auto" && session.color)};
}

void declare(const Command& program, Request& request, const Session& session) {
    program.add_option("--data-dir", request.data_dir, "folder that holds hw_specs and pipelines")
        .type_name("DIR")
        .last_counts();
    program.add_option("--color", request.color, "auto, always or never; auto respects NO_COLOR")
        .type_name("WHEN")
        .one_of({"auto", "always", "never"})
        .last_counts();
    for (const auto add : {add_predict, add_plan, add_whatif, add_sensitivity, add_sweep, add_tune,
                           add_rescale, add_specs, add_explain, add_check, add_compare,
                           add_calibrate, add_kernels, add_mechanisms, add_trace, add_report}) {
        add(program, request);
    }
    add_microbench(program, request, session.err);
    add_validate(program, request, session.err);
}

/// An empty argument is never meant: a shell variable that was not set, mostly. CLI11 would take it
/// for an absent one.
std::optional<std::string> empty_argument(const std::vector<std::string>& arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& argument = arguments[i];
        if (argument.empty()) {
            return i == 0 ? std::string("the first argument is empty")
                          : fmt::format("the argument after {} is empty", arguments[i - 1]);
        }
        if (argument.rfind("--", 0) == 0 && argument.back() == '=') {
            return fmt::format("{} has no value", argument);
        }
    }
    return std::nullopt;
}

/// Says more than `mistake` where the words tell what was meant: the parser asks for a subcommand
/// before it says which word is none.
std::string parse_message(const CommandLine& line, const std::string& mistake) {
    const auto named = line.named_subcommand();
    const auto json = named ? named->find_option("--json") : std::nullopt;
    const auto kernel = named ? named->find_option("kernel") : std::nullopt;
    const bool no_kernel = json && kernel && !kernel->given();
    if (no_kernel && json->given() && !json->values().front().empty()) {
        return fmt::format("no KERNEL: --json took '{}' as its FILE; write KERNEL before --json",
                           json->values().front());
    }
    const std::vector<std::string> unknown = line.unknown_words();
    if (named || unknown.empty()) {
        return mistake;
    }
    const std::string nearest = nearest_name(unknown.front(), line.subcommand_names());
    return fmt::format("there is no subcommand '{}'{}", unknown.front(),
                       nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest));
}

int run_parsed(const std::vector<std::string>& arguments, const Session& session) {
    if (const auto empty = empty_argument(arguments)) {
        session.err << "error: " << printable(*empty) << '\n';
        return bad_request;
    }
    Request request;
    request.data_dir = session.data_dir.string();
    request.command = fmt::format("warpline {}", fmt::join(arguments, " "));
    CommandLine line("warpline",
                     "Cycle-level performance model of attention kernels on NVIDIA GPUs.",
                     version_text());
    declare(line.program(), request, session);
    const ParseOutcome parsed = line.parse(arguments);
    switch (parsed.kind) {
        case ParseOutcome::Kind::help:
            return deliver(line.help(), session);
        case ParseOutcome::Kind::version:
            return deliver(fmt::format("warpline {}\n", version_text()), session);
        case ParseOutcome::Kind::mistake:
            session.err << "error: " << printable(parse_message(line, parsed.mistake))
                        << " (warpline --help lists what there is)\n";
            return bad_request;
        case ParseOutcome::Kind::command:
            break;
    }
    request.style = style_of(request, session);
    request.err = &session.err;
    request.err_is_terminal = session.err_is_terminal;
    const Result<std::string> text = request.action();
    if (!text) {
        return report(text.error(), session.err);
    }
    const int delivered = deliver(*text, session);
    if (delivered != success) {
        return delivered;
    }
    if (request.left_out) {
        return report(*request.left_out, session.err);
    }
    if (request.infeasible) {
        return impossible;
    }
    return request.check_failed ? failed_check : success;
}

}  // namespace

int run(const std::vector<std::string>& arguments, const Session& session) {
    try {
        return run_parsed(arguments, session);
    } catch (const std::exception& error) {
        session.err << "error: internal: " << printable(error.what()) << '\n';
        return unexpected_error;
    }
}

}  // namespace warpline::cli
