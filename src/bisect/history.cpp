// SPDX-License-Identifier: MIT
#include "bisect/history.hpp"

#include <fmt/format.h>

#include "base/escape.hpp"
#include "base/process.hpp"
#include "base/repository.hpp"
#include "base/text.hpp"

namespace assay::bisect {
namespace {

constexpr char kSeparator = '\x1f';

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, '\n')) {
    if (!line.empty()) lines.emplace_back(line);
  }
  return lines;
}

}  // namespace

Result<History> History::open(const std::filesystem::path& folder) {
  std::error_code problem;
  const std::filesystem::path absolute = std::filesystem::weakly_canonical(folder, problem);
  const std::filesystem::path root = repository_of(problem ? folder : absolute);
  if (root.empty()) return Error{"this is in no git repository, so it has no history", Place{folder.string()}};
  if (find_program("git").empty()) return Error{"there is no git in PATH", {}, "install git", ExitCode::environment};
  return History(root);
}

// What the user's configuration would start (hooks, a file watcher) is not started.
Result<std::string> History::git(const std::vector<std::string>& arguments, const std::filesystem::path& index) const {
  Command command;
  command.arguments = {"git", "-C", root_.string(), "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  command.environment = {{"GIT_OPTIONAL_LOCKS", "0"}, {"GIT_TERMINAL_PROMPT", "0"}, {"LC_ALL", "C"}};
  if (!index.empty()) command.environment["GIT_INDEX_FILE"] = index.string();
  ASSAY_TRY(const ProcessOutcome outcome, run(command));
  if (outcome.succeeded()) return outcome.output;
  const std::vector<std::string> said = lines_of(outcome.errors);
  return Error{fmt::format("git {}: {}", arguments.front(),
                           said.empty() ? describe_end(outcome) : escape_terminal(said.front())),
               Place{root_.string()}};
}

Result<std::string> History::resolve(const std::string& revision) const {
  const bool odd = revision.empty() || revision.front() == '-';
  if (!odd) {
    auto id = git({"rev-parse", "--verify", "--quiet", revision + "^{commit}"});
    if (id) return std::string(trim(*id));
  }
  return Error{fmt::format("there is no commit '{}'", escape_terminal(revision)), Place{root_.string()},
               "a commit's name, a tag, a branch, HEAD~20, ..."};
}

Result<bool> History::is_ancestor(const std::string& older, const std::string& newer) const {
  ASSAY_TRY(const std::string missing, git({"rev-list", "--max-count=1", older, "^" + newer}));
  return trim(missing).empty();
}

Result<std::vector<std::string>> History::between(const std::string& older, const std::string& newer) const {
  ASSAY_TRY(const std::string text, git({"rev-list", "--first-parent", "--reverse", newer, "^" + older}));
  return lines_of(text);
}

Result<std::vector<std::string>> History::up_to(const std::string& newest) const {
  ASSAY_TRY(const std::string text, git({"rev-list", "--first-parent", "--reverse", newest}));
  return lines_of(text);
}

Result<Commit> History::describe(const std::string& id) const {
  ASSAY_TRY(const std::string text, git({"show", "--no-patch", "--format=%h%x1f%an%x1f%aI%x1f%s", id}));
  const std::vector<std::string_view> fields = split(trim(text), kSeparator);
  if (fields.size() < 4) return Error{"git show says something else than was asked for", Place{root_.string()}};
  return Commit{id, std::string(fields[0]), std::string(fields[1]), std::string(fields[2]), std::string(fields[3])};
}

Result<void> History::extract(const std::string& id, const std::filesystem::path& folder,
                              const std::filesystem::path& index) const {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) return Error{"cannot make this folder", Place{folder.string()}, "", ExitCode::environment};
  if (const auto read = git({"read-tree", id}, index); !read) return read.error();
  const auto written = git({"checkout-index", "--all", "--quiet", "--prefix=" + folder.string() + "/"}, index);
  return written ? Result<void>() : written.error();
}

}  // namespace assay::bisect
