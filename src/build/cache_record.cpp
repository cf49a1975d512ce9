// SPDX-License-Identifier: MIT
#include "build/cache_record.hpp"

#include "base/hash.hpp"
#include "base/text.hpp"

namespace assay::build {
namespace {

constexpr std::string_view kHeader = "assay artifact 1";
constexpr std::string_view kEnd = "end ";
constexpr size_t kHashDigits = 32;

// "file <hash> <name>" and "read <hash> <path>", or "held <hash> <path>" for a dependency that is shadowed anyway
bool parse_line(std::string_view line, CacheRecord& record) {
  constexpr size_t kNameAt = 5 + kHashDigits + 1;
  if (line.size() <= kNameAt || line[kNameAt - 1] != ' ') return false;
  std::string hash(line.substr(5, kHashDigits));
  std::string name(line.substr(kNameAt));
  if (line.starts_with("file ") && name.find('/') == std::string::npos) {
    record.files.push_back({std::move(name), std::move(hash)});
  } else if (line.starts_with("read ") || line.starts_with("held ")) {
    record.dependencies.push_back({std::move(name), std::move(hash), line.starts_with("read ")});
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::string to_text(const CacheRecord& record) {
  std::string text(kHeader);
  for (const RecordedFile& file : record.files) text += "\nfile " + file.hash + " " + file.name;
  for (const Dependency& dependency : record.dependencies) {
    text += (dependency.shadowable ? "\nread " : "\nheld ") + dependency.hash + " " + dependency.path;
  }
  text += '\n';
  return text + std::string(kEnd) + content_hash(text) + "\n";
}

std::optional<CacheRecord> parse_record(std::string_view text) {
  const size_t end = text.rfind(kEnd);
  if (end == std::string_view::npos || trim(text.substr(end + kEnd.size())) != content_hash(text.substr(0, end))) {
    return std::nullopt;
  }
  CacheRecord record;
  const std::vector<std::string_view> lines = split(trim(text.substr(0, end)), '\n');
  if (lines.empty() || lines[0] != kHeader) return std::nullopt;
  for (size_t i = 1; i < lines.size(); ++i) {
    if (!parse_line(lines[i], record)) return std::nullopt;
  }
  return record;
}

}  // namespace assay::build
