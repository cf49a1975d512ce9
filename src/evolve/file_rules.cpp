// SPDX-License-Identifier: MIT
#include "evolve/file_rules.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>

#include "base/escape.hpp"
#include "base/text.hpp"

namespace assay::evolve {
namespace {

constexpr size_t kMostBytes = size_t{1} << 20;
constexpr size_t kMostFiles = 64;
constexpr size_t kLongestPath = 200;

bool is_plain(std::string_view path) {
  if (path.empty() || path.size() > kLongestPath || path.front() == '/') return false;
  if (std::ranges::any_of(path, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '\\'; }))
    return false;
  return std::ranges::none_of(split(path, '/'),
                              [](std::string_view part) { return part.empty() || part.front() == '.'; });
}

Error refused(const std::string& path, const std::string& why) {
  return Error{fmt::format("'{}' may not be touched: {}", escape_terminal(path), why)};
}

// The preprocessor takes a comment for a blank, its line ends too: what begins a line for it may stand behind one.
std::string comments_as_blanks(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size()) - 1;
    } else if (text.substr(i, 2) == "/*") {
      result += ' ';
      const size_t end = text.find("*/", i + 2);
      if (end == std::string_view::npos) break;
      i = end + 1;
    } else if (text[i] == '"') {
      const size_t start = i++;
      while (i < text.size() && text[i] != '"' && text[i] != '\n') i += text[i] == '\\' ? 2 : 1;
      result += text.substr(start, i + 1 - start);
    } else {
      result += text[i];
    }
  }
  return result;
}

// What stands behind #include and its like, in any spelling of the preprocessor; lines that go on are joined. Once as
// it stands and once without comments: a string of several lines may look like the beginning of one.
std::vector<std::string> included_names(const std::string& content) {
  std::vector<std::string> names;
  const std::string joined = replace_all(replace_all(content, "\r", ""), "\\\n", "");
  const std::string both = joined + "\n" + comments_as_blanks(joined);
  for (std::string_view line : split(both, '\n')) {
    // A comment before the sign would hide it.
    while (trim(line).starts_with("/*") && line.find("*/") != std::string_view::npos)
      line = line.substr(line.find("*/") + 2);
    line = trim(line);
    const size_t sign = line.starts_with('#') ? 1 : line.starts_with("%:") ? 2 : line.starts_with("?\?=") ? 3 : 0;
    if (sign == 0) continue;
    line = line.substr(sign);
    while (trim(line).starts_with("/*") && line.find("*/") != std::string_view::npos)
      line = line.substr(line.find("*/") + 2);
    line = trim(line);
    for (const std::string_view word : {"include_next", "include", "import", "embed"}) {
      if (!line.starts_with(word)) continue;
      names.emplace_back(trim(line.substr(word.size())));
      break;
    }
  }
  return names;
}

// Of "../tile.cuh" with its quotes the path; "" if it is neither quoted nor in angle brackets.
std::string named_path(const std::string& operand) {
  if (operand.size() < 3) return "";
  const char close = operand.front() == '"' ? '"' : operand.front() == '<' ? '>' : '\0';
  const size_t end = close == '\0' ? std::string::npos : operand.find(close, 1);
  return end == std::string::npos ? "" : operand.substr(1, end - 1);
}

// As seen from the kernel's folder.
std::string target_of(const std::string& file, const std::string& path) {
  return (std::filesystem::path(file).parent_path() / path).lexically_normal().generic_string();
}

bool leads_outside(const std::string& file, const std::string& path) {
  return path.starts_with('/') || target_of(file, path).starts_with("..");
}

// What the preprocessor replaces by the place or the time of the compilation, or answers from the disk. Code that asks
// can tell the folder in which it is judged from the one in which it is used.
constexpr std::array<std::string_view, 12> kOfTheCompilation = {
    "__FILE__",      "__FILE_NAME__",      "__BASE_FILE__", "__DATE__",       "__TIME__",        "__TIMESTAMP__",
    "__has_include", "__has_include_next", "__has_embed",   "__builtin_FILE", "source_location", "__INCLUDE_LEVEL__"};

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Words of the list that stand in the text: also in comments, since what is one, and what a macro's ## makes of two
// halves, only a preprocessor knows.
std::set<std::string_view> words_of_the_compilation(const std::string& content) {
  const std::string joined = replace_all(replace_all(content, "\r", ""), "\\\n", "");
  std::set<std::string_view> found;
  for (const std::string_view word : kOfTheCompilation) {
    for (size_t at = joined.find(word); at != std::string::npos; at = joined.find(word, at + 1)) {
      const bool begins = at == 0 || !is_name(joined[at - 1]);
      const size_t end = at + word.size();
      if (begins && (end == joined.size() || !is_name(joined[end]))) found.insert(word);
    }
  }
  return found;
}

std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

// A file cannot lie in another one; and on some disks one name is another in capitals.
Result<void> check_beside_others(const std::string& path, const std::set<std::string>& others) {
  for (const std::string& other : others) {
    if (other == path) continue;
    if (lower(other) == lower(path)) return refused(path, fmt::format("it differs from '{}' in capitals alone", other));
    if (path.starts_with(other + "/") || other.starts_with(path + "/"))
      return refused(path,
                     fmt::format("'{}' is a file, and '{}' a folder", std::min(path, other), std::min(path, other)));
  }
  return {};
}

Result<void> check_includes(const FileRules& rules, const std::string& file, const std::string& content) {
  for (const std::string& operand : included_names(content)) {
    const std::string path = named_path(operand);
    if (path.empty())
      return Error{fmt::format("{}: '#include {}' does not name a file", file, escape_terminal(operand.substr(0, 80)))};
    if (leads_outside(file, path) && !rules.includes.contains(path))
      return Error{fmt::format("{}: '{}' lies outside of the kernel's folder", file, escape_terminal(path))};
  }
  return {};
}

}  // namespace

std::set<std::string> words_of_the_compilation(const Files& sources) {
  std::set<std::string> words;
  for (const auto& [file, content] : sources) {
    for (const std::string_view word : words_of_the_compilation(content)) words.emplace(word);
  }
  return words;
}

std::set<std::string> inside_includes(const Files& files, const std::set<std::string>& from) {
  std::set<std::string> found;
  std::vector<std::string> waiting(from.begin(), from.end());
  while (!waiting.empty()) {
    const std::string file = std::move(waiting.back());
    waiting.pop_back();
    const auto content = files.find(file);
    if (content == files.end()) continue;
    for (const std::string& operand : included_names(content->second)) {
      const std::string path = named_path(operand);
      if (!path.empty() && !leads_outside(file, path) && found.insert(target_of(file, path)).second)
        waiting.push_back(target_of(file, path));
    }
  }
  return found;
}

std::set<std::string> outside_includes(const Files& sources) {
  std::set<std::string> paths;
  for (const auto& [file, content] : sources) {
    for (const std::string& operand : included_names(content)) {
      const std::string path = named_path(operand);
      if (!path.empty() && leads_outside(file, path)) paths.insert(path);
    }
  }
  return paths;
}

const std::vector<std::string>& FileRules::endings_of_new_files() {
  static const std::vector<std::string> endings = {".cu", ".cuh", ".h", ".hpp"};
  return endings;
}

Result<void> check_files(const FileRules& rules, const Files& changed) {
  if (changed.size() > kMostFiles) return Error{fmt::format("{} files are too many", changed.size())};
  size_t bytes = 0;
  std::set<std::string> others = rules.there;
  for (const auto& [path, content] : changed) others.insert(path);
  for (const auto& [path, content] : changed) {
    bytes += content.size();
    if (!is_plain(path)) return refused(path, "paths are relative to the kernel's folder and stay in it");
    if (content.find('\0') != std::string::npos) return refused(path, "it would not be text");
    ASSAY_CHECK(check_includes(rules, path, content));
    for (const std::string_view word : words_of_the_compilation(content)) {
      if (!rules.words.contains(std::string(word)))
        return Error{fmt::format("{}: by {} code could tell where or when it is compiled", path, word)};
    }
    ASSAY_CHECK(check_beside_others(path, others));
    if (rules.may_change.contains(path)) continue;
    if (rules.there.contains(path))
      return refused(path, "it is no source of the kernel, but a part of what the kernel is judged by");
    const std::filesystem::path file = path;
    if (std::ranges::find(FileRules::endings_of_new_files(), file.extension().string()) ==
        FileRules::endings_of_new_files().end())
      return refused(path, "new files end in " + join(FileRules::endings_of_new_files(), ", "));
    if (*file.begin() == "ptx" && std::distance(file.begin(), file.end()) > 1)
      return refused(path, "the folder ptx holds prebuilt code");
  }
  if (bytes > kMostBytes) return Error{fmt::format("{} bytes are more than the {} allowed", bytes, kMostBytes)};
  return {};
}

}  // namespace assay::evolve
