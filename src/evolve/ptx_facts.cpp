// SPDX-License-Identifier: MIT
#include "evolve/ptx_facts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <variant>
#include <vector>

#include "ptx/parser.hpp"
#include "ptx/printer.hpp"

namespace assay::evolve {
namespace {

// Registers of which a virtual GPU and a real one, or two moments, show different values. What places a thread in its
// launch (%tid, %ctaid, %laneid, ...) is the same everywhere.
constexpr std::array<std::string_view, 17> kOfTheMachine = {"%clock",
                                                            "%clock_hi",
                                                            "%clock64",
                                                            "%globaltimer",
                                                            "%globaltimer_lo",
                                                            "%globaltimer_hi",
                                                            "%smid",
                                                            "%nsmid",
                                                            "%warpid",
                                                            "%nwarpid",
                                                            "%gridid",
                                                            "%total_smem_size",
                                                            "%pm0",
                                                            "%pm0_64",
                                                            "%aggr_smem_size",
                                                            "%dynamic_smem_size",
                                                            "%current_graph_exec"};

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         c == '%' || c == '.';
}

// Behind the string that begins at `start`. It ends on its line.
size_t end_of_string(std::string_view text, size_t start) {
  size_t i = start + 1;
  while (i < text.size() && text[i] != '"' && text[i] != '\n') i += text[i] == '\\' ? 2 : 1;
  return std::min(i + 1, text.size());
}

std::string without_comments(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    if (text[i] == '"') {
      const size_t end = end_of_string(text, i);
      out += text.substr(i, end - i);
      i = end;
    } else if (text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size());
    } else if (text.substr(i, 2) == "/*") {
      const size_t end = text.find("*/", i + 2);
      i = end == std::string_view::npos ? text.size() : end + 2;
      out += ' ';
    } else {
      out += text[i++];
    }
  }
  return out;
}

// The text as the virtual GPU understands it, each statement on a line of its own: whatever blanks, comments or
// directives stand between the parts of an instruction, it reads the same. What it cannot read, it cannot execute, so
// that the gates behind this one refuse it; here it stays as it is.
std::string as_understood(std::string_view text) {
  auto module = ptx::parse(text, "");
  if (!module) return std::string(text);
  std::erase_if(module->items, [](const ptx::ModuleItem& item) {
    return std::holds_alternative<ptx::DebugSection>(item) || std::holds_alternative<ptx::SourceFile>(item);
  });
  return ptx::print(*module);
}

// Words and single characters; strings as one.
std::vector<std::string_view> tokens_of(std::string_view text) {
  std::vector<std::string_view> tokens;
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++i;
      continue;
    }
    size_t end = i + 1;
    if (c == '"') {
      end = end_of_string(text, i);
    } else if (is_word(c)) {
      while (end < text.size() && is_word(text[end])) ++end;
    }
    tokens.push_back(text.substr(i, end - i));
    i = end;
  }
  return tokens;
}

// ".loc 1 12 5, function_name $L__info, inlined_at 1 3 4" and ".file 1 "x.cu"" end with their line; ".section {...}"
// with its brace.
std::string without_line_information(std::string_view text) {
  std::string out;
  bool in_section = false;
  for (size_t start = 0; start < text.size();) {
    const size_t stop = std::min(text.find('\n', start), text.size());
    std::string_view line = text.substr(start, stop - start);
    start = stop + 1;
    const size_t first = line.find_first_not_of(" \t\r");
    const std::string_view trimmed = first == std::string_view::npos ? std::string_view() : line.substr(first);
    if (in_section) {
      in_section = trimmed.find('}') == std::string_view::npos;
      continue;
    }
    if (trimmed.starts_with(".section")) {
      in_section = trimmed.find('}') == std::string_view::npos;
      continue;
    }
    if (trimmed.starts_with(".loc") || trimmed.starts_with(".file") || trimmed.starts_with(".pragma \"enable_smem"))
      continue;
    out += line;
    out += '\n';
  }
  return out;
}

// "%rd12" -> "%rd"; "" for anything that is no numbered register.
std::string_view register_class(std::string_view token) {
  if (token.size() < 3 || token.front() != '%') return "";
  size_t digits = token.size();
  while (digits > 0 && token[digits - 1] >= '0' && token[digits - 1] <= '9') --digits;
  if (digits == token.size() || digits < 2) return "";
  const std::string_view name = token.substr(0, digits);
  if (name == "%envreg" || name == "%pm" || name == "%clock" || name == "%reserved_smem_offset_") return "";
  return name;
}

bool is_label(std::string_view token) {
  return token.starts_with("$L") || token.starts_with("$_") || token.starts_with("BB") || token.starts_with("L__");
}

bool is_of_the_machine(std::string_view token) {
  return std::ranges::find(kOfTheMachine, token) != kOfTheMachine.end() || token.starts_with("%envreg") ||
         token.starts_with("%pm") || token.starts_with("%reserved_smem_offset");
}

struct GlobalVariable {
  std::string name;
  bool filled = false;  // has a value from the start, as a table that the compiler made
};

// .global .align 4 .b8 name[24] = {...};
std::vector<GlobalVariable> global_variables(const std::vector<std::string_view>& tokens) {
  std::vector<GlobalVariable> variables;
  int depth = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] == "{" || tokens[i] == "(") ++depth;
    if (tokens[i] == "}" || tokens[i] == ")") --depth;
    if (tokens[i] != ".global" || depth != 0) continue;
    GlobalVariable variable;
    for (size_t j = i + 1; j < tokens.size() && tokens[j] != ";"; ++j) {
      variable.filled = variable.filled || tokens[j] == "=";
      const char first = tokens[j].front();
      const bool names = is_word(first) && first != '.' && (first < '0' || first > '9');
      if (variable.name.empty() && names) variable.name = tokens[j];
      if (variable.filled) break;
    }
    if (!variable.name.empty()) variables.push_back(std::move(variable));
  }
  return variables;
}

// Variables that are written to, whatever way their address takes through registers; and all that have no value from
// the start, which can only be for writing.
std::set<std::string> kept_variables(const std::vector<std::string_view>& tokens) {
  std::set<std::string> kept;
  std::map<std::string_view, std::set<std::string>> leads_to;  // from a name or a register to variables
  const std::vector<GlobalVariable> variables = global_variables(tokens);
  for (const GlobalVariable& each : variables) {
    if (each.filled) {
      leads_to[each.name] = {each.name};
    } else {
      kept.insert(each.name);
    }
  }
  if (leads_to.empty()) return kept;
  const auto writes = [](std::string_view opcode) {
    return (opcode.starts_with("st.") && !opcode.starts_with("st.param")) || opcode.starts_with("atom.") ||
           opcode.starts_with("red.") || opcode.starts_with("cp.");
  };
  for (bool grew = true; grew;) {
    grew = false;
    std::string_view opcode;
    std::string_view result;
    bool in_address = false;
    for (const std::string_view token : tokens) {
      if (token == ";" || token == "{" || token == "}" || token == ":") {
        opcode = result = {};
        in_address = false;
        continue;
      }
      if (token == "[" || token == "]") {
        in_address = token == "[";
        continue;
      }
      if (opcode.empty()) {
        if (token != "@" && token != "!" && token.front() != '%') opcode = token;
        continue;
      }
      const auto found = leads_to.find(token);
      if (found != leads_to.end()) {
        if (in_address && writes(opcode)) kept.insert(found->second.begin(), found->second.end());
        if (!in_address && !result.empty() && !opcode.starts_with("ld.")) {
          const size_t before = leads_to[result].size();
          const std::set<std::string> names = found->second;
          leads_to[result].insert(names.begin(), names.end());
          grew = grew || leads_to[result].size() != before;
        }
      }
      if (result.empty() && !in_address && token.front() == '%') result = token;
    }
  }
  return kept;
}

}  // namespace

std::string normalised_ptx(std::string_view ptx) {
  const std::string plain = without_line_information(without_comments(as_understood(ptx)));
  std::map<std::string, std::string, std::less<>> names;
  std::string out;
  const std::vector<std::string_view> tokens = tokens_of(plain);
  for (size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view token = tokens[i];
    // How many registers were declared, and in which order, says nothing.
    if (token == ".reg") {
      while (i < tokens.size() && tokens[i] != ";") ++i;
      continue;
    }
    const std::string_view kind = register_class(token);
    if (!kind.empty() || is_label(token)) {
      const auto found = names.find(token);
      const std::string name =
          found != names.end()
              ? found->second
              : names.emplace(token, fmt::format("{}#{}", kind.empty() ? "$" : kind, names.size())).first->second;
      out += name;
    } else {
      out += token;
    }
    out += token == ";" || token == "{" || token == "}" ? '\n' : ' ';
  }
  return out;
}

PtxFacts ptx_facts(std::string_view ptx) {
  const std::string plain = without_line_information(without_comments(as_understood(ptx)));
  const std::vector<std::string_view> tokens = tokens_of(plain);
  PtxFacts facts;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view token = tokens[i];
    if (is_of_the_machine(token)) facts.looks_at.emplace(token);
    constexpr std::string_view kWait = "cp.async.wait_group";
    if (token.starts_with(kWait) && i + 1 < tokens.size()) {
      int open = 0;
      std::from_chars(tokens[i + 1].data(), tokens[i + 1].data() + tokens[i + 1].size(), open);
      facts.stages = std::max(facts.stages, open + 1);
    }
  }
  facts.keeps = kept_variables(tokens);
  return facts;
}

}  // namespace assay::evolve
