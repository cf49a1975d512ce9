// SPDX-License-Identifier: MIT
#include "measure/contract.hpp"

#include <fmt/format.h>
#include <set>

#include "base/escape.hpp"
#include "base/hash.hpp"

namespace assay::measure {

std::string Contract::value(const std::string& field) const {
  const auto found = fields_.find(field);
  return found == fields_.end() ? "" : found->second;
}

bool Contract::binds(const std::string& field) {
  return !field.starts_with("candidate.") && !field.starts_with("machine.") && field != "seed" && field != "order_seed";
}

std::string Contract::hash() const {
  Hasher hasher;
  for (const auto& [field, text] : fields_) {
    if (binds(field)) hasher.add(field).add(text);
  }
  return hasher.hex();
}

std::vector<std::string> differences(const Contract& one, const Contract& other) {
  std::set<std::string> names;
  for (const Contract* contract : {&one, &other}) {
    for (const auto& [field, text] : contract->fields()) names.insert(field);
  }
  std::vector<std::string> lines;
  const auto shown = [](const std::string& text) { return text.empty() ? std::string("nothing") : text; };
  for (const std::string& field : names) {
    const std::string left = one.value(field);
    const std::string right = other.value(field);
    if (Contract::binds(field) && left != right)
      lines.push_back(escape_terminal(fmt::format("{}: {} against {}", field, shown(left), shown(right))));
  }
  return lines;
}

}  // namespace assay::measure
