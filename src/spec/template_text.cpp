// SPDX-License-Identifier: MIT
#include "spec/template_text.hpp"

#include <fmt/format.h>

#include "spec/expression.hpp"
#include "spec/mistake.hpp"

namespace assay::spec {

static Place shifted(Place place, size_t offset) {
  if (place.column > 0) place.column += static_cast<int>(offset);
  return place;
}

Result<TemplateText> TemplateText::parse(std::string_view text, const Place& place) {
  constexpr size_t kMaxLength = 500;
  TemplateText result;
  result.text_ = text;
  result.place_ = place;
  const auto fail = [&](size_t offset, const std::string& message) { return mistake(shifted(place, offset), message); };
  if (text.size() > kMaxLength) {
    return fail(0, fmt::format("the text has {} characters; expected at most {}", text.size(), kMaxLength));
  }
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '}') return fail(at, fmt::format("'}}' without '{{' in \"{}\"", text));
    if (text[at] != '{') continue;
    const size_t close = text.find('}', at);
    if (close == std::string_view::npos) return fail(at, fmt::format("'{{' without '}}' in \"{}\"", text));
    const std::string_view name = text.substr(at + 1, close - at - 1);
    if (!is_identifier(name)) {
      return fail(at + 1,
                  fmt::format("\"{{{}}}\" in \"{}\" is not a placeholder; expected a name in braces", name, text));
    }
    result.placeholders_.push_back({std::string(name), at, shifted(place, at + 1)});
    at = close;
  }
  return result;
}

Result<std::string> TemplateText::expand(const Bindings& scope) const {
  std::string expanded;
  size_t copied = 0;
  for (const Placeholder& placeholder : placeholders_) {
    const auto found = scope.find(placeholder.name);
    if (found == scope.end() || found->second.is_real()) {
      return mistake(placeholder.place,
                     found == scope.end()
                         ? fmt::format("undefined name \"{}\" in \"{}\"", placeholder.name, text_)
                         : fmt::format("{{{}}} in \"{}\" is the real number {}; expected an integer, a boolean or an "
                                       "element type",
                                       placeholder.name, text_, to_string(found->second)));
    }
    expanded.append(text_, copied, placeholder.offset - copied);
    expanded += to_string(found->second);
    copied = placeholder.offset + placeholder.name.size() + 2;
  }
  expanded.append(text_, copied, std::string::npos);
  return expanded;
}

}  // namespace assay::spec
