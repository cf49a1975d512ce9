// SPDX-License-Identifier: MIT
// What a command takes from its command line. CLI11 stands behind it in one file: whatever includes it compiles for
// seconds.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/command.hpp"

namespace CLI {
class App;
}

namespace assay::cli {

template <typename Number>
struct Range {  // both ends belong to it
  Number least;
  Number most;
};
inline constexpr int kMany = std::numeric_limits<int>::max();
inline constexpr Range<size_t> kAny{0, std::numeric_limits<size_t>::max()};
inline constexpr Range<double> kPositive{std::numeric_limits<double>::min(), std::numeric_limits<double>::max()};
inline constexpr Range<double> kSeconds{kPositive.least, 1e9};  // that clocks can count

class CommandLine {
 public:
  explicit CommandLine(CLI::App& app) : app_(app) {}

  // --- words without a name
  void needs(const std::string& name, std::string& value, const std::string& help);
  void words(const std::string& name, std::vector<std::string>& values, const std::string& help, Range<int> count);
  void behind_dashes(std::vector<std::string>& values) { behind_dashes_ = &values; }  // what stands after "--"

  // --- `value` keeps what it holds if the option is not given
  void flag(const std::string& name, bool& value, const std::string& help);
  void option(const std::string& name, std::string& value, const std::string& help);
  void option(const std::string& name, std::vector<std::string>& values, const std::string& help);
  void option(const std::string& name, std::optional<size_t>& value, const std::string& help);
  void option(const std::string& name, size_t& value, const std::string& help, Range<size_t> range = kAny);
  void option(const std::string& name, double& value, const std::string& help, Range<double> range);
  void option(const std::string& name, std::optional<double>& value, const std::string& help, Range<double> range);
  void list(const std::string& name, std::vector<double>& values, const std::string& help, Range<double> range);
  void choice(const std::string& name, std::string& value, const std::string& help,
              const std::vector<std::string>& choices);

  // Takes those words, if the command wants them apart.
  void take_behind_dashes(std::vector<std::string>& words) const;

 private:
  CLI::App& app_;
  std::vector<std::string>* behind_dashes_ = nullptr;
};

Error no_such_command(const std::string& name, const std::vector<CommandEntry>& commands);

// The one of `commands` that `arguments` begin with, after it has taken the rest.
Result<std::unique_ptr<Command>> read_command_line(const std::vector<CommandEntry>& commands,
                                                   const std::vector<std::string>& arguments);

}  // namespace assay::cli
