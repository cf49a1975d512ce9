// SPDX-License-Identifier: MIT
#include "cli/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <type_traits>

#include "base/text.hpp"
#include "cli/command.hpp"

namespace assay::cli {
namespace {

// Digits alone: the library would take 010 for eight, and what is too large for the largest number there is.
bool is_whole(const std::string& text) {
  uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [last, problem] = std::from_chars(text.data(), end, number);
  return problem == std::errc() && last == end && (text == "0" || text.front() != '0');
}

template <typename Number>
CLI::Validator within(Range<Number> range) {
  const auto check = [range](const std::string& text) {
    Number number{};
    const bool is_number = CLI::detail::lexical_cast(text, number) && text.front() != '-' &&
                           (!std::is_integral_v<Number> || is_whole(text));
    if (is_number && number >= range.least && number <= range.most) return std::string();
    const char* kind = std::is_integral_v<Number> ? "a whole number" : "a number";
    const bool bounded = range.most < std::numeric_limits<Number>::max();
    if (bounded && !std::is_integral_v<Number> && range.least == std::numeric_limits<Number>::min())
      return fmt::format("'{}' is not {} above 0 and at most {}", text, kind, range.most);
    if (bounded) return fmt::format("'{}' is not {} from {} to {}", text, kind, range.least, range.most);
    return fmt::format("'{}' is not {}{}", text, kind, range.least > 0 ? " above 0" : "");
  };
  return CLI::Validator(check, "");
}

// A word that looks like an option and is none, in words; "" if there is none. Words after "--" are no options, and
// neither is what an option takes.
std::string unknown_option(const CLI::App& app, const std::vector<std::string>& words) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  for (const std::string& word : words) {
    if (word == "--") break;
    if (!word.starts_with("--")) continue;
    const std::string name = word.substr(0, word.find('='));
    if (std::ranges::find(known, name) != known.end()) continue;
    const std::string meant = nearest(name, known);
    return fmt::format("there is no option '{}'{}", name,
                       meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant));
  }
  return "";
}

}  // namespace

void CommandLine::needs(const std::string& name, std::string& value, const std::string& help) {
  app_.add_option(name, value, help)->required();
}

void CommandLine::words(const std::string& name, std::vector<std::string>& values, const std::string& help,
                        Range<int> count) {
  app_.add_option(name, values, help)->required(count.least > 0)->expected(count.least, count.most);
}

void CommandLine::take_behind_dashes(std::vector<std::string>& words) const {
  const auto dashes = std::ranges::find(words, "--");
  if (behind_dashes_ == nullptr || dashes == words.end()) return;
  behind_dashes_->assign(dashes + 1, words.end());
  words.erase(dashes, words.end());
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

void CommandLine::option(const std::string& name, std::optional<double>& value, const std::string& help,
                         Range<double> range) {
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

Error no_such_command(const std::string& name, const std::vector<CommandEntry>& commands) {
  const bool option = name.starts_with('-');
  std::vector<std::string> names;
  for (const CommandEntry& command : commands) names.emplace_back(command.name);
  if (option) names = {"--help", "--version"};
  const std::string meant = nearest(name, names);
  return {fmt::format("there is no {} '{}'{}", option ? "option" : "command", name,
                      meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant)),
          {},
          option ? "options of a command stand behind it; assay --help lists the commands" : "assay --help lists them"};
}

Result<std::unique_ptr<Command>> read_command_line(const std::vector<CommandEntry>& commands,
                                                   const std::vector<std::string>& arguments) {
  const std::string& name = arguments.at(0);
  const auto entry = std::ranges::find(commands, name, &CommandEntry::name);
  if (entry == commands.end()) return no_such_command(name, commands);
  std::unique_ptr<Command> command = entry->make();
  CLI::App app(entry->summary);
  CommandLine line(app);
  command->declare(line);
  const std::string hint = fmt::format("assay {} --help tells what it takes", name);
  std::vector<std::string> given(arguments.begin() + 1, arguments.end());
  line.take_behind_dashes(given);
  if (auto unknown = unknown_option(app, given); !unknown.empty()) return Error{std::move(unknown), {}, hint};
  try {
    std::ranges::reverse(given);  // as CLI11 takes them
    app.parse(given);
  } catch (const CLI::ArgumentMismatch& problem) {  // "kernel: At Most 1 required but received 2"
    std::string words = replace_all(problem.what(), " required but received ", " expected, but given: ");
    words = replace_all(replace_all(words, ": At Most ", ": at most "), ": At least ", ": at least ");
    return Error{words, {}, hint};
  } catch (const CLI::ExtrasError&) {
    const std::vector<std::string> more = app.remaining();
    return Error{fmt::format("assay {} takes no '{}' here", name, more.empty() ? "" : more.front()), {}, hint};
  } catch (const CLI::ParseError& problem) {
    return Error{problem.what(), {}, hint};
  }
  return command;
}

}  // namespace assay::cli
