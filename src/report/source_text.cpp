// SPDX-License-Identifier: MIT
#include "report/source_text.hpp"

#include <algorithm>
#include <array>

#include "base/file.hpp"
#include "base/repository.hpp"
#include "base/text.hpp"

namespace assay::report {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 13> kSources = {".cu", ".cuh", ".h",   ".hh",  ".hpp", ".hxx", ".c",
                                                       ".cc", ".cpp", ".cxx", ".inl", ".inc", ".ptx"};

}  // namespace

fs::path source_root(const fs::path& kernel_folder) {
  const fs::path repository = repository_of(kernel_folder);
  return repository.empty() ? kernel_folder : repository;
}

std::string source_text(const gpu::SourceLine& line, const fs::path& root) {
  if (line.line <= 0 || root.empty()) return "";
  const fs::path name = line.file;
  std::error_code ignored;
  // Names in a repository are relative to it; without one they are as good as the kernel's folder was given.
  const fs::path file = name.is_relative() && fs::exists(root / name, ignored) ? root / name : name;
  // It may be the name of a pipe or a terminal, which would keep us waiting.
  if (!fs::is_regular_file(file, ignored) || !lies_in(file, root)) return "";
  if (std::ranges::find(kSources, file.extension().string()) == kSources.end()) return "";
  const auto content = read_file(file, size_t{16} << 20);
  if (!content) return "";
  const auto lines = split(*content, '\n');
  return static_cast<size_t>(line.line) <= lines.size() ? std::string(trim(lines[static_cast<size_t>(line.line) - 1]))
                                                        : "";
}

}  // namespace assay::report
