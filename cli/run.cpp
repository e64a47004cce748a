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

#include <CLI/CLI.hpp>
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

void declare(CLI::App& app, Request& request, const Session& session) {
    app.require_subcommand(1);
    app.fallthrough();
    app.set_version_flag("--version", version_text());
    app.add_option("--data-dir", request.data_dir, "folder that holds hw_specs and pipelines")
        ->type_name("DIR")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    app.add_option("--color", request.color, "auto, always or never; auto respects NO_COLOR")
        ->check(CLI::IsMember({"auto", "always", "never"}))
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
        ->type_name("WHEN");
    for (const auto add : {add_predict, add_plan, add_whatif, add_sensitivity, add_sweep, add_tune,
                           add_rescale, add_specs, add_explain, add_check, add_compare,
                           add_calibrate, add_kernels, add_mechanisms, add_trace, add_report}) {
        add(app, request);
    }
    add_microbench(app, request, session.err);
    add_validate(app, request, session.err);
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

/// CLI11 asks for a subcommand before it says which word is none.
std::string parse_message(const CLI::App& app, const CLI::ParseError& error) {
    const auto named = app.get_subcommands();
    const CLI::Option* const json =
        named.empty() ? nullptr : named.front()->get_option_no_throw("--json");
    const CLI::Option* const kernel =
        named.empty() ? nullptr : named.front()->get_option_no_throw("kernel");
    const bool no_kernel = json != nullptr && kernel != nullptr && kernel->count() == 0;
    if (no_kernel && json->count() > 0 && !json->results().front().empty()) {
        return fmt::format("no KERNEL: --json took '{}' as its FILE; write KERNEL before --json",
                           json->results().front());
    }
    const std::vector<std::string> unknown = app.remaining();
    if (!app.get_subcommands().empty() || unknown.empty()) {
        return error.what();
    }
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands(nullptr)) {
        names.push_back(command->get_name());
    }
    const std::string nearest = nearest_name(unknown.front(), names);
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
    CLI::App app("Cycle-level performance model of attention kernels on NVIDIA GPUs.", "warpline");
    declare(app, request, session);
    // CLI11 takes the arguments from the back.
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    try {
        app.parse(std::move(reversed));
    } catch (const CLI::CallForHelp&) {
        const auto named = app.get_subcommands();
        return deliver(named.empty() ? app.help() : named.front()->help(app.get_name()), session);
    } catch (const CLI::CallForVersion&) {
        return deliver(fmt::format("warpline {}\n", version_text()), session);
    } catch (const CLI::ParseError& error) {
        session.err << "error: " << printable(parse_message(app, error))
                    << " (warpline --help lists what there is)\n";
        return bad_request;
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
