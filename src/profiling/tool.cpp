// SPDX-License-Identifier: MIT
#include "profiling/tool.hpp"

#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <vector>

#include "base/process.hpp"
#include "base/text.hpp"

namespace assay::profiling {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNsightFolder = "/opt/nvidia/nsight-compute";

std::vector<int> version_of(const std::string& name) {
  std::vector<int> numbers;
  for (const std::string_view part : split(name, '.')) {
    int number = 0;
    const auto [end, problem] = std::from_chars(part.data(), part.data() + part.size(), number);
    if (problem != std::errc() || end != part.data() + part.size()) return {};
    numbers.push_back(number);
  }
  return numbers;
}

std::vector<fs::path> toolkit_folders() {
  std::vector<fs::path> folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* root = std::getenv(variable);
    if (root != nullptr && *root != '\0') folders.push_back(fs::path(root) / "bin");
  }
  folders.emplace_back("/usr/local/cuda/bin");
  return folders;
}

}  // namespace

fs::path newest_version(const fs::path& folder, const std::string& program) {
  fs::path best;
  std::vector<int> best_version;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    const std::vector<int> version = version_of(entry->path().filename().string());
    const fs::path candidate = find_program((entry->path() / program).string());
    if (version.empty() || candidate.empty() || (!best.empty() && version <= best_version)) continue;
    best = candidate;
    best_version = version;
  }
  return best;
}

Result<fs::path> find_tool(const Tool& tool) {
  Error missing{fmt::format("{} is not on this machine", tool.name),
                {},
                fmt::format("{}; {} can name its place", tool.how_to_get, tool.variable),
                ExitCode::environment};
  if (const char* given = std::getenv(tool.variable); given != nullptr && *given != '\0') {
    if (std::string_view(given) == "none") return missing;
    const fs::path program = find_program(given);
    if (!program.empty()) return program;
    missing.message = fmt::format("{} names '{}', which is not a program", tool.variable, given);
    missing.hint = tool.how_to_get;
    return missing;
  }
  if (fs::path program = find_program(tool.name); !program.empty()) return program;
  for (const fs::path& folder : toolkit_folders()) {
    if (fs::path program = find_program((folder / tool.name).string()); !program.empty()) return program;
  }
  if (fs::path program = newest_version(kNsightFolder, tool.name); !program.empty()) return program;
  return missing;
}

}  // namespace assay::profiling
