#include "cli/command_line.hpp"

#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace warpline::cli {
namespace {

bool names_a_file(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    return option.nonpositional() &&
           (type.find("FILE") != std::string::npos || type.find("DIR") != std::string::npos);
}

/// What is wrong when an option took the next one for the name of its file; empty: nothing is.
std::string dashed_file(const CLI::App& command) {
    for (const CLI::Option* const option : command.get_options()) {
        for (const std::string& value : option->results()) {
            if (names_a_file(*option) && value.size() > 1 && value.front() == '-') {
                return fmt::format("{} took '{}' as its {}: a file of that name is written ./{}",
                                   option->get_name(), value, option->get_type_name(), value);
            }
        }
    }
    return {};
}

}  // namespace

Option Option::type_name(const std::string& name) const {
    option_->type_name(name);
    return *this;
}

Option Option::required() const {
    option_->required();
    return *this;
}

Option Option::excludes(Option other) const {
    option_->excludes(other.option_);
    return *this;
}

Option Option::one_of(std::vector<std::string> values) const {
    option_->check(CLI::IsMember(std::move(values)));
    return *this;
}

Option Option::with_optional_value() const {
    option_->expected(0, 1);
    return *this;
}

Option Option::with_values(int count) const {
    option_->expected(count);
    return *this;
}

Option Option::repeatable() const {
    option_->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    return *this;
}

Option Option::last_counts() const {
    option_->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    return *this;
}

Option Option::separated_by(char separator) const {
    option_->delimiter(separator);
    return *this;
}

bool Option::given() const {
    return option_->count() > 0;
}

std::vector<std::string> Option::values() const {
    return option_->results();
}

Option Command::add_option(const std::string& names, std::string& field,
                           const std::string& help) const {
    return Option(*app_->add_option(names, field, help));
}

Option Command::add_option(const std::string& names, std::vector<std::string>& field,
                           const std::string& help) const {
    return Option(*app_->add_option(names, field, help));
}

Option Command::add_option(const std::string& names, double& field, const std::string& help) const {
    return Option(*app_->add_option(names, field, help));
}

Option Command::add_flag(const std::string& names, bool& field, const std::string& help) const {
    return Option(*app_->add_flag(names, field, help));
}

Option Command::option(const std::string& name) const {
    return Option(*app_->get_option(name));
}

std::optional<Option> Command::find_option(const std::string& name) const {
    CLI::Option* const option = app_->get_option_no_throw(name);
    return option == nullptr ? std::nullopt : std::optional(Option(*option));
}

Command Command::add_subcommand(const std::string& name, const std::string& help) const {
    return Command(*app_->add_subcommand(name, help));
}

void Command::when_named(std::function<void()> action) const {
    app_->callback(std::move(action));
}

CommandLine::CommandLine(const std::string& name, const std::string& description,
                         const std::string& version)
    : app_(std::make_unique<CLI::App>(description, name)) {
    app_->require_subcommand(1);
    app_->fallthrough();
    app_->set_version_flag("--version", version);
}

CommandLine::~CommandLine() = default;

Command CommandLine::program() {
    return Command(*app_);
}

ParseOutcome CommandLine::parse(const std::vector<std::string>& words) {
    // CLI11 takes them from the back.
    std::vector<std::string> reversed(words.rbegin(), words.rend());
    try {
        app_->parse(std::move(reversed));
    } catch (const CLI::CallForHelp&) {
        return {ParseOutcome::Kind::help, ""};
    } catch (const CLI::CallForVersion&) {
        return {ParseOutcome::Kind::version, ""};
    } catch (const CLI::ParseError& error) {
        return {ParseOutcome::Kind::mistake, error.what()};
    }
    std::string mistake = dashed_file(*app_);
    for (const CLI::App* const named : app_->get_subcommands()) {
        mistake = mistake.empty() ? dashed_file(*named) : std::move(mistake);
    }
    if (!mistake.empty()) {
        return {ParseOutcome::Kind::mistake, std::move(mistake)};
    }
    return {};
}

std::string CommandLine::help() const {
    const auto named = app_->get_subcommands();
    return named.empty() ? app_->help() : named.front()->help(app_->get_name());
}

std::optional<Command> CommandLine::named_subcommand() const {
    const auto named = app_->get_subcommands();
    return named.empty() ? std::nullopt : std::optional(Command(*named.front()));
}

std::vector<std::string> CommandLine::subcommand_names() const {
    std::vector<std::string> names;
    for (const CLI::App* const command : app_->get_subcommands(nullptr)) {
        names.push_back(command->get_name());
    }
    return names;
}

std::vector<std::string> CommandLine::unknown_words() const {
    return app_->remaining();
}

}  // namespace warpline::cli
