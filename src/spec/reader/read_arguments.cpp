// SPDX-License-Identifier: MIT
// [[argument]]: tensors, scalars and tensor maps, in the order of the kernel's parameters.
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

// A type name, possibly with placeholders; a complete one is checked here, the others once values are known.
TemplateText read_type(const Node& value, const std::string& what, bool allow_bool, Mistakes& mistakes) {
  const auto type = mistakes.take(TemplateText::parse(value.text, value.text_place));
  if (!type) return {};
  if (type->placeholders().empty() && !(allow_bool && value.text == "bool")) {
    std::vector<std::string> known = dtype_names();
    if (allow_bool) known.emplace_back("bool");
    expect_one_of(value.text, known, value.place, what, mistakes);
  }
  return *type;
}

// The parameters of a fill that is a table; `kind` is its name.
void read_fill_parameters(TableReader& table, FillSpec& fill) {
  const std::map<FillKind, std::vector<std::string>> parameters{{FillKind::normal, {"kind", "mean", "deviation"}},
                                                                {FillKind::uniform, {"kind", "low", "high"}},
                                                                {FillKind::constant, {"kind", "value"}}};
  const auto own = parameters.find(fill.kind);
  table.check_keys(own == parameters.end() ? std::vector<std::string>{"kind"} : own->second);
  fill.mean = table.expression("mean");
  fill.deviation = table.expression("deviation");
  fill.low = table.expression("low");
  fill.high = table.expression("high");
  fill.value = table.expression("value");
  if (fill.kind == FillKind::constant && !fill.value && !table.misspelt("value")) {
    table.mistakes().add(table.node().place,
                         fmt::format("{} has no \"value\"; expected value = NUMBER", table.title()));
  }
}

FillSpec read_fill(const Node& value, const std::string& title, Mistakes& mistakes) {
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
    read_fill_parameters(table, fill);
  } else if (fill.kind == FillKind::constant) {
    mistakes.add(value.place, fmt::format("\"fill\" in {} is \"constant\" without a value; expected a number, or "
                                          "{{ kind = \"constant\", value = NUMBER }}",
                                          title));
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

TensorSpec read_tensor(const Node& value, const std::string& title, Mistakes& mistakes) {
  TableReader table(value, title, mistakes);
  table.check_keys({"dtype", "shape", "strides", "fill", "output", "inout"});
  TensorSpec tensor;
  if (const Node* const dtype = table.require("dtype", Node::Kind::string, "\"f16\""))
    tensor.dtype = read_type(*dtype, fmt::format("\"dtype\" of {}", title), false, mistakes);
  read_extent(table, tensor);

  const bool output = table.flag("output");
  const bool inout = table.flag("inout");
  if (output && inout) {
    mistakes.add(value.find("inout")->place,
                 fmt::format("{} is both \"output\" and \"inout\"; expected one of them", title));
  }
  tensor.role = output ? Role::output : inout ? Role::inout : Role::input;

  const Node* const fill = value.find("fill");
  if (fill != nullptr && output) {
    mistakes.add(fill->key_place,
                 fmt::format("{} is an output and has a \"fill\"; outputs are poisoned before each "
                             "run",
                             title),
                 "a tensor that is read and written is { inout = true }");
  } else if (fill != nullptr) {
    tensor.fill = read_fill(*fill, title, mistakes);
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

TensorMapSpec read_tensor_map(const Node& value, const std::string& title, Mistakes& mistakes) {
  TableReader table(value, title, mistakes);
  table.check_keys({"of", "box", "element_strides", "swizzle", "interleave", "l2_promotion", "fill"});
  TensorMapSpec map;
  if (const Node* const of = table.require("of", Node::Kind::string, "\"TENSOR\"")) {
    map.of = of->text;
    map.of_place = of->text_place;
  }
  if (table.require("box", Node::Kind::array, "[64, 64]") != nullptr) map.box = table.expressions("box");
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

// "struct" and "passed": how the argument reaches the kernel.
void read_place_among_parameters(const TableReader& table, ArgumentSpec& argument) {
  const Node* const structure = table.find("struct", Node::Kind::string);
  const Node* const passed = table.find("passed", Node::Kind::boolean);
  if (structure != nullptr) {
    if (!is_identifier(structure->text)) {
      table.mistakes().add(structure->place,
                           fmt::format("\"struct\" of {} is \"{}\"; expected the name of the kernel's parameter",
                                       table.title(), structure->text));
    }
    argument.structure = structure->text;
  }
  if (passed == nullptr || passed->boolean) return;
  if (argument.tensor() == nullptr || structure != nullptr) {
    table.mistakes().add(
        passed->place, fmt::format("{} is not passed; expected a tensor, which a tensormap is made of", table.title()));
  }
  argument.passed = false;
}

// The tensor, scalar or tensor map; false if it is not clear which.
bool read_kind(const TableReader& table, ArgumentSpec& argument) {
  Mistakes& mistakes = table.mistakes();
  int kinds = 0;
  for (const char* key : {"tensor", "scalar", "tensormap"}) {
    kinds += table.node().find(key) != nullptr;
    if (table.misspelt(key)) return false;
  }
  if (kinds != 1) {
    mistakes.add(table.node().place, fmt::format("{} has {}; expected exactly one of tensor, scalar and tensormap",
                                                 table.title(), kinds == 0 ? "no kind" : "several kinds"));
    return false;
  }
  if (const Node* const tensor = table.find("tensor", Node::Kind::table)) {
    argument.kind = read_tensor(*tensor, table.title(), mistakes);
  } else if (const Node* const scalar = table.find("scalar", Node::Kind::table)) {
    argument.kind = read_scalar(*scalar, table.title(), mistakes);
  } else if (const Node* const map = table.find("tensormap", Node::Kind::table)) {
    argument.kind = read_tensor_map(*map, table.title(), mistakes);
  } else {
    return false;
  }
  return true;
}

// Nothing if it has no name or no kind.
std::optional<ArgumentSpec> read_argument(const Node& value, Mistakes& mistakes) {
  if (!expect_kind(value, Node::Kind::table, "an item of \"argument\"", mistakes)) return std::nullopt;
  const Node* const name = value.find("name");
  const bool named = name != nullptr && name->kind == Node::Kind::string;
  TableReader table(value, named ? fmt::format("argument \"{}\"", name->text) : "[[argument]]", mistakes);
  table.check_keys({"name", "tensor", "scalar", "tensormap", "struct", "passed"});
  table.require("name", Node::Kind::string, "\"NAME\"");
  if (named && !is_identifier(name->text)) {
    mistakes.add(name->place, fmt::format("\"{}\" cannot name an argument; expected at most 64 letters, digits and "
                                          "underscores, no digit first",
                                          name->text));
  }
  ArgumentSpec argument;
  argument.name = named ? name->text : "";
  argument.place = named ? name->place : value.place;
  const bool has_kind = read_kind(table, argument);
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

// A tensor map names a tensor of as many dimensions as it has.
void check_tensor_map(const KernelSpec& spec, const ArgumentSpec& argument, Mistakes& mistakes) {
  const TensorMapSpec& map = *argument.tensor_map();
  if (map.of.empty() || map.box.empty()) return;  // said already
  const ArgumentSpec* const target = spec.find_argument(map.of);
  if (target == nullptr || target->tensor() == nullptr) {
    std::vector<std::string> tensors;
    for (const ArgumentSpec& other : spec.arguments) {
      if (other.tensor() != nullptr) tensors.push_back(other.name);
    }
    mistakes.add(map.of_place,
                 fmt::format("argument \"{}\" maps \"{}\", which is no tensor argument", argument.name, map.of),
                 suggestion(map.of, tensors, "tensors"));
    return;
  }
  const size_t rank = target->tensor()->shape.size();
  if (rank == 0) return;  // said already
  if (map.box.size() != rank || rank > 5 || (!map.element_strides.empty() && map.element_strides.size() != rank)) {
    mistakes.add(argument.place, fmt::format("argument \"{}\" has a box of {} dimensions and {} element strides for "
                                             "\"{}\", which has {}; expected the same, and at most 5",
                                             argument.name, map.box.size(), map.element_strides.size(), map.of, rank));
  }
}

// Tensor maps name tensors; something must come out.
void check_together(const KernelSpec& spec, const Place& place, Mistakes& mistakes) {
  bool has_output = false;
  for (const ArgumentSpec& argument : spec.arguments) {
    if (const TensorSpec* tensor = argument.tensor()) has_output = has_output || tensor->role != Role::input;
    if (argument.tensor_map() != nullptr) check_tensor_map(spec, argument, mistakes);
  }
  if (!has_output)
    mistakes.add(place, "no argument is an output; expected a tensor with output = true or inout = true");
}

}  // namespace

void read_arguments(const TableReader& file, KernelSpec& spec) {
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
    auto argument = read_argument(item, mistakes);
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
