// How subcommands declare what they take, and how a command line is read. Only command_line.cpp
// knows CLI11: its headers take longer to compile than all else of a subcommand.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace warpline::cli {

/// Names one option of a CommandLine, which must outlive it; copies name the same one. Functions
/// that describe the option return it again, so that they can be chained.
class Option {
  public:
    explicit Option(CLI::Option& option) : option_(&option) {}

    /// What the help calls the value: "FILE". One of a FILE or DIR must not begin with a dash
    /// unless it is "-": mostly the name was forgotten, and the next option taken for it.
    Option type_name(const std::string& name) const;
    Option required() const;
    /// The two must not be given together.
    Option excludes(Option other) const;
    /// Every other value is a mistake.
    Option one_of(std::vector<std::string> values) const;

    /// `--json` or `--json FILE`: given() tells the first from an absent option.
    Option with_optional_value() const;
    /// Exactly so many values behind the name.
    Option with_values(int count) const;
    /// One value behind the name, which may be given again: all of them count.
    Option repeatable() const;
    /// May be given again: the last one counts.
    Option last_counts() const;
    /// A value is a list with this character between its parts.
    Option separated_by(char separator) const;

    // After the command line was read.
    [[nodiscard]] bool given() const;
    [[nodiscard]] std::vector<std::string> values() const;

  private:
    CLI::Option* option_;
};

/// Names the program of a CommandLine or one of its subcommands, as Option names an option.
class Command {
  public:
    explicit Command(CLI::App& app) : app_(&app) {}

    /// "-o,--output" is an option by either name, "file" an argument without one. What is given
    /// goes to `field`, which must outlive the parse and otherwise keeps its value.
    Option add_option(const std::string& names, std::string& field, const std::string& help) const;
    Option add_option(const std::string& names, std::vector<std::string>& field,
                      const std::string& help) const;
    Option add_option(const std::string& names, double& field, const std::string& help) const;
    /// Takes no value.
    Option add_flag(const std::string& names, bool& field, const std::string& help) const;
    /// One that was added.
    [[nodiscard]] Option option(const std::string& name) const;
    /// Nothing when there is none of this name.
    [[nodiscard]] std::optional<Option> find_option(const std::string& name) const;

    Command add_subcommand(const std::string& name, const std::string& help) const;
    /// `action` runs when the command line names this subcommand and has no mistake.
    void when_named(std::function<void()> action) const;

  private:
    CLI::App* app_;
};

/// What reading a command line came to.
struct ParseOutcome {
    enum class Kind { command, help, version, mistake };
    Kind kind = Kind::command;
    std::string mistake;  ///< what is wrong
};

/// A program whose command line names one of its subcommands.
class CommandLine {
  public:
    CommandLine(const std::string& name, const std::string& description,
                const std::string& version);
    ~CommandLine();
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;
    CommandLine(CommandLine&&) = delete;
    CommandLine& operator=(CommandLine&&) = delete;

    [[nodiscard]] Command program();

    /// Reads the words behind the program's name into the fields of the options.
    ParseOutcome parse(const std::vector<std::string>& words);

    /// The help of the subcommand that was named, or else of the program.
    [[nodiscard]] std::string help() const;
    [[nodiscard]] std::optional<Command> named_subcommand() const;
    [[nodiscard]] std::vector<std::string> subcommand_names() const;
    /// Words that nothing takes.
    [[nodiscard]] std::vector<std::string> unknown_words() const;

  private:
    std::unique_ptr<CLI::App> app_;
};

}  // namespace warpline::cli
