// SPDX-License-Identifier: MIT
#include "evolve/diff.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <vector>

#include "base/text.hpp"

namespace assay::evolve {
namespace {

using Lines = std::vector<std::string>;

struct Hunk {
  size_t number = 0;  // of the diff, from 1
  size_t start = 0;   // line of the old file, from 0
  Lines old_lines;
  Lines new_lines;
};

struct FileDiff {
  std::string old_path;  // "" for /dev/null
  std::string new_path;
  std::vector<Hunk> hunks;
};

Error no_diff(const std::string& what) {
  return Error{what, {}, "a unified diff against the parent's files, as diff -u or git diff write it"};
}

// A diff that was saved with the line ends of another system has a '\r' at the end of each line, also of its heads,
// which no diff of a file with such line ends has.
std::string with_plain_line_ends(const std::string& diff) {
  const size_t ends = static_cast<size_t>(std::ranges::count(diff, '\n'));
  const std::string plain = replace_all(diff, "\r\n", "\n");
  return ends > 0 && diff.size() - plain.size() == ends ? plain : diff;
}

// Without the last newline; a file that does not end with one is remembered by the caller.
Lines lines_of(const std::string& text) {
  Lines lines;
  for (const std::string_view line : split(text, '\n')) lines.emplace_back(line);
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

std::string text_of(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// "--- a/kernel.cu	2026-11-17" -> "kernel.cu"
std::string path_of(std::string_view line) {
  line = line.substr(4);
  line = trim(line.substr(0, line.find('\t')));
  if (line == "/dev/null") return "";
  if (line.starts_with("a/") || line.starts_with("b/")) line.remove_prefix(2);
  return std::string(line);
}

// "@@ -12,7 +12,9 @@" -> 12 and 7, 12 and 9
struct Range {
  size_t start = 0;
  size_t count = 1;
};
std::optional<Range> range_of(std::string_view text) {
  Range range;
  const char* end = text.data() + text.size();
  auto [stop, problem] = std::from_chars(text.data(), end, range.start);
  if (problem != std::errc()) return std::nullopt;
  if (stop == end) return range;
  if (*stop != ',') return std::nullopt;
  const auto counted = std::from_chars(stop + 1, end, range.count);
  if (counted.ec != std::errc() || counted.ptr != end) return std::nullopt;
  return range;
}

class Reader {
 public:
  explicit Reader(const std::string& diff) : lines_(lines_of(with_plain_line_ends(diff))) {}

  Result<std::vector<FileDiff>> read() {
    std::vector<FileDiff> files;
    while (at_ < lines_.size()) {
      const std::string& line = lines_[at_];
      for (const char* refused :
           {"rename ", "copy ", "deleted file", "Binary files", "GIT binary patch", "old mode", "new file mode 12"}) {
        if (line.starts_with(refused)) return no_diff(fmt::format("'{}' is not allowed", line));
      }
      if (line.starts_with("--- ")) {
        ASSAY_TRY(FileDiff file, read_file());
        files.push_back(std::move(file));
      } else if (line.starts_with("@@")) {
        return no_diff(fmt::format("line {}: a hunk without '---' and '+++' above it", at_ + 1));
      } else {
        ++at_;  // "diff --git", "index", a sentence
      }
    }
    if (files.empty()) return no_diff("the diff changes no file");
    return files;
  }

 private:
  Result<FileDiff> read_file() {
    FileDiff file;
    file.old_path = path_of(lines_[at_++]);
    if (at_ >= lines_.size() || !lines_[at_].starts_with("+++ "))
      return no_diff(fmt::format("line {}: '+++' is missing", at_ + 1));
    file.new_path = path_of(lines_[at_++]);
    if (file.new_path.empty()) return no_diff(fmt::format("'{}' would be removed", file.old_path));
    if (!file.old_path.empty() && file.old_path != file.new_path)
      return no_diff(fmt::format("'{}' would become '{}'", file.old_path, file.new_path));
    while (at_ < lines_.size() && lines_[at_].starts_with("@@")) {
      ASSAY_TRY(Hunk hunk, read_hunk());
      file.hunks.push_back(std::move(hunk));
    }
    if (file.hunks.empty()) return no_diff(fmt::format("'{}' has no hunk", file.new_path));
    return file;
  }

  Result<Hunk> read_hunk() {
    const std::string& head = lines_[at_];
    const std::vector<std::string_view> words = split(head, ' ');
    std::optional<Range> old_range;
    std::optional<Range> new_range;
    if (words.size() >= 4 && words[1].starts_with('-') && words[2].starts_with('+')) {
      old_range = range_of(words[1].substr(1));
      new_range = range_of(words[2].substr(1));
    }
    if (!old_range || !new_range) return no_diff(fmt::format("line {}: '{}' is no head of a hunk", at_ + 1, head));
    ++at_;
    Hunk hunk;
    hunk.number = ++hunks_;
    hunk.start = old_range->start > 0 ? old_range->start - 1 : 0;
    while (at_ < lines_.size() &&
           (hunk.old_lines.size() < old_range->count || hunk.new_lines.size() < new_range->count)) {
      const std::string& line = lines_[at_];
      const char kind = line.empty() ? ' ' : line.front();
      const std::string content = line.empty() ? "" : line.substr(1);
      if (kind == '\\') {
        ++at_;
        continue;
      }
      if (kind != ' ' && kind != '-' && kind != '+') break;
      if (kind != '+') hunk.old_lines.push_back(content);
      if (kind != '-') hunk.new_lines.push_back(content);
      ++at_;
    }
    if (hunk.old_lines.size() != old_range->count || hunk.new_lines.size() != new_range->count)
      return no_diff(fmt::format("hunk {} has other lines than its head says", hunk.number));
    if (at_ < lines_.size() && lines_[at_].starts_with('\\')) ++at_;
    return hunk;
  }

  Lines lines_;
  size_t at_ = 0;
  size_t hunks_ = 0;
};

bool stands_at(const Lines& lines, const Lines& wanted, size_t at) {
  return at + wanted.size() <= lines.size() && std::equal(wanted.begin(), wanted.end(), lines.begin() + at);
}

// Where the old lines stand, nearest to where they should.
std::optional<size_t> find_lines(const Lines& lines, const Lines& wanted, size_t near) {
  for (size_t away = 0; away <= lines.size(); ++away) {
    if (near + away <= lines.size() && stands_at(lines, wanted, near + away)) return near + away;
    if (away <= near && stands_at(lines, wanted, near - away)) return near - away;
  }
  return std::nullopt;
}

Result<std::string> applied(const FileDiff& file, const std::string* old_text) {
  if (file.old_path.empty() != (old_text == nullptr)) {
    return no_diff(old_text == nullptr ? fmt::format("the parent has no file '{}'", file.new_path)
                                       : fmt::format("'{}' is there already", file.new_path));
  }
  Lines lines = old_text != nullptr ? lines_of(*old_text) : Lines();
  std::ptrdiff_t moved = 0;
  for (const Hunk& hunk : file.hunks) {
    const auto near = static_cast<size_t>(std::max<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(hunk.start) + moved));
    const std::optional<size_t> found = find_lines(lines, hunk.old_lines, near);
    if (!found)
      return no_diff(fmt::format("hunk {} does not fit '{}' at line {}: its old lines are not there", hunk.number,
                                 file.new_path, hunk.start + 1));
    const auto first = lines.begin() + static_cast<std::ptrdiff_t>(*found);
    const auto at = lines.erase(first, first + static_cast<std::ptrdiff_t>(hunk.old_lines.size()));
    lines.insert(at, hunk.new_lines.begin(), hunk.new_lines.end());
    moved = static_cast<std::ptrdiff_t>(*found) - static_cast<std::ptrdiff_t>(hunk.start) +
            static_cast<std::ptrdiff_t>(hunk.new_lines.size()) - static_cast<std::ptrdiff_t>(hunk.old_lines.size());
  }
  return text_of(lines);
}

}  // namespace

Result<Files> apply_diff(const Files& files, const std::string& diff) {
  ASSAY_TRY(const std::vector<FileDiff> parts, Reader(diff).read());
  Files changed;
  for (const FileDiff& part : parts) {
    if (changed.contains(part.new_path)) return no_diff(fmt::format("'{}' is changed twice", part.new_path));
    const auto found = files.find(part.new_path);
    ASSAY_TRY(changed[part.new_path], applied(part, found == files.end() ? nullptr : &found->second));
  }
  return changed;
}

Result<std::vector<std::string>> paths_of_diff(const std::string& diff) {
  ASSAY_TRY(const std::vector<FileDiff> parts, Reader(diff).read());
  std::vector<std::string> paths;
  for (const FileDiff& part : parts) paths.push_back(part.new_path);
  return paths;
}

}  // namespace assay::evolve
