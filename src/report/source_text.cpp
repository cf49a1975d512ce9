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

std::optional<std::string> source_file(const std::string& name, const fs::path& root) {
  if (name.empty() || root.empty()) return std::nullopt;
  const fs::path stated = name;
  std::error_code ignored;
  // Names in a repository are relative to it; without one they are as good as the kernel's folder was given.
  const fs::path file = stated.is_relative() && fs::exists(root / stated, ignored) ? root / stated : stated;
  // It may be the name of a pipe or a terminal, which would keep us waiting.
  if (!fs::is_regular_file(file, ignored) || !lies_in(file, root)) return std::nullopt;
  if (std::ranges::find(kSources, file.extension().string()) == kSources.end()) return std::nullopt;
  auto content = read_file(file, size_t{16} << 20);
  return content ? std::optional(std::move(*content)) : std::nullopt;
}

std::string source_text(const gpu::SourceLine& line, const fs::path& root) {
  if (line.line <= 0) return "";
  const auto content = source_file(line.file, root);
  if (!content) return "";
  const auto lines = split(*content, '\n');
  if (static_cast<size_t>(line.line) > lines.size()) return "";
  const std::string_view text = trim(lines[static_cast<size_t>(line.line) - 1]);
  constexpr size_t kMost = 300;  // a line may be a megabyte of generated code
  if (text.size() <= kMost) return std::string(text);
  size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // whole characters
  return std::string(text.substr(0, end)) + " ...";
}

}  // namespace assay::report
