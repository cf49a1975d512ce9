// SPDX-License-Identifier: MIT
// [[argument]]: tensors, scalars and tensor maps, in the order of the kernel's parameters.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "base/text.hpp"
#include "spec/mistake.hpp"
#include "spec/reader/sections.hpp"
#include "spec/reader/table_reader.hpp"

namespace assay::spec {

namespace {

constexpr size_t kMaxRank = 8;
constexpr size_t kMaxArguments = 128;

// A type name, possibly with placeholders; a complete one is checked here, the others once values are known.
Result<TemplateText> read_type(const Node& value, const std::string& what, bool allow_bool) {
  ASSAY_TRY(TemplateText type, TemplateText::parse(value.text, value.text_place));
  if (type.placeholders().empty() && !(allow_bool && value.text == "bool")) {
    std::vector<std::string> known = dtype_names();
    if (allow_bool) known.emplace_back("bool");
    ASSAY_CHECK(expect_one_of(value.text, known, value.place, what));
  }
  return type;
}

Result<FillSpec> read_fill(const Node& value, const std::string& title) {
  FillSpec fill;
  if (value.kind == Node::Kind::integer || value.kind == Node::Kind::real) {
    fill.kind = FillKind::constant;
    ASSAY_TRY(fill.value, read_expression(value, fmt::format("\"fill\" in {}", title)));
    return fill;
  }
  const Node* kind = &value;
  const TableReader table(value, fmt::format("\"fill\" of {}", title));
  if (value.kind == Node::Kind::table) {
    ASSAY_CHECK(table.check_keys({"kind", "mean", "deviation", "low", "high", "value"}));
    ASSAY_TRY(kind, table.require("kind", Node::Kind::string, "\"uniform\""));
  }
  if (kind->kind != Node::Kind::string) {
    return mistake(value.place, fmt::format("\"fill\" in {} is {}; expected a name, a number or a table", title,
                                            kind_name(value.kind)));
  }
  ASSAY_CHECK(expect_one_of(kind->text, fill_names(), kind->place, fmt::format("\"fill\" in {}", title)));
  fill.kind = *fill_from_name(kind->text);
  if (kind == &value) {
    if (fill.kind != FillKind::constant) return fill;
    return mistake(value.place, fmt::format("\"fill\" in {} is \"constant\" without a value; expected a number, or "
                                            "{{ kind = \"constant\", value = NUMBER }}",
                                            title));
  }

  const std::map<FillKind, std::vector<std::string>> parameters{{FillKind::normal, {"kind", "mean", "deviation"}},
                                                                {FillKind::uniform, {"kind", "low", "high"}},
                                                                {FillKind::constant, {"kind", "value"}}};
  const auto own = parameters.find(fill.kind);
  ASSAY_CHECK(table.check_keys(own == parameters.end() ? std::vector<std::string>{"kind"} : own->second));
  ASSAY_TRY(fill.mean, table.expression("mean"));
  ASSAY_TRY(fill.deviation, table.expression("deviation"));
  ASSAY_TRY(fill.low, table.expression("low"));
  ASSAY_TRY(fill.high, table.expression("high"));
  ASSAY_TRY(fill.value, table.expression("value"));
  if (fill.kind == FillKind::constant && !fill.value) {
    return mistake(value.place, fmt::format("{} has no \"value\"; expected value = NUMBER", table.title()));
  }
  return fill;
}

Result<TensorSpec> read_tensor(const Node& value, const std::string& title) {
  const TableReader table(value, title);
  ASSAY_CHECK(table.check_keys({"dtype", "shape", "strides", "fill", "output", "inout"}));
  TensorSpec tensor;
  ASSAY_TRY(const Node* const dtype, table.require("dtype", Node::Kind::string, "\"f16\""));
  ASSAY_TRY(tensor.dtype, read_type(*dtype, fmt::format("\"dtype\" of {}", title), false));

  ASSAY_TRY(const Node* const shape, table.require("shape", Node::Kind::array, "[\"N\", ...]"));
  ASSAY_TRY(tensor.shape, table.expressions("shape"));
  if (tensor.shape.empty() || tensor.shape.size() > kMaxRank) {
    return mistake(shape->place, fmt::format("\"shape\" of {} has {} dimensions; expected 1 to {}", title,
                                             tensor.shape.size(), kMaxRank));
  }
  ASSAY_TRY(tensor.strides, table.expressions("strides"));
  if (const Node* const strides = value.find("strides");
      strides != nullptr && tensor.strides.size() != tensor.shape.size()) {
    return mistake(strides->place, fmt::format("\"strides\" of {} has {} numbers; expected {}, one for each dimension",
                                               title, tensor.strides.size(), tensor.shape.size()));
  }

  ASSAY_TRY(const bool output, table.flag("output"));
  ASSAY_TRY(const bool inout, table.flag("inout"));
  if (output && inout) {
    return mistake(value.find("inout")->place,
                   fmt::format("{} is both \"output\" and \"inout\"; expected one of them", title));
  }
  tensor.role = output ? Role::output : inout ? Role::inout : Role::input;

  if (const Node* const fill = value.find("fill")) {
    if (output) {
      return mistake(fill->key_place,
                     fmt::format("{} is an output and has a \"fill\"; outputs are poisoned before each "
                                 "run",
                                 title),
                     "a tensor that is read and written is { inout = true }");
    }
    ASSAY_TRY(tensor.fill, read_fill(*fill, title));
  }
  return tensor;
}

Result<ScalarSpec> read_scalar(const Node& value, const std::string& title) {
  const TableReader table(value, title);
  ASSAY_CHECK(table.check_keys({"type", "value"}));
  ScalarSpec scalar;
  ASSAY_TRY(const Node* const type, table.require("type", Node::Kind::string, "\"i32\""));
  ASSAY_TRY(scalar.type, read_type(*type, fmt::format("\"type\" of {}", title), true));
  ASSAY_TRY(auto expression, table.expression("value"));
  if (!expression)
    return mistake(value.place, fmt::format("{} has no \"value\"; expected value = \"EXPRESSION\"", title));
  scalar.value = std::move(*expression);
  return scalar;
}

Result<int> read_choice(const TableReader& table, std::string_view key, const std::vector<int>& choices) {
  ASSAY_TRY(const auto value, table.integer(key));
  if (!value) return choices.front();
  for (const int choice : choices) {
    if (*value == choice) return choice;
  }
  std::vector<std::string> known;
  for (const int choice : choices) known.push_back(std::to_string(choice));
  return mistake(table.node().find(key)->place,
                 fmt::format("\"{}\" of {} is {}; expected one of {}", key, table.title(), *value, join(known, ", ")));
}

Result<TensorMapSpec> read_tensor_map(const Node& value, const std::string& title) {
  const TableReader table(value, title);
  ASSAY_CHECK(table.check_keys({"of", "box", "element_strides", "swizzle", "interleave", "l2_promotion", "fill"}));
  TensorMapSpec map;
  ASSAY_TRY(const Node* const of, table.require("of", Node::Kind::string, "\"TENSOR\""));
  map.of = of->text;
  map.of_place = of->text_place;
  ASSAY_TRY([[maybe_unused]] const Node* const box, table.require("box", Node::Kind::array, "[64, 64]"));
  ASSAY_TRY(map.box, table.expressions("box"));
  ASSAY_TRY(map.element_strides, table.expressions("element_strides"));
  ASSAY_TRY(map.swizzle, read_choice(table, "swizzle", {0, 32, 64, 128}));
  ASSAY_TRY(map.interleave, read_choice(table, "interleave", {0, 16, 32}));
  ASSAY_TRY(map.l2_promotion, read_choice(table, "l2_promotion", {0, 64, 128, 256}));
  ASSAY_TRY(const std::string fill, table.text("fill", "zeros"));
  if (const Node* const node = value.find("fill")) {
    ASSAY_CHECK(expect_one_of(fill, {"zeros", "nan"}, node->place, fmt::format("\"fill\" of {}", title)));
  }
  map.out_of_bounds_nan = fill == "nan";
  return map;
}

// "struct" and "passed": how the argument reaches the kernel.
Result<void> read_place_among_parameters(const TableReader& table, ArgumentSpec& argument) {
  ASSAY_TRY(const Node* const structure, table.find("struct", Node::Kind::string));
  ASSAY_TRY(const Node* const passed, table.find("passed", Node::Kind::boolean));
  if (structure != nullptr) {
    if (!is_identifier(structure->text)) {
      return mistake(structure->place,
                     fmt::format("\"struct\" of {} is \"{}\"; expected the name of the kernel's parameter",
                                 table.title(), structure->text));
    }
    argument.structure = structure->text;
  }
  if (passed == nullptr || passed->boolean) return {};
  if (argument.tensor() == nullptr || structure != nullptr) {
    return mistake(passed->place,
                   fmt::format("{} is not passed; expected a tensor, which a tensormap is made of", table.title()));
  }
  argument.passed = false;
  return {};
}

Result<ArgumentSpec> read_argument(const Node& value) {
  ASSAY_CHECK(expect_kind(value, Node::Kind::table, "an item of \"argument\""));
  const TableReader unnamed(value, "[[argument]]");
  ASSAY_CHECK(unnamed.check_keys({"name", "tensor", "scalar", "tensormap", "struct", "passed"}));
  ASSAY_TRY(const Node* const name, unnamed.require("name", Node::Kind::string, "\"NAME\""));
  if (!is_identifier(name->text)) {
    return mistake(name->place, fmt::format("\"{}\" cannot name an argument; expected at most 64 letters, digits and "
                                            "underscores, no digit first",
                                            name->text));
  }
  ArgumentSpec argument;
  argument.name = name->text;
  argument.place = name->place;

  const TableReader table(value, fmt::format("argument \"{}\"", name->text));
  ASSAY_TRY(const Node* const tensor, table.find("tensor", Node::Kind::table));
  ASSAY_TRY(const Node* const scalar, table.find("scalar", Node::Kind::table));
  ASSAY_TRY(const Node* const map, table.find("tensormap", Node::Kind::table));
  const int kinds = (tensor != nullptr) + (scalar != nullptr) + (map != nullptr);
  if (kinds != 1) {
    return mistake(value.place, fmt::format("{} has {}; expected exactly one of tensor, scalar and tensormap",
                                            table.title(), kinds == 0 ? "no kind" : "several kinds"));
  }
  if (tensor != nullptr) {
    ASSAY_TRY(argument.kind, read_tensor(*tensor, table.title()));
  } else if (scalar != nullptr) {
    ASSAY_TRY(argument.kind, read_scalar(*scalar, table.title()));
  } else {
    ASSAY_TRY(argument.kind, read_tensor_map(*map, table.title()));
  }
  ASSAY_CHECK(read_place_among_parameters(table, argument));
  return argument;
}

// The fields of a structure follow each other.
Result<void> check_structures(const KernelSpec& spec) {
  std::set<std::string> closed;
  std::string open;
  for (const ArgumentSpec& argument : spec.arguments) {
    if (!argument.passed || argument.structure == open) continue;
    if (!open.empty()) closed.insert(open);
    open = argument.structure;
    if (!closed.contains(open)) continue;
    return mistake(
        argument.place,
        fmt::format("argument \"{}\" belongs to the structure \"{}\", which ended before; expected its fields "
                    "to follow each other",
                    argument.name, open));
  }
  return {};
}

// Tensor maps name tensors; something must come out.
Result<void> check_together(const KernelSpec& spec, const Place& place) {
  bool has_output = false;
  for (const ArgumentSpec& argument : spec.arguments) {
    if (const TensorSpec* tensor = argument.tensor()) has_output = has_output || tensor->role != Role::input;
    const TensorMapSpec* map = argument.tensor_map();
    if (map == nullptr) continue;
    const ArgumentSpec* target = spec.find_argument(map->of);
    if (target == nullptr || target->tensor() == nullptr) {
      std::vector<std::string> tensors;
      for (const ArgumentSpec& other : spec.arguments) {
        if (other.tensor() != nullptr) tensors.push_back(other.name);
      }
      return mistake(map->of_place,
                     fmt::format("argument \"{}\" maps \"{}\", which is no tensor argument", argument.name, map->of),
                     suggestion(map->of, tensors, "tensors"));
    }
    const size_t rank = target->tensor()->shape.size();
    if (map->box.size() != rank || rank > 5 || (!map->element_strides.empty() && map->element_strides.size() != rank)) {
      return mistake(argument.place,
                     fmt::format("argument \"{}\" has a box of {} dimensions and {} element strides for "
                                 "\"{}\", which has {}; expected the same, and at most 5",
                                 argument.name, map->box.size(), map->element_strides.size(), map->of, rank));
    }
  }
  if (has_output) return {};
  return mistake(place, "no argument is an output; expected a tensor with output = true or inout = true");
}

}  // namespace

Result<void> read_arguments(const Node& root, KernelSpec& spec) {
  ASSAY_TRY(const Node* const section, require_section(root, "argument", Node::Kind::array));
  if (section->items.size() > kMaxArguments) {
    return mistake(section->key_place, fmt::format("the kernel has {} arguments; expected at most {}",
                                                   section->items.size(), kMaxArguments));
  }
  for (const Node& item : section->items) {
    ASSAY_TRY(ArgumentSpec argument, read_argument(item));
    if (const ArgumentSpec* const other = spec.find_argument(argument.name)) {
      return mistake(argument.place, fmt::format("two arguments are named \"{}\"; the other one is on line {}",
                                                 argument.name, other->place.line));
    }
    spec.arguments.push_back(std::move(argument));
  }
  ASSAY_CHECK(check_structures(spec));
  return check_together(spec, section->key_place);
}

}  // namespace assay::spec
