// SPDX-License-Identifier: MIT
// Text with {name} placeholders: entry = "attention_{dtype}_d{D}".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "spec/value.hpp"

namespace assay::spec {

class TemplateText {
 public:
  TemplateText() = default;
  static Result<TemplateText> parse(std::string_view text, const Place& place);

  const std::string& text() const { return text_; }
  const Place& place() const { return place_; }
  struct Placeholder {
    std::string name;
    size_t offset = 0;  // of the opening brace
    Place place;        // of the name
  };
  const std::vector<Placeholder>& placeholders() const { return placeholders_; }

  Result<std::string> expand(const Bindings& scope) const;

 private:
  std::string text_;
  Place place_;
  std::vector<Placeholder> placeholders_;
};

}  // namespace assay::spec
