// SPDX-License-Identifier: MIT
#include "cli/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <type_traits>

#include "cli/command.hpp"

namespace assay::cli {
namespace {

template <typename Number>
CLI::Validator within(Range<Number> range) {
  const auto check = [range](const std::string& text) {
    Number number{};
    const bool is_number = CLI::detail::lexical_cast(text, number) && text.front() != '-';
    if (is_number && number >= range.least && number <= range.most) return std::string();
    const char* kind = std::is_integral_v<Number> ? "a whole number" : "a number";
    if (range.most < std::numeric_limits<Number>::max())
      return fmt::format("'{}' is not {} from {} to {}", text, kind, range.least, range.most);
    return fmt::format("'{}' is not {}{}", text, kind, range.least > 0 ? " above 0" : "");
  };
  return CLI::Validator(check, "");
}

}  // namespace

void CommandLine::needs(const std::string& name, std::string& value, const std::string& help) {
  app_.add_option(name, value, help)->required();
}

void CommandLine::words(const std::string& name, std::vector<std::string>& values, const std::string& help,
                        Range<int> count) {
  app_.add_option(name, values, help)->required(count.least > 0)->expected(count.least, count.most);
}

void CommandLine::flag(const std::string& name, bool& value, const std::string& help) {
  app_.add_flag(name, value, help);
}

void CommandLine::option(const std::string& name, std::string& value, const std::string& help) {
  app_.add_option(name, value, help);
}

void CommandLine::option(const std::string& name, std::vector<std::string>& values, const std::string& help) {
  app_.add_option(name, values, help);
}

void CommandLine::option(const std::string& name, std::optional<size_t>& value, const std::string& help) {
  app_.add_option(name, value, help)->check(within(kAny));
}

void CommandLine::option(const std::string& name, size_t& value, const std::string& help, Range<size_t> range) {
  app_.add_option(name, value, help)->check(within(range));
}

void CommandLine::option(const std::string& name, double& value, const std::string& help, Range<double> range) {
  app_.add_option(name, value, help)->check(within(range));
}

void CommandLine::list(const std::string& name, std::vector<double>& values, const std::string& help,
                       Range<double> range) {
  app_.add_option(name, values, help)->delimiter(',')->check(within(range));
}

void CommandLine::choice(const std::string& name, std::string& value, const std::string& help,
                         const std::vector<std::string>& choices) {
  app_.add_option(name, value, help)->check(CLI::IsMember(choices));
}

Error no_such_command(const std::string& name) {
  return {fmt::format("there is no command '{}'", name), {}, "assay --help lists them"};
}

Result<Command> read_command_line(const std::vector<Command>& commands, const std::vector<std::string>& arguments,
                                  Options& options) {
  const std::string& name = arguments.at(0);
  const auto command = std::ranges::find(commands, name, &Command::name);
  if (command == commands.end()) return no_such_command(name);
  CLI::App app(command->summary);
  CommandLine line(app);
  command->add_options(line, options);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend() - 1));
  } catch (const CLI::ParseError& problem) {
    return Error{problem.what(), {}, fmt::format("assay {} --help tells what it takes", name)};
  }
  return *command;
}

}  // namespace assay::cli
