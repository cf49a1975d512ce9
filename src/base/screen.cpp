// SPDX-License-Identifier: MIT
#include "base/screen.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/escape.hpp"

namespace assay {
namespace {

constexpr char kEscape = '\x1b';
// How a workflow of GitHub tells commands from text: "::" at the start of a line, and "##[" anywhere.
constexpr std::string_view kCommand = "::";
constexpr std::string_view kOldCommand = "##[";

std::string& mark_of_this_process() {
  static std::string mark;
  return mark;
}

std::string new_mark() {
  std::array<uint64_t, 2> words{};
  if (::getrandom(words.data(), sizeof words, 0) != sizeof words) return "";
  return fmt::format("{:016x}{:016x}", words[0], words[1]);
}

struct GuardedStream {
  int fd;
  ScreenFilter filter;
};

ssize_t write_guarded(void* cookie, const char* bytes, size_t size) {
  auto& stream = *static_cast<GuardedStream*>(cookie);
  const std::string text = stream.filter.pass({bytes, size});
  for (size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(stream.fd, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return 0;  // an error, with errno, as the library wants it
    done += static_cast<size_t>(count);
  }
  return static_cast<ssize_t>(size);
}

// The stream lives as long as the process: what is still in its buffer is written at the exit.
FILE* guarded(int fd, bool by_lines) {
  auto* stream = new GuardedStream{fd, ScreenFilter(mark_of_this_process())};
  FILE* file = ::fopencookie(stream, "w", {nullptr, write_guarded, nullptr, nullptr});
  if (file == nullptr) {
    delete stream;
    return nullptr;
  }
  std::setvbuf(file, nullptr, by_lines ? _IOLBF : _IOFBF, 1 << 16);
  return file;
}

}  // namespace

void guard_standard_streams() {
  std::fflush(stdout);
  std::fflush(stderr);
  mark_of_this_process() = new_mark();
  if (FILE* output = guarded(STDOUT_FILENO, ::isatty(STDOUT_FILENO) == 1)) stdout = output;
  if (FILE* errors = guarded(STDERR_FILENO, true)) stderr = errors;
}

std::string screen_sequence(std::string_view code) {
  return fmt::format("{}{}[{}", kEscape, mark_of_this_process(), code);
}

std::string screen_return() {
  return mark_of_this_process().empty() ? "\r" : fmt::format("{}{}\r", kEscape, mark_of_this_process());
}

std::string ScreenFilter::pass(std::string_view piece) {
  const std::string joined = held_.empty() ? std::string() : held_ + std::string(piece);
  std::string_view rest = held_.empty() ? piece : std::string_view(joined);
  std::string out;
  out.reserve(rest.size());
  while (!rest.empty()) {
    if (!mark_.empty() && rest[0] == kEscape) {
      const std::string_view mark = rest.substr(1, mark_.size());
      if (mark.size() < mark_.size() && std::string_view(mark_).starts_with(mark)) break;  // it may become ours
      if (mark == mark_) {
        if (rest.size() == 1 + mark_.size()) break;  // what it marks comes with the next piece
        rest.remove_prefix(1 + mark_.size());
        const bool is_return = rest[0] == '\r';
        out += is_return ? '\r' : kEscape;
        if (is_return) rest.remove_prefix(1);
        continue;
      }
    }
    const size_t length = character_length(rest);
    constexpr size_t kLongest = 4;
    const bool may_be_unfinished = length == 0 && rest.size() < kLongest && static_cast<uint8_t>(rest[0]) >= 0xC2;
    if (may_be_unfinished) break;
    put(length == 0 ? kReplacementCharacter : rest.substr(0, length), out);
    rest.remove_prefix(std::max<size_t>(1, length));
  }
  held_ = std::string(rest);
  return out;
}

void ScreenFilter::put(std::string_view character, std::string& out) {
  const char c = character[0];
  const bool stays = c == '\n' || c == '\t';
  const std::string escape = stays ? std::string() : terminal_escape_of(character);
  // The last character of a command's beginning is what is escaped: until then it may be innocent.
  if ((seen_ == ":" && c == kCommand.back()) || (seen_ == "##" && c == kOldCommand.back())) {
    out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    seen_ = {};
  } else {
    out += escape.empty() ? character : escape;
    if (c == '#') {
      seen_ = seen_ == "#" || seen_ == "##" ? "##" : "#";
    } else {
      seen_ = c == ':' && line_start_ ? ":" : "";
    }
  }
  if (c == '\n') {
    line_start_ = true;
  } else if (c != ' ' && c != '\t') {
    line_start_ = false;
  }
}

}  // namespace assay
