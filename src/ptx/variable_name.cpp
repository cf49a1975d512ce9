// SPDX-License-Identifier: MIT
#include "ptx/variable_name.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <variant>

#include "base/text.hpp"
#include "ptx/demangle.hpp"
#include "ptx/parser.hpp"

namespace assay::ptx {
namespace {

constexpr std::string_view kAnonymous = "(anonymous namespace)::";

// With -rdc=true, what is local to a file: "__nv_static_22__613f2921_4_a_cu_scale_limit", where 22 characters that name
// the file stand between two "_".
std::string_view without_file(std::string_view symbol) {
  constexpr std::string_view kStatic = "__nv_static_";
  if (!symbol.starts_with(kStatic)) return symbol;
  const std::string_view rest = symbol.substr(kStatic.size());
  size_t length = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), length);
  const auto digits = static_cast<size_t>(end - rest.data());
  if (error != std::errc() || length >= rest.size() || digits + length + 2 >= rest.size()) return symbol;
  if (rest[digits] != '_' || rest[digits + 1 + length] != '_') return symbol;
  return rest.substr(digits + length + 2);
}

std::string without_blanks(std::string_view text) {
  std::string result;
  std::ranges::copy_if(text, std::back_inserter(result), [](char c) { return c != ' '; });
  return result;
}

bool ends_in(std::string_view name, std::string_view wanted) {
  if (!name.ends_with(wanted)) return false;
  name.remove_suffix(wanted.size());
  return name.empty() || name.ends_with("::");
}

}  // namespace

std::string readable_variable(const std::string& symbol) {
  std::string name = demangle(std::string(without_file(symbol)));
  if (!name.starts_with("_INTERNAL_")) return name;
  const size_t end = name.find("::");
  return end == std::string::npos ? name : name.substr(end + 2);
}

std::vector<std::string> variables_named(std::string_view wanted, const std::vector<std::string>& symbols) {
  if (std::ranges::find(symbols, wanted) != symbols.end()) return {std::string(wanted)};
  const std::string form = without_blanks(wanted);
  const std::string anonymous = without_blanks(kAnonymous);
  std::vector<std::string> whole;
  std::vector<std::string> endings;
  if (form.empty()) return {};
  for (const std::string& symbol : symbols) {
    const std::string name = without_blanks(readable_variable(symbol));
    if (name == form) whole.push_back(symbol);
    if (ends_in(name, form) || ends_in(replace_all(name, anonymous, ""), form)) endings.push_back(symbol);
  }
  return whole.empty() ? endings : whole;
}

std::string list_variables(const std::vector<std::string>& symbols) {
  constexpr size_t kMost = 12;
  std::set<std::string> names;
  for (const std::string& symbol : symbols) names.insert(readable_variable(symbol));
  const bool alike = names.size() < symbols.size();
  std::vector<std::string> shown;
  for (size_t i = 0; i < std::min(symbols.size(), kMost); ++i)
    shown.push_back(alike ? symbols[i] : readable_variable(symbols[i]));
  if (symbols.size() > kMost) shown.push_back("and " + std::to_string(symbols.size() - kMost) + " more");
  return shown.empty() ? "none" : join(shown, ", ");
}

std::vector<std::string> variables_of(std::string_view text) {
  std::vector<std::string> names;
  const auto module = parse(text, "module");
  if (!module) return names;
  for (const ModuleItem& item : module->items) {
    const auto* variable = std::get_if<Variable>(&item);
    if (variable != nullptr && (variable->space == "global" || variable->space == "const"))
      names.push_back(variable->name);
  }
  return names;
}

}  // namespace assay::ptx
