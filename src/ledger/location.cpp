// SPDX-License-Identifier: MIT
#include "ledger/location.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <optional>

#include "base/file.hpp"

namespace assay::ledger {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = ".assay";
constexpr const char* kFile = "ledger.sqlite";

std::optional<fs::path> project_above(const fs::path& start) {
  std::error_code problem;
  fs::path folder = fs::weakly_canonical(fs::absolute(start, problem), problem);
  if (problem || folder.empty()) return std::nullopt;
  while (true) {
    if (fs::is_directory(folder / kFolder, problem) || fs::exists(folder / ".git", problem)) return folder;
    const fs::path parent = folder.parent_path();
    if (parent == folder) return std::nullopt;
    folder = parent;
  }
}

}  // namespace

fs::path find_project(const fs::path& kernel) {
  if (!kernel.empty()) {
    if (const auto project = project_above(kernel)) return *project;
  }
  std::error_code problem;
  const fs::path current = fs::current_path(problem);
  if (problem) return ".";
  const auto project = project_above(current);
  return project ? *project : current;
}

Location find_ledger(const std::string& choice, const fs::path& kernel) {
  if (choice == "none") return {};
  if (!choice.empty()) return {choice, true, false};
  const char* variable = std::getenv("ASSAY_LEDGER");
  if (variable != nullptr && *variable != '\0') {
    return std::string_view(variable) == "none" ? Location{} : Location{variable, false, false};
  }
  return {find_project(kernel) / kFolder / kFile, false, true};
}

Result<void> prepare_folder(const Location& location) {
  const fs::path folder = location.file.parent_path();
  if (folder.empty()) return {};
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem) {
    return Error{fmt::format("cannot make the folder {} for the ledger: {}", folder.string(), problem.message()),
                 {},
                 "choose another file with --ledger FILE, or record nothing with --ledger none",
                 ExitCode::environment};
  }
  if (location.in_project_folder && !fs::exists(folder / ".gitignore", problem)) {
    ASSAY_CHECK(write_file_atomically(folder / ".gitignore", "*\n"));
  }
  return {};
}

}  // namespace assay::ledger
