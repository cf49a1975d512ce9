// SPDX-License-Identifier: MIT
#include "formats/torch_inputs.hpp"

#include <array>
#include <fmt/format.h>

#include "base/text.hpp"

namespace assay::formats {
namespace {

using Kind = PythonNode::Kind;

constexpr std::array kTorchTypes = {
    std::pair{"torch.float64", "f64"},      std::pair{"torch.double", "f64"},
    std::pair{"torch.float32", "f32"},      std::pair{"torch.float", "f32"},
    std::pair{"torch.float16", "f16"},      std::pair{"torch.half", "f16"},
    std::pair{"torch.bfloat16", "bf16"},    std::pair{"torch.int64", "i64"},
    std::pair{"torch.long", "i64"},         std::pair{"torch.int32", "i32"},
    std::pair{"torch.int", "i32"},          std::pair{"torch.int16", "i16"},
    std::pair{"torch.int8", "i8"},          std::pair{"torch.uint8", "u8"},
    std::pair{"torch.bool", "bool"},        std::pair{"torch.float8_e4m3fn", "e4m3"},
    std::pair{"torch.float8_e5m2", "e5m2"},
};

// A call that makes a tensor, under methods and arithmetic; `changed` says whether there were any that change values.
const PythonNode* maker_of(const PythonNode& node, bool& changed, std::string& dtype) {
  const PythonNode* at = &node;
  for (int step = 0; step < 50; ++step) {
    if (at->is(Kind::binary) || at->is(Kind::unary)) {
      changed = true;
      const PythonNode* inner = nullptr;
      for (const PythonNode& part : at->parts) {
        if (inner == nullptr && (part.is(Kind::call) || part.is(Kind::binary) || part.is(Kind::unary))) inner = &part;
      }
      if (inner == nullptr) return nullptr;
      at = inner;
    } else if (at->is(Kind::call) && at->word.starts_with('.') && !at->parts.empty()) {
      if (at->word == ".half") dtype = "f16";
      if (at->word == ".bfloat16") dtype = "bf16";
      if (at->word == ".to" || at->word == ".type") {
        for (size_t i = 1; i < at->parts.size(); ++i) {
          const std::string named = at->parts[i].is(Kind::name) ? dtype_from_torch(at->parts[i].word) : "";
          if (!named.empty()) dtype = named;
        }
      }
      const bool harmless = at->word == ".cuda" || at->word == ".to" || at->word == ".half" ||
                            at->word == ".bfloat16" || at->word == ".contiguous" || at->word == ".float" ||
                            at->word == ".type";
      changed = changed || !harmless;
      at = &at->parts[0];
    } else {
      return at->is(Kind::call) && at->word.starts_with("torch.") ? at : nullptr;
    }
  }
  return nullptr;
}

const PythonNode* keyword(const PythonNode& call, const char* name) {
  for (const auto& [key, value] : call.keywords) {
    if (key == name) return &value;
  }
  return nullptr;
}

// The sizes as expressions; a tuple that a name stands for is taken apart.
std::optional<std::vector<std::string>> shape_of(const std::vector<PythonNode>& parts,
                                                 const std::map<std::string, PythonNode>& integers) {
  std::vector<std::string> shape;
  for (const PythonNode& part : parts) {
    const PythonNode* node = part.is(Kind::unary) && part.word == "*" ? &part.parts[0] : &part;
    if (node->is(Kind::name)) {
      const auto bound = integers.find(node->word);
      if (bound != integers.end() && bound->second.is(Kind::list)) node = &bound->second;
    }
    if (node->is(Kind::list)) {
      for (const PythonNode& each : node->parts) {
        const auto expression = to_expression(each);
        if (!expression) return std::nullopt;
        shape.push_back(*expression);
      }
      continue;
    }
    const auto expression = to_expression(*node);
    if (!expression) return std::nullopt;
    shape.push_back(*expression);
  }
  return shape;
}

std::string number_text(const PythonNode& node, const std::map<std::string, PythonNode>& integers) {
  const auto value = python_integer(node, [&](const std::string& name) -> const PythonNode* {
    const auto found = integers.find(name);
    return found == integers.end() ? nullptr : &found->second;
  });
  if (value) return std::to_string(*value);
  return node.is(Kind::real) ? fmt::format("{}", node.real) : "";
}

void read_maker(const PythonNode& call, const std::map<std::string, PythonNode>& integers, TaskTensor& tensor) {
  const std::string& function = call.word;
  size_t first = 0;
  if (function == "torch.rand" || function == "torch.rand_like")
    tensor.fill = "{ kind = \"uniform\", low = 0, high = 1 }";
  if (function == "torch.randn") tensor.fill = "\"normal\"";
  if (function == "torch.zeros") tensor.fill = "\"zeros\"";
  if (function == "torch.ones") tensor.fill = "\"ones\"";
  if (function == "torch.randint") {
    const size_t numbers = call.parts.size() >= 3 ? 2 : 1;
    const std::string low = numbers == 2 ? number_text(call.parts[0], integers) : "0";
    const std::string high = call.parts.size() >= numbers ? number_text(call.parts[numbers - 1], integers) : "";
    if (!low.empty() && !high.empty())
      tensor.fill = fmt::format("{{ kind = \"uniform\", low = {}, high = {} }}", low, high);
    if (tensor.dtype.empty()) tensor.dtype = "i64";
    first = std::min(numbers, call.parts.size());
  }
  if (tensor.fill.empty() && function != "torch.randint") return;  // a function that is not understood
  if (tensor.dtype.empty()) tensor.dtype = "f32";                  // PyTorch's own default
  std::vector<PythonNode> sizes(call.parts.begin() + static_cast<ptrdiff_t>(first), call.parts.end());
  if (const PythonNode* const size = keyword(call, "size")) sizes = {*size};
  if (const auto shape = shape_of(sizes, integers)) tensor.shape = *shape;
}

}  // namespace

std::string dtype_from_torch(const std::string& name) {
  for (const auto& [theirs, ours] : kTorchTypes) {
    if (name == theirs) return ours;
  }
  return "";
}

std::vector<TaskTensor> torch_inputs(const PythonModule::Returned& returned, const std::vector<std::string>& names,
                                     const std::string& where, std::vector<Lost>& lost) {
  std::vector<TaskTensor> tensors;
  for (size_t i = 0; i < returned.elements.size(); ++i) {
    const auto& [bound, node] = returned.elements[i];
    TaskTensor tensor;
    const bool named = names.size() == returned.elements.size();
    tensor.name = named ? names[i] : !bound.empty() ? bound : fmt::format("input_{}", i);
    const std::string number = number_text(node, returned.integers);
    if (!number.empty() || node.is(Kind::truth)) {
      tensor.scalar = true;
      tensor.dtype = node.is(Kind::real) ? "f32" : node.is(Kind::truth) ? "bool" : "i32";
      tensor.value = node.is(Kind::truth) ? (node.integer != 0 ? "true" : "false") : number;
      tensors.push_back(std::move(tensor));
      continue;
    }
    bool changed = false;
    const PythonNode* const call = maker_of(node, changed, tensor.dtype);
    if (call != nullptr) {
      if (const PythonNode* const dtype = keyword(*call, "dtype"))
        tensor.dtype = dtype->is(Kind::name) ? dtype_from_torch(dtype->word) : "";
      read_maker(*call, returned.integers, tensor);
    }
    const std::string place = where + ": " + tensor.name;
    if (call == nullptr || tensor.shape.empty()) {
      lost.push_back({place, "its text does not tell type and shape: nothing was run to find out"});
      tensor.shape.clear();
    } else if (changed) {
      lost.push_back({place, "its values are changed after they are drawn; kernel.toml draws them as they are first"});
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

std::vector<std::string> parameters_of(std::string_view module_text, const std::string& owner,
                                       const std::string& function) {
  bool inside = owner.empty();
  for (const PythonStatement& statement : python_statements(module_text)) {
    if (!owner.empty() && statement.indent == 0)
      inside = statement.text.starts_with("class " + owner) && statement.text.size() > owner.size() + 6 &&
               std::string_view("(:").find(statement.text[owner.size() + 6]) != std::string_view::npos;
    if (!inside || !statement.text.starts_with("def " + function + "(")) continue;
    const size_t open = statement.text.find('(');
    size_t close = open;
    int depth = 0;
    for (; close < statement.text.size(); ++close) {
      if (statement.text[close] == '(' || statement.text[close] == '[') ++depth;
      if ((statement.text[close] == ')' || statement.text[close] == ']') && --depth == 0) break;
    }
    std::vector<std::string> names;
    depth = 0;
    std::string part;
    for (const char c : statement.text.substr(open + 1, close - open - 1) + ",") {
      if (c == '(' || c == '[') ++depth;
      if (c == ')' || c == ']') --depth;
      if (c != ',' || depth > 0) {
        part += c;
        continue;
      }
      const std::string name(trim(std::string_view(part).substr(0, part.find_first_of(":="))));
      if (!name.empty() && name != "self" && !name.starts_with('*')) names.push_back(name);
      part.clear();
    }
    return names;
  }
  return {};
}

}  // namespace assay::formats
