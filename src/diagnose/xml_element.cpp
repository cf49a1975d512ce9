// SPDX-License-Identifier: MIT
#include "diagnose/xml_element.hpp"

#include <array>
#include <utility>

#include "base/text.hpp"

namespace assay::diagnose {
namespace {

constexpr size_t kDeepest = 64;

std::string without_entities(std::string_view text) {
  constexpr std::array kEntities = {
      std::pair<std::string_view, char>{"&lt;", '<'}, std::pair<std::string_view, char>{"&gt;", '>'},
      std::pair<std::string_view, char>{"&quot;", '"'}, std::pair<std::string_view, char>{"&apos;", '\''},
      std::pair<std::string_view, char>{"&amp;", '&'}};
  std::string plain;
  while (!text.empty()) {
    bool replaced = false;
    for (const auto& [entity, character] : kEntities) {
      if (!text.starts_with(entity)) continue;
      plain += character;
      text.remove_prefix(entity.size());
      replaced = true;
      break;
    }
    if (replaced) continue;
    plain += text.front();
    text.remove_prefix(1);
  }
  return plain;
}

// Elements that are open, the outermost first. Closing one puts it into the one around it.
class Builder {
 public:
  explicit Builder(std::string_view text) : left_(text) {}

  Result<XmlElement> run() {
    open_.push_back({});
    while (!left_.empty()) {
      const size_t tag = left_.find('<');
      open_.back().text += without_entities(left_.substr(0, tag));
      if (tag == std::string_view::npos) break;
      left_.remove_prefix(tag);
      if (!take_tag()) break;
      if (open_.size() > kDeepest) return Error{"the XML is nested too deeply"};
    }
    while (open_.size() > 1) close();
    XmlElement document = std::move(open_.front());
    if (document.children.empty()) return Error{"there is no XML element"};
    return std::move(document.children.front());
  }

 private:
  // False: the tag has no end.
  bool take_tag() {
    for (const auto& [begin, end] :
         {std::pair<std::string_view, std::string_view>{"<?", "?>"}, {"<!--", "-->"}, {"<!", ">"}}) {
      if (!left_.starts_with(begin)) continue;
      const size_t last = left_.find(end);
      if (last == std::string_view::npos) return false;
      left_.remove_prefix(last + end.size());
      return true;
    }
    const size_t last = left_.find('>');
    if (last == std::string_view::npos) return false;
    std::string_view tag = left_.substr(1, last - 1);
    left_.remove_prefix(last + 1);
    if (tag.starts_with('/')) {
      if (open_.size() > 1) close();
      return true;
    }
    const bool empty = tag.ends_with('/');
    if (empty) tag.remove_suffix(1);
    XmlElement element;
    element.name = trim(tag.substr(0, tag.find_first_of(" \t\r\n")));
    open_.push_back(std::move(element));
    if (empty) close();
    return true;
  }

  void close() {
    XmlElement element = std::move(open_.back());
    open_.pop_back();
    element.text = std::string(trim(element.text));
    open_.back().children.push_back(std::move(element));
  }

  std::string_view left_;
  std::vector<XmlElement> open_;
};

}  // namespace

const XmlElement* XmlElement::child(std::string_view wanted) const {
  for (const XmlElement& element : children) {
    if (element.name == wanted) return &element;
  }
  return nullptr;
}

std::string_view XmlElement::text_of(std::string_view path) const {
  const XmlElement* at = this;
  for (const std::string_view part : split(path, '/')) {
    at = at->child(part);
    if (at == nullptr) return "";
  }
  return at->text;
}

Result<XmlElement> parse_xml(std::string_view text) {
  return Builder(text).run();
}

}  // namespace assay::diagnose
