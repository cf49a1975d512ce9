// SPDX-License-Identifier: MIT
#include "formats/python_list.hpp"

namespace assay::formats {
namespace {

constexpr size_t kMostListed = 4096;

bool append_listed(const PythonNode& node, const PythonNames& names, std::vector<int64_t>& values);

bool append_range(const PythonNode& node, const PythonNames& names, std::vector<int64_t>& values) {
  std::vector<int64_t> words;
  for (const PythonNode& part : node.parts) {
    const auto word = python_integer(part, names);
    if (!word) return false;
    words.push_back(*word);
  }
  if (words.empty() || words.size() > 3) return false;
  const int64_t begin = words.size() == 1 ? 0 : words[0];
  const int64_t end = words.size() == 1 ? words[0] : words[1];
  const int64_t step = words.size() == 3 ? words[2] : 1;
  if (step == 0) return false;
  for (int64_t value = begin; step > 0 ? value < end : value > end;) {
    if (values.size() == kMostListed) return false;
    values.push_back(value);
    if (__builtin_add_overflow(value, step, &value)) break;
  }
  return true;
}

bool append_comprehension(const PythonNode& node, const PythonNames& names, std::vector<int64_t>& values) {
  std::vector<int64_t> each;
  const auto& [name, source] = node.keywords.front();
  if (!append_listed(source, names, each)) return false;
  for (const int64_t value : each) {
    PythonNode bound;
    bound.kind = PythonNode::Kind::integer;
    bound.integer = value;
    const auto element = python_integer(node.parts[0], [&](const std::string& wanted) -> const PythonNode* {
      return wanted == name ? &bound : names ? names(wanted) : nullptr;
    });
    if (!element || values.size() == kMostListed) return false;
    values.push_back(*element);
  }
  return true;
}

bool append_listed(const PythonNode& node, const PythonNames& names, std::vector<int64_t>& values) {
  if (node.is(PythonNode::Kind::binary) && node.word == "+")
    return append_listed(node.parts[0], names, values) && append_listed(node.parts[1], names, values);
  if (node.is(PythonNode::Kind::list)) {
    const auto own = python_integers(node.parts, names);
    if (own) values.insert(values.end(), own->begin(), own->end());
    return own && values.size() <= kMostListed;
  }
  if (!node.is(PythonNode::Kind::call)) return false;
  if (node.word == "list" && node.parts.size() == 1) return append_listed(node.parts[0], names, values);
  if (node.word == "range" && node.keywords.empty()) return append_range(node, names, values);
  return node.word == "for" && append_comprehension(node, names, values);
}

}  // namespace

std::optional<std::vector<int64_t>> python_listed(const PythonNode& node, const PythonNames& names) {
  std::vector<int64_t> values;
  return append_listed(node, names, values) ? std::optional(std::move(values)) : std::nullopt;
}

}  // namespace assay::formats
