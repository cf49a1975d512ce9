// SPDX-License-Identifier: MIT
#include "spec/reader/document.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace assay::spec {
namespace {
struct LibraryDefect {};  // thrown where the TOML library finds its own assumptions broken
[[noreturn]] void report_library_defect() {
  throw LibraryDefect();
}
}  // namespace
}  // namespace assay::spec

// Only this file sees the library. It states its assumptions about the text as assertions, and without assertions as
// promises to the compiler; a few of them do not hold for malformed files. So they are checked in every build, and one
// that fails is an error of the file like any other.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(condition) ((condition) ? void() : assay::spec::report_library_defect())
#define TOML_EXCEPTIONS 1
#define TOML_ENABLE_FORMATTERS 0
#define TOML_MAX_NESTED_VALUES 32
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

#include "spec/mistake.hpp"
#include "spec/reader/prescan.hpp"

namespace assay::spec {

namespace {

constexpr size_t kMaxFileBytes = size_t{1} << 20;

class Converter {
 public:
  Converter(std::string_view text, const std::string& file) : file_(file) {
    size_t start = 0;
    while (start <= text.size()) {
      const size_t end = std::min(text.find('\n', start), text.size());
      lines_.push_back(text.substr(start, end - start));
      start = end + 1;
    }
  }

  Node convert(const toml::node& source) const {
    Node node;
    node.place = place(source.source().begin);
    if (const auto* string = source.as_string()) {
      node.kind = Node::Kind::string;
      node.text = string->get();
      node.text_place = place_of_content(node);
    } else if (const auto* integer = source.as_integer()) {
      node.kind = Node::Kind::integer;
      node.integer = integer->get();
    } else if (const auto* real = source.as_floating_point()) {
      node.kind = Node::Kind::real;
      node.real = real->get();
    } else if (const auto* boolean = source.as_boolean()) {
      node.kind = Node::Kind::boolean;
      node.boolean = boolean->get();
    } else if (const auto* array = source.as_array()) {
      node.kind = Node::Kind::array;
      for (const toml::node& item : *array) node.items.push_back(convert(item));
    } else if (const auto* table = source.as_table()) {
      convert_table(*table, node);
    } else {
      node.kind = Node::Kind::other;
    }
    return node;
  }

 private:
  void convert_table(const toml::table& table, Node& node) const {
    node.kind = Node::Kind::table;
    for (const auto& [key, value] : table) {
      Node item = convert(value);
      item.key = key.str();
      item.key_place = place(key.source().begin);
      node.items.push_back(std::move(item));
    }
    // The library sorts by name; the file's order means something to people.
    std::stable_sort(node.items.begin(), node.items.end(), [](const Node& a, const Node& b) {
      return std::tie(a.key_place.line, a.key_place.column) < std::tie(b.key_place.line, b.key_place.column);
    });
  }

  Place place(const toml::source_position& position) const {
    return Place{file_, static_cast<int>(position.line), static_cast<int>(position.column)};
  }

  // Columns inside a string are exact if the file holds its characters as they are, behind one quote.
  Place place_of_content(const Node& node) const {
    Place result = node.place;
    if (result.line < 1 || static_cast<size_t>(result.line) > lines_.size()) return result;
    const std::string_view line = lines_[static_cast<size_t>(result.line) - 1];
    size_t at = 0;  // the byte of the column, which counts code points
    for (int column = 1; at < line.size(); ++at) {
      const bool continues = (static_cast<unsigned char>(line[at]) & 0xc0) == 0x80;
      if (!continues && column++ == result.column) break;
    }
    if (at + 1 > line.size()) return result;
    const std::string_view rest = line.substr(at + 1);
    if (!rest.starts_with(node.text) || rest.size() <= node.text.size() || rest[node.text.size()] != line[at])
      return result;
    result.column += 1;
    return result;
  }

  const std::string& file_;
  std::vector<std::string_view> lines_;
};

}  // namespace

const Node* Node::find(std::string_view wanted) const {
  for (const Node& item : items) {
    if (item.key == wanted) return &item;
  }
  return nullptr;
}

std::string_view kind_name(Node::Kind kind) {
  switch (kind) {
    case Node::Kind::string:
      return "a string";
    case Node::Kind::integer:
      return "an integer";
    case Node::Kind::real:
      return "a real number";
    case Node::Kind::boolean:
      return "a boolean";
    case Node::Kind::array:
      return "an array";
    case Node::Kind::table:
      return "a table";
    case Node::Kind::other:
      return "a date or time";
  }
  return {};
}

namespace {

// For mistakes of which the library's words do not tell what to do.
std::string advice(std::string_view description) {
  const auto says = [&](std::string_view words) { return description.find(words) != std::string_view::npos; };
  if (says("as array-of-tables"))
    return "a section of which there are several is written [[argument]], with two brackets, every time";
  if (says("parsing string") && says("control characters")) return "the text has no closing quote on its line";
  return "";
}

}  // namespace

Result<Node> parse_document(std::string_view text, const std::string& file_name) {
  if (text.size() > kMaxFileBytes) {
    return mistake(Place{file_name, 0, 0},
                   fmt::format("the file has {} bytes; expected at most {}", text.size(), kMaxFileBytes));
  }
  ASSAY_TRY(const std::string ascii, prescan(text, file_name));
  try {
    if (ascii != text) static_cast<void>(toml::parse(ascii, file_name));  // see prescan.hpp
    return Converter(text, file_name).convert(toml::parse(text, file_name));
  } catch (const toml::parse_error& error) {
    const toml::source_position at = error.source().begin;
    return mistake(Place{file_name, static_cast<int>(at.line), static_cast<int>(at.column)},
                   fmt::format("not valid TOML: {}", error.description()), advice(error.description()));
  } catch (const LibraryDefect&) {
    return mistake(Place{file_name, 0, 0}, "not valid TOML");
  }
}

}  // namespace assay::spec
