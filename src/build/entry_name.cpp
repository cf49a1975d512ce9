// SPDX-License-Identifier: MIT
#include "build/entry_name.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "base/text.hpp"
#include "ptx/demangle.hpp"

namespace assay::build {
namespace {

// Calls visit(position, depth) for every character; the depth counts the brackets that are open around it.
template <class Visitor>
void for_each_depth(std::string_view text, Visitor&& visit) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '>' || text[i] == ')') depth = std::max(0, depth - 1);
    visit(i, depth);
    if (text[i] == '<' || text[i] == '(') ++depth;
  }
}

// Without the list of parameters and the return type.
std::string_view without_signature(std::string_view text) {
  text = trim(text);
  if (text.ends_with(')')) {
    int depth = 0;
    size_t open = text.size();
    for (size_t i = text.size(); i-- > 0;) {
      if (text[i] == ')') ++depth;
      if (text[i] == '(' && --depth == 0) {
        open = i;
        break;
      }
    }
    if (open > 0) text = trim(text.substr(0, open));
  }
  size_t begin = 0;
  for_each_depth(text, [&](size_t i, int depth) {
    if (text[i] == ' ' && depth == 0 && i + 1 < text.size() && text[i + 1] != '<') begin = i + 1;
  });
  return text.substr(begin);
}

// "(anonymous namespace)::f<float,4>": one spelling for all that mean the same.
std::string normal_form(std::string_view text) {
  std::string form;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ') continue;
    const bool suffix = (c == 'u' || c == 'l' || c == 'U' || c == 'L') && !form.empty() &&
                        std::isdigit(static_cast<unsigned char>(form.back())) != 0;
    if (suffix) {
      // Only of a number: "4u", not the name "f4u".
      size_t digits = form.size();
      while (digits > 0 && std::isdigit(static_cast<unsigned char>(form[digits - 1])) != 0) --digits;
      const char before = digits == 0 ? '\0' : form[digits - 1];
      if (before == '<' || before == ',' || before == '-') {
        while (i + 1 < text.size() && (text[i + 1] == 'l' || text[i + 1] == 'L')) ++i;
        continue;
      }
    }
    form += c;
  }
  return form;
}

std::string without_namespaces(const std::string& form) {
  size_t begin = 0;
  for_each_depth(form, [&](size_t i, int depth) {
    if (depth == 0 && form[i] == ':' && i + 1 < form.size() && form[i + 1] == ':') begin = i + 2;
  });
  return form.substr(begin);
}

std::string without_template(const std::string& form) {
  size_t end = form.size();
  for_each_depth(form, [&](size_t i, int depth) {
    if (depth == 0 && form[i] == '<') end = std::min(end, i);
  });
  return form.substr(0, end);
}

bool fits_pattern(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0, star = std::string_view::npos, retry = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || (pattern[p] == text[t] && pattern[p] != '*'))) {
      ++p, ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++retry;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string list_of(const std::vector<std::string>& names) {
  constexpr size_t kMostNamed = 12;
  std::vector<std::string> shown;
  for (const std::string& name : names) {
    if (shown.size() == kMostNamed) {
      shown.push_back(fmt::format("and {} more", names.size() - kMostNamed));
      break;
    }
    shown.push_back(readable_entry(name));
  }
  return shown.empty() ? "none" : join(shown, ", ");
}

}  // namespace

std::string readable_entry(const std::string& name) {
  const std::string plain = ptx::demangle(name);
  return plain == name ? name : std::string(without_signature(plain));
}

Result<std::string> find_entry_name(std::string_view wanted, const std::vector<std::string>& names, const Place& place,
                                    const std::string& source) {
  if (std::ranges::find(names, wanted) != names.end()) return std::string(wanted);
  const std::string form = normal_form(without_signature(wanted));
  struct Candidate {
    std::string name;  // as in the PTX
    std::string form;
  };
  std::vector<Candidate> candidates;
  for (const std::string& name : names) candidates.push_back({name, normal_form(readable_entry(name))});
  const auto by_name = [&](const Candidate& candidate) { return candidate.form == form; };
  const auto by_last_name = [&](const Candidate& candidate) { return without_namespaces(candidate.form) == form; };
  const auto by_plain_name = [&](const Candidate& candidate) {
    const std::string plain = without_template(candidate.form);
    return plain == form || without_namespaces(plain) == form;
  };
  const bool is_pattern = wanted.find_first_of("*?") != std::string_view::npos;
  const auto by_pattern = [&](const Candidate& candidate) {
    return is_pattern && (fits_pattern(wanted, candidate.name) || fits_pattern(form, candidate.form));
  };
  std::vector<std::string> fitting;
  const auto look = [&](const auto& fits) {
    for (const Candidate& candidate : candidates) {
      if (fitting.size() <= names.size() && fits(candidate)) fitting.push_back(candidate.name);
    }
    return !fitting.empty();
  };
  if (!look(by_name) && !look(by_last_name) && !look(by_plain_name)) look(by_pattern);
  if (fitting.size() == 1) return fitting.front();
  if (!fitting.empty()) {
    return Error{fmt::format("\"{}\" fits {} kernels of {}: {}", wanted, fitting.size(), source, list_of(fitting)),
                 place, "write the one that is meant, with its template arguments"};
  }
  Error error{fmt::format("there is no kernel \"{}\" in {}; it has: {}", wanted, source, list_of(names)), place, ""};
  std::vector<std::string> readable;
  for (const std::string& name : names) readable.push_back(readable_entry(name));
  if (const std::string near = nearest(std::string(wanted), readable); !near.empty())
    error.hint = fmt::format("did you mean \"{}\"?", near);
  return error;
}

}  // namespace assay::build
