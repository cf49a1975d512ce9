// SPDX-License-Identifier: MIT
// texture = { of = "TENSOR", ... } and surface = { of = "TENSOR", ... }
#include <algorithm>
#include <fmt/format.h>

#include "spec/mistake.hpp"
#include "spec/reader/sections.hpp"

namespace assay::spec {
namespace {

const std::vector<std::string> kAddressModes = {"wrap", "clamp", "mirror", "border"};

void read_address(const TableReader& table, TextureSpec& texture) {
  const Node* const address = table.node().find("address");
  if (address == nullptr) return;
  Mistakes& mistakes = table.mistakes();
  const std::string what = fmt::format("\"address\" of {}", table.title());
  if (address->kind == Node::Kind::string) {
    expect_one_of(address->text, kAddressModes, address->place, what, mistakes);
    texture.address = {address->text};
  } else if (expect_kind(*address, Node::Kind::array, what, mistakes)) {
    for (const Node* const mode : table.texts("address")) {
      expect_one_of(mode->text, kAddressModes, mode->place, what, mistakes);
      texture.address.push_back(mode->text);
    }
    if (address->items.empty() || address->items.size() > 3)
      mistakes.add(address->place,
                   fmt::format("{} has {} modes; expected 1 to 3: of x, y and z", what, address->items.size()));
  }
  const bool turns =
      std::ranges::any_of(texture.address, [](const std::string& mode) { return mode == "wrap" || mode == "mirror"; });
  if (turns && !texture.normalised)
    mistakes.add(address->place, fmt::format("{} needs normalised = true; without it the hardware clamps", what));
}

void read_border(const TableReader& table, TextureSpec& texture) {
  const Node* const border = table.node().find("border");
  if (border == nullptr) return;
  Mistakes& mistakes = table.mistakes();
  if (border->kind == Node::Kind::array) {
    for (const Node& item : border->items) {
      if (item.kind == Node::Kind::integer || item.kind == Node::Kind::real)
        texture.border.push_back(item.kind == Node::Kind::integer ? static_cast<double>(item.integer) : item.real);
    }
    if (texture.border.size() != border->items.size() || border->items.empty() || border->items.size() > 4)
      mistakes.add(border->place,
                   fmt::format("\"border\" of {} expects 1 to 4 numbers, one for each channel", table.title()));
  } else if (const auto number = table.number("border")) {
    texture.border = {*number};
  }
  if (std::ranges::find(texture.address, "border") == texture.address.end())
    mistakes.add(border->key_place,
                 fmt::format("{} has a \"border\"; expected address = \"border\" with it", table.title()));
}

void read_sampler(const TableReader& table, TextureSpec& texture) {
  Mistakes& mistakes = table.mistakes();
  const auto choice = [&](const char* key, const char* first, const char* second) {
    const Node* const value = table.find(key, Node::Kind::string);
    if (value == nullptr) return false;
    expect_one_of(value->text, {first, second}, value->place, fmt::format("\"{}\" of {}", key, table.title()),
                  mistakes);
    return value->text == second;
  };
  texture.linear = choice("filter", "point", "linear");
  texture.fractions = choice("read", "element", "fraction");
  texture.normalised = table.flag("normalised");
  if (const Node* const memory = table.find("memory", Node::Kind::string)) {
    expect_one_of(memory->text, {"array", "linear", "pitch"}, memory->place,
                  fmt::format("\"memory\" of {}", table.title()), mistakes);
    texture.memory = memory->text;
  }
  read_address(table, texture);
  read_border(table, texture);
}

// What does not go together.
void check_shape(const TableReader& table, const TextureSpec& texture) {
  Mistakes& mistakes = table.mistakes();
  const bool flat = texture.memory != "array";
  if (flat && (texture.layered || texture.cube))
    mistakes.add(texture.place, fmt::format("{} is in {} memory; expected memory = \"array\" for layers and cubes",
                                            table.title(), texture.memory));
  if (texture.memory == "linear" && (texture.linear || texture.normalised || !texture.address.empty()))
    mistakes.add(texture.place, fmt::format("{} is in linear memory; expected no filter, address or normalised: "
                                            "tex1Dfetch takes texels by their number",
                                            table.title()));
  if (!texture.cube || texture.surface) return;
  const bool clamps = std::ranges::all_of(texture.address, [](const std::string& mode) { return mode == "clamp"; });
  if (!texture.normalised || !clamps)
    mistakes.add(texture.place,
                 fmt::format("{} is a cube map; expected normalised = true and address = \"clamp\"", table.title()));
}

}  // namespace

TextureSpec read_texture(const Node& value, const std::string& title, bool surface, Mistakes& mistakes) {
  TableReader table(value, title, mistakes);
  std::vector<std::string> keys = {"of", "channels", "layered", "cube"};
  if (!surface) keys.insert(keys.end(), {"filter", "address", "normalised", "read", "memory", "border"});
  table.check_keys(keys);
  TextureSpec texture;
  texture.surface = surface;
  texture.place = value.place;
  if (const Node* const of = table.require("of", Node::Kind::string, "\"TENSOR\"")) {
    texture.of = of->text;
    texture.of_place = of->text_place;
  }
  if (const auto channels = table.integer("channels")) {
    texture.channels = *channels;
    if (*channels != 1 && *channels != 2 && *channels != 4)
      mistakes.add(value.find("channels")->place,
                   fmt::format("\"channels\" of {} is {}; expected 1, 2 or 4", title, *channels));
  }
  texture.layered = table.flag("layered");
  texture.cube = table.flag("cube");
  if (!surface) read_sampler(table, texture);
  check_shape(table, texture);
  return texture;
}

}  // namespace assay::spec
