// SPDX-License-Identifier: MIT
// The compiler flags that a specification may ask for. The compiler passes flags on through a shell, and some make it
// load files or programs, so both the flags and their characters come from a list.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>

#include "spec/mistake.hpp"
#include "spec/reader/sections.hpp"

namespace assay::spec {

namespace {

enum class Form {
  alone,   // exactly this
  number,  // followed by digits
  word,    // followed by plain characters
  define,  // followed by NAME or NAME=VALUE
  folder,  // followed by a relative path that stays inside
};

struct Row {
  std::string_view prefix;
  Form form;
};

constexpr std::array kAllowed{
    Row{"-D", Form::define},
    Row{"-I", Form::folder},
    Row{"-std=c++", Form::number},
    Row{"--std=c++", Form::number},
    Row{"-O", Form::number},
    Row{"--use_fast_math", Form::alone},
    Row{"-use_fast_math", Form::alone},
    Row{"-ftz=", Form::word},
    Row{"--ftz=", Form::word},
    Row{"-prec-div=", Form::word},
    Row{"--prec-div=", Form::word},
    Row{"-prec-sqrt=", Form::word},
    Row{"--prec-sqrt=", Form::word},
    Row{"-fmad=", Form::word},
    Row{"--fmad=", Form::word},
    Row{"-lineinfo", Form::alone},
    Row{"--generate-line-info", Form::alone},
    Row{"-maxrregcount=", Form::number},
    Row{"--maxrregcount=", Form::number},
    Row{"-Xptxas=", Form::word},
    Row{"--ptxas-options=", Form::word},
    Row{"--expt-relaxed-constexpr", Form::alone},
    Row{"--expt-extended-lambda", Form::alone},
    Row{"--extra-device-vectorization", Form::alone},
    Row{"--restrict", Form::alone},
    Row{"-rdc=true", Form::alone},
    Row{"-diag-suppress=", Form::number},
    Row{"--diag-suppress=", Form::number},
};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_word(std::string_view text, std::string_view extra) {
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return is_letter(c) || is_digit(c) || extra.find(c) != extra.npos; });
}

bool stays_inside(std::string_view path) {
  return !path.empty() && path[0] != '/' && path[0] != '-' && is_word(path, "-+./") && path != ".." &&
         !path.starts_with("../") && !path.ends_with("/..") && path.find("/../") == path.npos;
}

bool fits(Form form, std::string_view rest) {
  switch (form) {
    case Form::alone:
      return rest.empty();
    case Form::number:
      return !rest.empty() && std::all_of(rest.begin(), rest.end(), is_digit);
    case Form::word:
      return !rest.empty() && is_word(rest, "-=,.");
    case Form::define:
      return !rest.empty() && is_letter(rest[0]) && is_word(rest, "-+=.");
    case Form::folder:
      return stays_inside(rest);
  }
  return false;
}

}  // namespace

Result<void> check_compiler_flag(const std::string& flag, const Place& place) {
  for (const Row& row : kAllowed) {
    if (flag.starts_with(row.prefix) && fits(row.form, std::string_view(flag).substr(row.prefix.size()))) return {};
  }
  std::string known;
  for (const Row& row : kAllowed) {
    if (row.prefix.starts_with("--") && row.form != Form::alone) continue;
    known += fmt::format("{}{}{}", known.empty() ? "" : " ", row.prefix, row.form == Form::alone ? "" : "...");
  }
  return mistake(place, fmt::format("the compiler flag \"{}\" is not allowed here", flag), "allowed: " + known);
}

}  // namespace assay::spec
