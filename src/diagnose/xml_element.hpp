// SPDX-License-Identifier: MIT
// A small reader for the XML that NVIDIA's tools write: elements and text, no attributes that matter, no DTD.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace assay::diagnose {

struct XmlElement {
  std::string name;
  std::string text;  // of this element itself, entities replaced, trimmed
  std::vector<XmlElement> children;

  const XmlElement* child(std::string_view wanted) const;  // nullptr if there is none
  std::string_view text_of(std::string_view path) const;   // "where/line"; "" if there is none
};

// The root element. A file that ends early (the tool was ended) gives what was complete until then.
Result<XmlElement> parse_xml(std::string_view text);

}  // namespace assay::diagnose
