// SPDX-License-Identifier: MIT
#include "learn/trial.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace assay::learn {

Values read_values(const std::string& configuration) {
  Values values;
  for (const std::string_view part : split(configuration, ',')) {
    const size_t equals = part.find('=');
    if (equals != part.npos) values[std::string(trim(part.substr(0, equals)))] = trim(part.substr(equals + 1));
  }
  return values;
}

std::string to_text(const Values& values) {
  std::string text;
  for (const auto& [name, value] : values) text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, value);
  return text;
}

}  // namespace assay::learn
