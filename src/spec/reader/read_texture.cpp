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

// mipmap = { levels = ["half", "quarter"], filter, bias, first, last }
void read_mipmap(const TableReader& texture_table, TextureSpec& texture) {
  const Node* const value = texture_table.node().find("mipmap");
  if (value == nullptr) return;
  Mistakes& mistakes = texture_table.mistakes();
  const std::string title = fmt::format("\"mipmap\" of {}", texture_table.title());
  if (!expect_kind(*value, Node::Kind::table, title, mistakes)) return;
  TableReader table(*value, title, mistakes);
  table.check_keys({"levels", "filter", "bias", "first", "last"});
  MipmapSpec mipmap;
  if (table.require("levels", Node::Kind::array, "[\"TENSOR\", ...]") != nullptr) {
    for (const Node* const level : table.texts("levels")) {
      mipmap.levels.push_back(level->text);
      mipmap.places.push_back(level->text_place);
    }
    constexpr size_t kMostLevels = 15;
    if (mipmap.levels.empty() || mipmap.levels.size() > kMostLevels)
      mistakes.add(value->find("levels")->place,
                   fmt::format("\"levels\" of {} has {} tensors; expected 1 to {}: level 1, 2, ...", title,
                               mipmap.levels.size(), kMostLevels));
  }
  if (const Node* const filter = table.find("filter", Node::Kind::string)) {
    expect_one_of(filter->text, {"point", "linear"}, filter->place, fmt::format("\"filter\" of {}", title), mistakes);
    mipmap.linear = filter->text == "linear";
  }
  mipmap.last_level = static_cast<double>(mipmap.levels.size());
  if (const auto bias = table.number("bias")) mipmap.bias = *bias;
  if (const auto first = table.number("first")) mipmap.first_level = *first;
  if (const auto last = table.number("last")) mipmap.last_level = *last;
  if (mipmap.first_level < 0 || mipmap.last_level < mipmap.first_level)
    mistakes.add(value->place, fmt::format("{} is limited to levels {:g} to {:g}; expected 0 or more, first <= last",
                                           title, mipmap.first_level, mipmap.last_level));
  constexpr double kMostBias = 16;
  if (!(mipmap.bias >= -kMostBias && mipmap.bias <= kMostBias))
    mistakes.add(value->find("bias")->place,
                 fmt::format("\"bias\" of {} is {:g}; expected -16 to 16", title, mipmap.bias));
  if (!texture.normalised)
    mistakes.add(value->key_place, fmt::format("{} has a mipmap; expected normalised = true with it: a place is then "
                                               "the same in every level",
                                               texture_table.title()));
  texture.mipmap = std::move(mipmap);
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
  texture.srgb = table.flag("srgb");
  if (texture.srgb && !texture.fractions)
    mistakes.add(table.node().find("srgb")->key_place,
                 fmt::format("{} has srgb = true; expected read = \"fraction\" with it", table.title()));
  read_mipmap(table, texture);
}

// What does not go together.
void check_shape(const TableReader& table, const TextureSpec& texture) {
  Mistakes& mistakes = table.mistakes();
  const bool flat = texture.memory != "array";
  if (flat && texture.mipmap)
    mistakes.add(texture.place, fmt::format("{} is in {} memory; expected memory = \"array\" for a mipmap",
                                            table.title(), texture.memory));
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
  if (!surface)
    keys.insert(keys.end(), {"filter", "address", "normalised", "read", "memory", "border", "srgb", "mipmap"});
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
