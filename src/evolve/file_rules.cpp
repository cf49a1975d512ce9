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

// Lines that go on are joined, as the preprocessor joins them: also where blanks or a trigraph stand for the backslash.
std::string with_joined_lines(const std::string& content) {
  const std::string text = replace_all(replace_all(content, "\r", ""), "?\?/", "\\");
  std::string joined;
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t end = text[i] == '\\' ? text.find_first_not_of(" \t\v\f", i + 1) : std::string::npos;
    if (end != std::string::npos && text[end] == '\n')
      i = end;
    else
      joined += text[i];
  }
  return joined;
}

// Behind blanks and comments; of the latter also those that go over the end of the line.
size_t behind_blanks(std::string_view text, size_t at) {
  while (at < text.size()) {
    if (text.substr(at, 2) == "/*") {
      const size_t end = text.find("*/", at + 2);
      at = end == std::string_view::npos ? text.size() : end + 2;
    } else if (text[at] == ' ' || text[at] == '\t' || text[at] == '\v' || text[at] == '\f') {
      ++at;
    } else {
      break;
    }
  }
  return at;
}

// Where a directive may begin: at each line, and behind the end of each comment. What is a comment and what a string
// that looks like one is not asked, so that nothing can hide a directive; one in a comment is found as well.
std::vector<size_t> beginnings(std::string_view text) {
  std::vector<size_t> places{0};
  for (size_t at = text.find_first_of("\n*"); at != std::string_view::npos; at = text.find_first_of("\n*", at + 1)) {
    if (text[at] == '\n') places.push_back(at + 1);
    if (text.substr(at, 2) == "*/") places.push_back(at + 2);
  }
  return places;
}

// What stands behind #include and its like, in any spelling of the preprocessor.
std::vector<std::string> included_names(const std::string& content) {
  const std::string joined = with_joined_lines(content);
  const std::string_view text = joined;
  std::vector<std::string> names;
  size_t last = std::string_view::npos;
  for (const size_t place : beginnings(text)) {
    size_t at = behind_blanks(text, place);
    if (at == last) continue;  // two comments before the same sign
    last = at;
    const std::string_view rest = text.substr(at);
    const size_t sign = rest.starts_with('#') ? 1 : rest.starts_with("%:") ? 2 : rest.starts_with("?\?=") ? 3 : 0;
    if (sign == 0) continue;
    at = behind_blanks(text, at + sign);
    for (const std::string_view word : {"include_next", "include", "import", "embed"}) {
      if (!text.substr(at).starts_with(word)) continue;
      at = behind_blanks(text, at + word.size());
      names.emplace_back(trim(text.substr(at, std::min(text.find('\n', at), text.size()) - at)));
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
constexpr std::array<std::string_view, 14> kOfTheCompilation = {"__FILE__",
                                                                "__FILE_NAME__",
                                                                "__BASE_FILE__",
                                                                "__DATE__",
                                                                "__TIME__",
                                                                "__TIMESTAMP__",
                                                                "__has_include",
                                                                "__has_include_next",
                                                                "__has_embed",
                                                                "__builtin_FILE",
                                                                "source_location",
                                                                "__INCLUDE_LEVEL__",
                                                                "__builtin_FILE_NAME",
                                                                "__builtin_source_location"};

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The names and numbers of a text.
std::set<std::string_view> pieces_of(std::string_view text) {
  std::set<std::string_view> pieces;
  for (size_t start = 0; start < text.size();) {
    size_t end = start;
    while (end < text.size() && is_name(text[end])) ++end;
    if (end > start) pieces.insert(text.substr(start, end - start));
    start = end + 1;
  }
  return pieces;
}

// Without the names of directives, as "include" behind "#": no macro can take them, also where they stand between the
// parentheses of one.
std::string without_directive_names(std::string text) {
  for (size_t line = 0; line < text.size();) {
    size_t at = text.find_first_not_of(" \t\v\f", line);
    if (at != std::string::npos && text[at] == '#') {
      for (at = text.find_first_not_of(" \t\v\f", at + 1); at < text.size() && is_name(text[at]); ++at) text[at] = ' ';
    }
    line = std::min(text.find('\n', line), text.size() - 1) + 1;
  }
  return text;
}

// A macro's ## makes one name of several.
bool can_be_made_of(std::string_view word, const std::set<std::string_view>& pieces) {
  std::vector<bool> reached(word.size() + 1, false);
  reached[0] = true;
  for (size_t start = 0; start < word.size(); ++start) {
    for (size_t end = start + 1; reached[start] && end <= word.size(); ++end) {
      if (pieces.contains(word.substr(start, end - start))) reached[end] = true;
    }
  }
  return reached[word.size()];
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

// In one piece or in several: also in comments, since what is one, only a preprocessor knows.
std::set<std::string> words_of_the_compilation(const Files& sources) {
  std::string all;
  for (const auto& [file, content] : sources) all += without_directive_names(with_joined_lines(content)) + "\n";
  const std::set<std::string_view> pieces = pieces_of(all);
  std::set<std::string> words;
  for (const std::string_view word : kOfTheCompilation) {
    if (can_be_made_of(word, pieces)) words.emplace(word);
  }
  return words;
}

Result<void> check_words(const FileRules& rules, const Files& sources) {
  for (const std::string& word : words_of_the_compilation(sources)) {
    if (!rules.words.contains(word))
      return Error{fmt::format("by {} code could tell where or when it is compiled", word)};
  }
  return {};
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
    auto words = check_words(rules, {{path, content}});
    if (!words) return Error{path + ": " + words.error().message};
    ASSAY_CHECK(check_beside_others(path, others));
    if (rules.may_change.contains(path)) continue;
    if (rules.there.contains(path))
      return refused(path, "it is no source of the kernel, but a part of what the kernel is judged by");
    const std::filesystem::path file = path;
    if (std::ranges::any_of(path, [](char c) { return static_cast<unsigned char>(c) > 0x7e; }))
      return refused(path, "names of new files are ASCII: other letters may look like those of another name");
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
