// SPDX-License-Identifier: MIT
// Standard output and standard error of the command line, guarded: whatever text is printed, by whichever function, no
// character reaches a terminal or a log that acts on it. Foreign text that passes here is escaped as base/escape.hpp
// says, except for its newlines: names and paths are escaped where they are put into a line.
//
// A JSON document that passes is the same document afterwards: an escape here is an escape there.
#pragma once

#include <string>
#include <string_view>

namespace assay {

// Guards both streams of this process from now on. For programs, not for libraries or for a protocol.
void guard_standard_streams();

// "ESC [ code", as one that the guard lets pass: "31m", "K".
std::string screen_sequence(std::string_view code);
// The same for a carriage return.
std::string screen_return();

// What the guard does with a stream of text.
class ScreenFilter {
 public:
  // Sequences of ours are marked with a word after ESC that nobody else knows; empty: none are.
  explicit ScreenFilter(std::string mark) : mark_(std::move(mark)) {}
  // What may be written now. An unfinished character at the end is kept for the next piece.
  std::string pass(std::string_view piece);

 private:
  void put(std::string_view character, std::string& out);

  std::string mark_;
  std::string held_;
  bool line_start_ = true;  // nothing but blanks since the last newline
  std::string_view seen_;   // the part of a workflow command's beginning that was just written
};

}  // namespace assay
