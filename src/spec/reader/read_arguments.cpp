// SPDX-License-Identifier: MIT
// [[argument]]: tensors, scalars, tensor maps, textures and pointers, in the order of the kernel's parameters.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "base/text.hpp"
#include "spec/mistake.hpp"
#include "spec/reader/sections.hpp"

namespace assay::spec {

namespace {

constexpr size_t kMaxRank = 8;
constexpr size_t kMaxArguments = 128;

// What reading an argument needs beside its table.
struct Surroundings {
  const KernelSpec& spec;
  bool check_files;
};

// A type name, possibly with placeholders; a complete one is checked here, the others once values are known.
TemplateText read_type(const Node& value, const std::string& what, bool of_scalar, Mistakes& mistakes) {
  const auto type = mistakes.take(TemplateText::parse(value.text, value.text_place));
  if (!type) return {};
  if (type->placeholders().empty()) {
    std::vector<std::string> known = dtype_names();
    known.emplace_back("bool");
    if (of_scalar) {
      std::erase_if(known, [](const std::string& name) { return name == "i4" || name == "u4"; });
    } else {
      known.insert(known.end(), {"c64", "c128"});
    }
    expect_one_of(value.text, known, value.place, what, mistakes);
  }
  return *type;
}

// The parameters of a fill that is a table; `kind` is its name.
void read_fill_parameters(TableReader& table, const Surroundings& around, FillSpec& fill) {
  const std::map<FillKind, std::vector<std::string>> parameters{{FillKind::normal, {"mean", "deviation"}},
                                                                {FillKind::uniform, {"low", "high"}},
                                                                {FillKind::constant, {"value"}},
                                                                {FillKind::offsets, {"total"}},
                                                                {FillKind::sorted, {"low", "high"}},
                                                                {FillKind::sparse, {"density"}},
                                                                {FillKind::file, {"file", "tensor", "offset"}},
                                                                {FillKind::function, {"file"}}};
  const auto own = parameters.find(fill.kind);
  std::vector<std::string> keys = own == parameters.end() ? std::vector<std::string>() : own->second;
  keys.emplace_back("kind");
  table.check_keys(keys);
  fill.mean = table.expression("mean");
  fill.deviation = table.expression("deviation");
  fill.low = table.expression("low");
  fill.high = table.expression("high");
  fill.value = table.expression("value");
  fill.total = table.expression("total");
  fill.density = table.expression("density");
  fill.offset = table.expression("offset");
  fill.tensor = table.text("tensor");
  const auto need = [&](FillKind kind, const char* key, const char* example, bool there) {
    if (fill.kind != kind || there || table.misspelt(key)) return;
    table.mistakes().add(table.node().place,
                         fmt::format("{} has no \"{}\"; expected {} = {}", table.title(), key, key, example));
  };
  need(FillKind::constant, "value", "NUMBER", fill.value.has_value());
  need(FillKind::offsets, "total", "\"EXPRESSION\", the last of them", fill.total.has_value());
  need(FillKind::sparse, "density", "0.1", fill.density.has_value());
  if (fill.kind != FillKind::file && fill.kind != FillKind::function) return;
  const bool function = fill.kind == FillKind::function;
  const Node* const file = table.require("file", Node::Kind::string, function ? "\"inputs.py\"" : "\"x.npy\"");
  if (file == nullptr) return;
  const std::string what = fmt::format("the file of {}", table.title());
  const bool good = function
                        ? check_file(around.spec, *file, what, {".cpp", ".py"}, around.check_files, table.mistakes())
                        : check_path(*file, what, table.mistakes());
  if (good && !function && around.check_files) check_exists(around.spec, *file, what, false, table.mistakes());
  fill.file = file->text;
  fill.file_place = file->place;
  need(FillKind::file, "tensor", "\"NAME\", which one of the file's",
       !file->text.ends_with(".safetensors") || !fill.tensor.empty());
}

// A fill with parameters that cannot be absent is no plain name.
std::string example_of(FillKind kind) {
  switch (kind) {
    case FillKind::constant:
      return "a number, or { kind = \"constant\", value = NUMBER }";
    case FillKind::offsets:
      return "{ kind = \"offsets\", total = \"EXPRESSION\" }";
    case FillKind::sparse:
      return "{ kind = \"sparse\", density = 0.1 }";
    case FillKind::file:
      return "{ kind = \"file\", file = \"x.npy\" }";
    case FillKind::function:
      return "{ kind = \"function\", file = \"inputs.py\" }";
    default:
      return "";
  }
}

FillSpec read_fill(const Node& value, const std::string& title, const Surroundings& around, Mistakes& mistakes) {
  FillSpec fill;
  if (value.kind == Node::Kind::integer || value.kind == Node::Kind::real) {
    fill.kind = FillKind::constant;
    fill.value = read_expression(value, fmt::format("\"fill\" in {}", title), mistakes);
    return fill;
  }
  TableReader table(value, fmt::format("\"fill\" of {}", title), mistakes);
  const bool is_table = value.kind == Node::Kind::table;
  if (!is_table && value.kind != Node::Kind::string) {
    mistakes.add(value.place, fmt::format("\"fill\" in {} is {}; expected a name, a number or a table", title,
                                          kind_name(value.kind)));
    return fill;
  }
  const Node* const kind = is_table ? table.require("kind", Node::Kind::string, "\"uniform\"") : &value;
  if (kind == nullptr) return fill;
  if (!expect_one_of(kind->text, fill_names(), kind->place, fmt::format("\"fill\" in {}", title), mistakes))
    return fill;
  fill.kind = *fill_from_name(kind->text);
  if (is_table) {
    read_fill_parameters(table, around, fill);
  } else if (const std::string example = example_of(fill.kind); !example.empty()) {
    mistakes.add(value.place, fmt::format("\"fill\" in {} is \"{}\" without {}; expected {}", title, kind->text,
                                          fill.kind == FillKind::constant ? "a value" : "its parameters", example));
  }
  return fill;
}

void read_extent(const TableReader& table, TensorSpec& tensor) {
  Mistakes& mistakes = table.mistakes();
  const Node* const shape = table.require("shape", Node::Kind::array, "[\"N\", ...]");
  if (shape != nullptr) {
    tensor.shape = table.expressions("shape");
    if (shape->items.empty() || shape->items.size() > kMaxRank) {
      mistakes.add(shape->place, fmt::format("\"shape\" of {} has {} dimensions; expected 1 to {}", table.title(),
                                             shape->items.size(), kMaxRank));
    }
  }
  const Node* const strides = table.find("strides", Node::Kind::array);
  if (strides == nullptr) return;
  tensor.strides = table.expressions("strides");
  if (shape != nullptr && tensor.strides.size() != tensor.shape.size()) {
    mistakes.add(strides->place, fmt::format("\"strides\" of {} has {} numbers; expected {}, one for each dimension",
                                             table.title(), tensor.strides.size(), tensor.shape.size()));
  }
}

TensorSpec read_tensor(const Node& value, const std::string& title, const Surroundings& around, Mistakes& mistakes) {
  TableReader table(value, title, mistakes);
  table.check_keys({"dtype", "shape", "strides", "fill", "output", "inout", "scratch", "tolerance"});
  TensorSpec tensor;
  if (const Node* const dtype = table.require("dtype", Node::Kind::string, "\"f16\""))
    tensor.dtype = read_type(*dtype, fmt::format("\"dtype\" of {}", title), false, mistakes);
  read_extent(table, tensor);

  int roles = 0;
  for (const auto& [key, role] :
       {std::pair{"output", Role::output}, {"inout", Role::inout}, {"scratch", Role::scratch}}) {
    if (!table.flag(key)) continue;
    if (++roles == 2) {
      mistakes.add(value.find(key)->place, fmt::format("{} is both \"{}\" and \"{}\"; expected one of them", title,
                                                       tensor.role == Role::output ? "output" : "inout", key));
    }
    tensor.role = role;
  }
  const Node* const fill = value.find("fill");
  if (fill != nullptr && !is_filled(tensor.role)) {
    mistakes.add(fill->key_place,
                 fmt::format("{} is {} and has a \"fill\"; {} poisoned before each "
                             "run",
                             title, tensor.role == Role::output ? "an output" : "scratch memory",
                             tensor.role == Role::output ? "outputs are" : "it is"),
                 "a tensor that is read and written is { inout = true }");
  } else if (fill != nullptr) {
    tensor.fill = read_fill(*fill, title, around, mistakes);
  }
  if (const Node* const tolerance = table.find("tolerance", Node::Kind::table)) {
    TableReader pair(*tolerance, fmt::format("\"tolerance\" of {}", title), mistakes);
    pair.check_keys({"atol", "rtol"});
    tensor.tolerance = read_tolerance_pair(pair);
    if (!is_result(tensor.role))
      mistakes.add(tolerance->key_place,
                   fmt::format("{} is not compared; expected a tolerance of outputs only", title));
  }
  return tensor;
}

ScalarSpec read_scalar(const Node& value, const std::string& title, Mistakes& mistakes) {
  TableReader table(value, title, mistakes);
  table.check_keys({"type", "value"});
  ScalarSpec scalar;
  if (const Node* const type = table.require("type", Node::Kind::string, "\"i32\""))
    scalar.type = read_type(*type, fmt::format("\"type\" of {}", title), true, mistakes);
  if (const auto expression = table.expression("value")) {
    scalar.value = *expression;
  } else if (!table.misspelt("value")) {
    mistakes.add(value.place, fmt::format("{} has no \"value\"; expected value = \"EXPRESSION\"", title));
  }
  return scalar;
}

int read_choice(const TableReader& table, std::string_view key, const std::vector<int>& choices) {
  const auto value = table.integer(key);
  if (!value) return choices.front();
  for (const int choice : choices) {
    if (*value == choice) return choice;
  }
  std::vector<std::string> known;
  for (const int choice : choices) known.push_back(std::to_string(choice));
  table.mistakes().add(table.node().find(key)->place, fmt::format("\"{}\" of {} is {}; expected one of {}", key,
                                                                  table.title(), *value, join(known, ", ")));
  return choices.front();
}

Im2colSpec read_im2col(const Node& value, const std::string& title, Mistakes& mistakes) {
  TableReader table(value, fmt::format("\"im2col\" of {}", title), mistakes);
  table.check_keys({"lower", "upper", "channels", "pixels"});
  Im2colSpec im2col;
  im2col.place = value.place;
  if (table.require("lower", Node::Kind::array, "[-1, -1]") != nullptr) im2col.lower = table.expressions("lower");
  if (table.require("upper", Node::Kind::array, "[-1, -1]") != nullptr) im2col.upper = table.expressions("upper");
  const auto number = [&](std::string_view key) {
    if (value.find(key) == nullptr)
      mistakes.add(value.place,
                   fmt::format("{} has no \"{}\"; expected a number or an expression", table.title(), key));
    return table.expression(key).value_or(Expression::constant(Value(int64_t{1}), value.place));
  };
  im2col.channels = number("channels");
  im2col.pixels = number("pixels");
  return im2col;
}

TensorMapSpec read_tensor_map(const Node& value, const std::string& title, Mistakes& mistakes) {
  TableReader table(value, title, mistakes);
  table.check_keys({"of", "box", "im2col", "element_strides", "swizzle", "interleave", "l2_promotion", "fill"});
  TensorMapSpec map;
  if (const Node* const of = table.require("of", Node::Kind::string, "\"TENSOR\"")) {
    map.of = of->text;
    map.of_place = of->text_place;
  }
  if (const Node* const im2col = table.find("im2col", Node::Kind::table)) {
    map.im2col = read_im2col(*im2col, title, mistakes);
    if (const Node* const box = value.find("box"))
      mistakes.add(box->place, fmt::format("{} has a \"box\" and \"im2col\"; expected one of them", title));
  } else if (value.find("im2col") == nullptr && table.require("box", Node::Kind::array, "[64, 64]") != nullptr) {
    map.box = table.expressions("box");
  }
  map.element_strides = table.expressions("element_strides");
  map.swizzle = read_choice(table, "swizzle", {0, 32, 64, 128});
  map.interleave = read_choice(table, "interleave", {0, 16, 32});
  map.l2_promotion = read_choice(table, "l2_promotion", {0, 64, 128, 256});
  if (const Node* const fill = table.find("fill", Node::Kind::string)) {
    expect_one_of(fill->text, {"zeros", "nan"}, fill->place, fmt::format("\"fill\" of {}", title), mistakes);
    map.out_of_bounds_nan = fill->text == "nan";
  }
  return map;
}

ViewSpec read_view(const Node& value, const std::string& title, Mistakes& mistakes) {
  TableReader table(value, title, mistakes);
  table.check_keys({"of", "offset"});
  ViewSpec view;
  if (const Node* const of = table.require("of", Node::Kind::string, "\"TENSOR\"")) {
    view.of = of->text;
    view.of_place = of->text_place;
  }
  view.offset = table.expression("offset");
  return view;
}

PointersSpec read_pointers(const Node& value, const std::string& title, Mistakes& mistakes) {
  TableReader table(value, title, mistakes);
  table.check_keys({"of", "count", "step"});
  PointersSpec pointers;
  const Node* const of = value.find("of");
  const bool one = of != nullptr && of->kind == Node::Kind::string;
  if (one) {
    pointers.of = {of->text};
    pointers.of_places = {of->text_place};
  } else if (table.require("of", Node::Kind::array, "[\"TENSOR\", ...], or \"TENSOR\" with count and step") !=
             nullptr) {
    for (const Node* const item : table.texts("of")) {
      pointers.of.push_back(item->text);
      pointers.of_places.push_back(item->text_place);
    }
    if (of->items.empty()) mistakes.add(of->place, fmt::format("\"of\" of {} is empty; expected tensors", title));
  }
  pointers.count = table.expression("count");
  pointers.step = table.expression("step");
  if (one != pointers.count.has_value() || one != pointers.step.has_value()) {
    mistakes.add(value.place,
                 fmt::format("{} expects \"count\" and \"step\" with one tensor, and neither with a list", title));
  }
  return pointers;
}

// struct = "NAME", or { name = "NAME", at = OFFSET, bytes = SIZE } where C++ would lay it out otherwise.
void read_structure(const TableReader& table, ArgumentSpec& argument) {
  constexpr int64_t kMost = 32764;  // bytes of a kernel's parameters
  Mistakes& mistakes = table.mistakes();
  const Node* const value = table.node().find("struct");
  if (value == nullptr) return;
  const Node* name = value;
  if (value->kind == Node::Kind::table) {
    TableReader structure(*value, fmt::format("\"struct\" of {}", table.title()), mistakes);
    structure.check_keys({"name", "at", "bytes"});
    name = structure.require("name", Node::Kind::string, "\"PARAMETER\"");
    argument.at = structure.integer("at");
    argument.structure_bytes = structure.integer("bytes");
    for (const char* key : {"at", "bytes"}) {
      const auto number = structure.integer(key);
      if (number && (*number < 0 || *number > kMost))
        mistakes.add(value->find(key)->place,
                     fmt::format("\"{}\" in {} is {}; expected 0 to {}", key, structure.title(), *number, kMost));
    }
  } else if (!expect_kind(*value, Node::Kind::string, fmt::format("\"struct\" of {}", table.title()), mistakes)) {
    return;
  }
  if (name == nullptr) return;
  if (!is_identifier(name->text)) {
    mistakes.add(name->place, fmt::format("\"struct\" of {} is \"{}\"; expected the name of the kernel's parameter",
                                          table.title(), name->text));
  }
  argument.structure = name->text;
}

// "struct", "global" and "passed": how the argument reaches the kernel.
void read_place_among_parameters(const TableReader& table, ArgumentSpec& argument) {
  Mistakes& mistakes = table.mistakes();
  read_structure(table, argument);
  if (const Node* const global = table.find("global", Node::Kind::string)) {
    argument.global = global->text;
    argument.global_place = global->text_place;
    argument.passed = false;
    if (argument.tensor() == nullptr && argument.scalar() == nullptr)
      mistakes.add(global->place,
                   fmt::format("{} is a variable of the module; expected a tensor or a scalar", table.title()));
    if (!argument.structure.empty())
      mistakes.add(global->place, fmt::format("{} is a variable of the module; expected no \"struct\"", table.title()));
  }
  const Node* const passed = table.find("passed", Node::Kind::boolean);
  if (passed == nullptr || passed->boolean) return;
  if (argument.tensor() == nullptr || !argument.structure.empty()) {
    mistakes.add(passed->place,
                 fmt::format("{} is not passed; expected a tensor, which others point into", table.title()));
  }
  argument.passed = false;
}

// What kind of argument it is; false if it is not clear which.
bool read_kind(const TableReader& table, const Surroundings& around, ArgumentSpec& argument) {
  Mistakes& mistakes = table.mistakes();
  int kinds = 0;
  for (const char* key : {"tensor", "scalar", "tensormap", "view", "pointers", "texture", "surface"}) {
    kinds += table.node().find(key) != nullptr;
    if (table.misspelt(key)) return false;
  }
  if (kinds != 1) {
    mistakes.add(table.node().place, fmt::format("{} has {}; expected exactly one of tensor, scalar, "
                                                 "tensormap, texture, surface, view and pointers",
                                                 table.title(), kinds == 0 ? "no kind" : "several kinds"));
    return false;
  }
  if (const Node* const tensor = table.find("tensor", Node::Kind::table)) {
    argument.kind = read_tensor(*tensor, table.title(), around, mistakes);
  } else if (const Node* const scalar = table.find("scalar", Node::Kind::table)) {
    argument.kind = read_scalar(*scalar, table.title(), mistakes);
  } else if (const Node* const map = table.find("tensormap", Node::Kind::table)) {
    argument.kind = read_tensor_map(*map, table.title(), mistakes);
  } else if (const Node* const view = table.find("view", Node::Kind::table)) {
    argument.kind = read_view(*view, table.title(), mistakes);
  } else if (const Node* const pointers = table.find("pointers", Node::Kind::table)) {
    argument.kind = read_pointers(*pointers, table.title(), mistakes);
  } else if (const Node* const texture = table.find("texture", Node::Kind::table)) {
    argument.kind = read_texture(*texture, table.title(), false, mistakes);
  } else if (const Node* const surface = table.find("surface", Node::Kind::table)) {
    argument.kind = read_texture(*surface, table.title(), true, mistakes);
  } else {
    return false;
  }
  return true;
}

// Nothing if it has no name or no kind.
std::optional<ArgumentSpec> read_argument(const Node& value, const Surroundings& around, Mistakes& mistakes) {
  if (!expect_kind(value, Node::Kind::table, "an item of \"argument\"", mistakes)) return std::nullopt;
  const Node* const name = value.find("name");
  const bool named = name != nullptr && name->kind == Node::Kind::string;
  TableReader table(value, named ? fmt::format("argument \"{}\"", name->text) : "[[argument]]", mistakes);
  table.check_keys({"name", "tensor", "scalar", "tensormap", "view", "pointers", "texture", "surface", "struct",
                    "global", "passed"});
  table.require("name", Node::Kind::string, "\"NAME\"");
  if (named && !is_identifier(name->text)) {
    mistakes.add(name->place, fmt::format("\"{}\" cannot name an argument; expected at most 64 letters, digits and "
                                          "underscores, no digit first",
                                          name->text));
  }
  ArgumentSpec argument;
  argument.name = named ? name->text : "";
  argument.place = named ? name->place : value.place;
  const bool has_kind = read_kind(table, around, argument);
  if (has_kind) read_place_among_parameters(table, argument);
  return named && has_kind ? std::optional(argument) : std::nullopt;
}

// The fields of a structure follow each other.
void check_structures(const KernelSpec& spec, Mistakes& mistakes) {
  std::set<std::string> closed;
  std::string open;
  for (const ArgumentSpec& argument : spec.arguments) {
    if (!argument.passed || argument.structure == open) continue;
    if (!open.empty()) closed.insert(open);
    open = argument.structure;
    if (!closed.contains(open)) continue;
    mistakes.add(argument.place,
                 fmt::format("argument \"{}\" belongs to the structure \"{}\", which ended before; expected its fields "
                             "to follow each other",
                             argument.name, open));
  }
}

// The tensor argument of that name, which `argument` is made of.
const ArgumentSpec* expect_tensor(const KernelSpec& spec, const ArgumentSpec& argument, std::string_view verb,
                                  const std::string& name, const Place& place, Mistakes& mistakes) {
  const ArgumentSpec* const target = spec.find_argument(name);
  if (target != nullptr && target->tensor() != nullptr) return target;
  std::vector<std::string> tensors;
  for (const ArgumentSpec& other : spec.arguments) {
    if (other.tensor() != nullptr) tensors.push_back(other.name);
  }
  mistakes.add(place, fmt::format("argument \"{}\" {} \"{}\", which is no tensor argument", argument.name, verb, name),
               suggestion(name, tensors, "tensors"));
  return nullptr;
}

// A variable of the module has no address that the host could pass on.
void check_pointer(const KernelSpec& spec, const ArgumentSpec& argument, const std::string& name, const Place& place,
                   Mistakes& mistakes) {
  const ArgumentSpec* const target = expect_tensor(spec, argument, "points into", name, place, mistakes);
  if (target != nullptr && !target->global.empty())
    mistakes.add(place, fmt::format("argument \"{}\" points into \"{}\", which is a variable of the module; expected a "
                                    "tensor in memory of its own",
                                    argument.name, name));
}

// Corners bound all dimensions but the first, the images, and the last, the channels.
void check_im2col(const TensorMapSpec& map, const ArgumentSpec& argument, size_t rank, Mistakes& mistakes) {
  const Im2colSpec& im2col = *map.im2col;
  if (im2col.lower.empty() || im2col.upper.empty()) return;  // said already
  if (rank < 3 || rank > 5) {
    mistakes.add(im2col.place, fmt::format("argument \"{}\" maps \"{}\" for im2col, which has {} dimensions; expected "
                                           "3 to 5: images, then rows and columns, then channels",
                                           argument.name, map.of, rank));
  } else if (im2col.lower.size() != rank - 2 || im2col.upper.size() != rank - 2) {
    mistakes.add(im2col.place, fmt::format("argument \"{}\" has a lower corner of {} and an upper one of {} dimensions "
                                           "for \"{}\"; expected {}, all but the first and the last",
                                           argument.name, im2col.lower.size(), im2col.upper.size(), map.of, rank - 2));
  }
  if (!map.element_strides.empty() && map.element_strides.size() != rank)
    mistakes.add(argument.place, fmt::format("argument \"{}\" has {} element strides for \"{}\", which has {} "
                                             "dimensions; expected the same",
                                             argument.name, map.element_strides.size(), map.of, rank));
}

// A tensor map names a tensor of as many dimensions as it has.
void check_tensor_map(const KernelSpec& spec, const ArgumentSpec& argument, Mistakes& mistakes) {
  const TensorMapSpec& map = *argument.tensor_map();
  if (map.of.empty() || (map.box.empty() && !map.im2col)) return;  // said already
  const ArgumentSpec* const target = expect_tensor(spec, argument, "maps", map.of, map.of_place, mistakes);
  if (target == nullptr) return;
  const size_t rank = target->tensor()->shape.size();
  if (rank == 0) return;  // said already
  if (map.im2col) return check_im2col(map, argument, rank, mistakes);
  if (map.box.size() != rank || rank > 5 || (!map.element_strides.empty() && map.element_strides.size() != rank)) {
    mistakes.add(argument.place, fmt::format("argument \"{}\" has a box of {} dimensions and {} element strides for "
                                             "\"{}\", which has {}; expected the same, and at most 5",
                                             argument.name, map.box.size(), map.element_strides.size(), map.of, rank));
  }
}

// A level is an image of its own: an input that no surface is over, because surfaces have another array.
void check_levels(const KernelSpec& spec, const ArgumentSpec& argument, Mistakes& mistakes) {
  const TextureSpec& texture = *argument.texture();
  const auto check = [&](const std::string& level, const Place& place) {
    const ArgumentSpec* const target = expect_tensor(spec, argument, "has the level", level, place, mistakes);
    if (target == nullptr) return;
    const bool written = std::ranges::any_of(spec.arguments, [&](const ArgumentSpec& other) {
      return other.texture() != nullptr && other.texture()->surface && other.texture()->of == level;
    });
    const Role role = target->tensor()->role;
    if (written || role == Role::output || role == Role::scratch || !target->global.empty())
      mistakes.add(place, fmt::format("argument \"{}\" has the level \"{}\"; expected an input of the kernel that no "
                                      "surface is over",
                                      argument.name, level));
  };
  for (size_t i = 0; i < texture.mipmap->levels.size(); ++i)
    check(texture.mipmap->levels[i], texture.mipmap->places[i]);
  const ArgumentSpec* const first = spec.find_argument(texture.of);
  if (first != nullptr && first->tensor() != nullptr) check(texture.of, texture.of_place);
}

// A texture is read, so that its tensor has values; a surface may be written.
void check_texture(const KernelSpec& spec, const ArgumentSpec& argument, Mistakes& mistakes) {
  const TextureSpec& texture = *argument.texture();
  if (texture.of.empty()) return;  // said already
  if (texture.mipmap) check_levels(spec, argument, mistakes);
  const ArgumentSpec* const target = expect_tensor(spec, argument, "is over", texture.of, texture.of_place, mistakes);
  if (target == nullptr) return;
  if (!target->global.empty())
    mistakes.add(texture.of_place, fmt::format("argument \"{}\" is over \"{}\", which is a variable of the module; "
                                               "expected a tensor in memory of its own",
                                               argument.name, texture.of));
  if (target->tensor()->role != Role::output || texture.surface || texture.mipmap) return;
  const bool written = std::ranges::any_of(spec.arguments, [&](const ArgumentSpec& other) {
    return other.texture() != nullptr && other.texture()->surface && other.texture()->of == texture.of;
  });
  if (!written)
    mistakes.add(texture.of_place,
                 fmt::format("argument \"{}\" reads \"{}\", which is an output that nothing is in yet; expected an "
                             "input, or a surface over the same tensor",
                             argument.name, texture.of));
}

// Tensor maps name tensors; something must come out.
void check_together(const KernelSpec& spec, const Place& place, Mistakes& mistakes) {
  bool has_output = false;
  for (const ArgumentSpec& argument : spec.arguments) {
    if (const TensorSpec* tensor = argument.tensor()) has_output = has_output || is_result(tensor->role);
    if (argument.tensor_map() != nullptr) check_tensor_map(spec, argument, mistakes);
    if (argument.texture() != nullptr) check_texture(spec, argument, mistakes);
    if (const ViewSpec* view = argument.view(); view != nullptr && !view->of.empty())
      check_pointer(spec, argument, view->of, view->of_place, mistakes);
    if (const PointersSpec* pointers = argument.pointers()) {
      for (size_t i = 0; i < pointers->of.size(); ++i)
        check_pointer(spec, argument, pointers->of[i], pointers->of_places[i], mistakes);
    }
  }
  if (!has_output)
    mistakes.add(place, "no argument is an output; expected a tensor with output = true or inout = true");
}

}  // namespace

void read_arguments(const TableReader& file, bool check_files, KernelSpec& spec) {
  Mistakes& mistakes = file.mistakes();
  const Node* const section = file.require_section("argument", Node::Kind::array);
  if (section == nullptr) return;
  if (section->items.size() > kMaxArguments) {
    mistakes.add(section->key_place,
                 fmt::format("the kernel has {} arguments; expected at most {}", section->items.size(), kMaxArguments));
    return;
  }
  const size_t before = mistakes.count();
  for (const Node& item : section->items) {
    auto argument = read_argument(item, {spec, check_files}, mistakes);
    if (!argument) continue;
    if (const ArgumentSpec* const other = spec.find_argument(argument->name)) {
      mistakes.add(argument->place, fmt::format("two arguments are named \"{}\"; the other one is on line {}",
                                                argument->name, other->place.line));
    }
    spec.arguments.push_back(std::move(*argument));
  }
  check_structures(spec, mistakes);
  if (mistakes.count() == before) check_together(spec, section->key_place, mistakes);
}

}  // namespace assay::spec
