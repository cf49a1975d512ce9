// SPDX-License-Identifier: MIT
#include "work/new_text.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "work/new_guess.hpp"

namespace assay::work {
namespace {

using build::KernelSignature;
using build::SignatureParameter;
using build::SignatureValue;

// What files are called is up to whoever made them. JSON's strings are TOML's.
std::string toml_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string toml_list(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ", ") + toml_text(item);
  return "[" + text + "]";
}

// An argument's line of a number: what it may be, and whether somebody has to say.
std::string scalar_line(const SignatureValue& value, const Guess& guess) {
  const std::string low = lower(value.name);
  if (value.dtype == "bool")
    return fmt::format("scalar = {{ type = \"bool\", value = false }}   # open: which value has {}?\n", value.name);
  if (is_integer(value)) {
    if (const std::string dimension = guess.dimension_of(value); !dimension.empty())
      return fmt::format("scalar = {{ type = \"{}\", value = \"{}\" }}\n", value.dtype, dimension);
    if (const std::string stride = guess.found_stride(value); !stride.empty())
      return fmt::format("scalar = {{ type = \"{}\", value = \"{}\" }}   # guessed: see [let]\n", value.dtype, stride);
    if (names_a_stride(value.name) && guess.has_windows())
      return fmt::format("scalar = {{ type = \"{}\", value = 1 }}   # guessed: from one window to the next\n",
                         value.dtype);
    if (const std::string stride = names_a_stride(value.name) ? guess.row_stride(low) : ""; !stride.empty())
      return fmt::format("scalar = {{ type = \"{}\", value = \"{}\" }}   # guessed: rows without a gap\n", value.dtype,
                         stride);
    if (has_part(low, {"seed"}))
      return fmt::format("scalar = {{ type = \"{}\", value = 42 }}   # guessed\n", value.dtype);
    return fmt::format("scalar = {{ type = \"{}\", value = 1 }}   # open: which value has {}?\n", value.dtype,
                       value.name);
  }
  const char* const usual = low.find("eps") != std::string::npos ? "1e-5" : low == "beta" ? "0" : "1";
  return fmt::format("scalar = {{ type = \"{}\", value = {} }}   # guessed\n", value.dtype, usual);
}

std::string without_const(std::string type) {
  for (const std::string_view word : {"const", "__restrict__", " "}) type = replace_all(std::move(type), word, "");
  return type;
}

std::string tensor_line(const SignatureValue& value, const Guess& guess) {
  const bool known = !value.dtype.empty();
  std::string line =
      fmt::format("tensor = {{ dtype = \"{}\", shape = {}", known ? value.dtype : "u8", toml_list(guess.shape(value)));
  const std::vector<std::string> strides = guess.strides(value);
  if (!strides.empty()) line += ", strides = " + toml_list(strides);
  if (value.atomic) {
    line += ", inout = true, fill = \"zeros\"";
  } else if (value.written) {
    line += value.read || guess.has_border(value) ? ", inout = true" : ", output = true";
  }
  const std::string fill = guess.fill(value);
  if (!fill.empty()) line += ", fill = " + fill;
  line += " }";
  if (!fill.empty()) return line + "   # guessed, by its name\n";
  const bool bytes = known && value.vector == 1 && without_const(value.type) == "void*";
  if (bytes)
    return line + fmt::format("   # guessed: bytes, as the source does not say what {} points to; {}\n", value.name,
                              guess.found(value) ? "as many as the kernel reaches" : "their number is guessed");
  if (known && guess.found(value) && value.written && !value.read && guess.has_border(value))
    return line + "   # guessed: the kernel leaves the border as it was\n";
  if (known && guess.found(value))
    return line + (guess.guesses_strides() || !strides.empty()
                       ? "   # as far as the kernel reaches with the guessed strides\n"
                       : "   # as far as the kernel reaches\n");
  if (!known)
    return line + fmt::format("   # open: {} elements{}; say their type and how many\n",
                              value.type.empty() ? "unknown" : value.type,
                              guess.found(value) ? ", as bytes as far as the kernel reaches" : "");
  return line + (value.written || value.atomic ? "   # guessed: a reference defines every element\n"
                                               : "   # guessed: more than the kernel needs does no harm to an input\n");
}

// The tensor that a texture or surface is over.
std::string texels_of(const SignatureValue& value) {
  return value.name + "_texels";
}

// A texture object says nothing of itself: where its instructions tell the geometry, the rest is for a person to say.
std::string object_text(const SignatureValue& value, const Guess& guess) {
  const bool cube = value.geometry == "cube" || value.geometry == "acube";
  const size_t rank = value.geometry == "1d" || value.geometry == "linear"        ? 1
                      : value.geometry == "3d" || value.geometry == "a2d" || cube ? 3
                                                                                  : 2;
  std::vector<std::string> shape(rank, rank == 1 ? "1024" : "64");
  if (guess.dimensions().size() >= rank && !guess.fixed())
    shape.assign(guess.dimensions().end() - static_cast<std::ptrdiff_t>(rank), guess.dimensions().end());
  if (cube) shape = {value.geometry == "cube" ? "6" : "12", "64", "64"};
  if (value.vector > 1) shape.push_back(std::to_string(value.vector));
  std::string text = fmt::format(
      "[[argument]]\nname   = \"{}\"\npassed = false\ntensor = {{ dtype = \"{}\", shape = {}{} }}"
      "   # open: what is the {} \"{}\" over? Its type and its size\n\n",
      texels_of(value), value.dtype.empty() ? "f32" : value.dtype, toml_list(shape),
      !value.written ? ""
      : value.read   ? ", inout = true"
                     : ", output = true",
      value.object, value.name);
  text +=
      fmt::format("[[argument]]\nname    = \"{}\"\n{} = {{ of = \"{}\"", value.name, value.object, texels_of(value));
  if (value.vector > 1) text += fmt::format(", channels = {}", value.vector);
  if (value.geometry.starts_with('a')) text += ", layered = true";
  if (cube) text += ", cube = true";
  if (cube && value.object == "texture") text += ", normalised = true";
  if (value.geometry == "linear") text += ", memory = \"linear\"";
  text += " }";
  if (value.object == "texture" && value.geometry != "linear")
    text += "   # open: filter, address, normalised and read, as the host sets them in cudaTextureDesc";
  return text + "\n";
}

// float** is an array of pointers: to equal parts of one tensor, as far as a stranger can tell.
std::string pointers_text(const SignatureValue& value, const std::string& dtype, const Guess& guess) {
  const std::vector<std::string>& dimensions = guess.dimensions();
  auto count = std::ranges::find_if(
      dimensions, [](const std::string& name) { return has_part(lower(name), {"batch", "num", "count"}); });
  if (count == dimensions.end()) count = dimensions.begin();
  std::vector<std::string> others;
  for (auto each = dimensions.begin(); each != dimensions.end(); ++each) {
    if (each != count) others.push_back(*each);
  }
  const std::string part = others.empty() ? *count : join(others, "*");
  return fmt::format(
      "[[argument]]\nname   = \"{0}_parts\"\npassed = false\ntensor = {{ dtype = \"{1}\", shape = [\"{2}\", "
      "\"{3}\"]{4} }}"
      "   # guessed: what the pointers of {0} point to\n\n"
      "[[argument]]\nname     = \"{0}\"\npointers = {{ of = \"{0}_parts\", count = \"{2}\", step = \"{3}\" }}   # "
      "guessed\n",
      value.name, dtype, *count, part, !points_to_const(value) ? ", inout = true" : "");
}

// The element's type behind two stars; empty if there are not two.
std::string pointed_twice(const SignatureValue& value) {
  if (!value.pointer || std::ranges::count(value.type, '*') != 2) return "";
  static const std::vector<std::pair<std::string_view, const char*>> kTypes{
      {"float", "f32"},        {"double", "f64"},       {"bfloat16", "bf16"}, {"half", "f16"},
      {"unsigned char", "u8"}, {"unsigned int", "u32"}, {"int", "i32"},       {"long", "i64"}};
  for (const auto& [word, dtype] : kTypes) {
    if (value.type.find(word) != std::string::npos) return dtype;
  }
  return "";
}

// Where the value lies in the structure that is passed; the first one says the size if C++ would make it another.
std::string place_text(const SignatureValue& value, const SignatureParameter& parameter) {
  size_t end = 0;
  size_t alignment = 1;
  for (const SignatureValue& one : parameter.values) {
    end = std::max(end, one.offset + one.bytes);
    alignment = std::max(alignment, one.bytes);
  }
  end = (end + alignment - 1) / alignment * alignment;
  const bool says_size = &value == &parameter.values.front() && end != parameter.bytes;
  return fmt::format("struct = {{ name = \"{}\", at = {}{} }}\n", parameter.name, value.offset,
                     says_size ? fmt::format(", bytes = {}", parameter.bytes) : "");
}

std::string argument_text(const SignatureValue& value, const std::string& place, const Guess& guess) {
  if (const std::string dtype = pointed_twice(value); !dtype.empty())
    return pointers_text(value, dtype, guess) + place + "\n";
  if (!value.object.empty()) return object_text(value, guess) + place + "\n";
  std::string text = fmt::format("[[argument]]\nname   = \"{}\"\n", value.name);
  const bool unused = value.pointer && value.type.empty() && value.dtype.empty() && !value.read && !value.written;
  text += unused          ? "scalar = { type = \"u64\", value = 0 }   # guessed: the kernel does not use it\n"
          : value.pointer ? tensor_line(value, guess)
                          : scalar_line(value, guess);
  return text + place + "\n";
}

std::string arguments_text(const KernelSignature& signature, const Guess& guess) {
  std::string text;
  for (const SignatureParameter& parameter : signature.parameters) {
    if (!parameter.structure) {
      text += argument_text(parameter.values.front(), "", guess);
      continue;
    }
    for (const std::string& note : parameter.notes)
      text += fmt::format("# open: in the structure \"{}\", {}: it stays zero unless an [[argument]] says otherwise\n",
                          parameter.name, note);
    if (parameter.values.empty() && parameter.bytes == 1) {
      text += fmt::format(
          "[[argument]]\nname   = \"{}\"\nscalar = {{ type = \"u8\", value = 0 }}   # guessed: a "
          "structure without members\n\n",
          parameter.name);
      continue;
    }
    if (parameter.values.empty()) {
      text += fmt::format(
          "# open: the structure \"{}\" has {} bytes and members that were not understood: an [[argument]] for each,\n"
          "# with struct = {{ name = \"{}\", at = OFFSET, bytes = {} }}\n",
          parameter.name, parameter.bytes, parameter.name, parameter.bytes);
      text += fmt::format(
          "[[argument]]\nname   = \"{}_bytes\"\nscalar = {{ type = \"u8\", value = 0 }}\n"
          "struct = {{ name = \"{}\", at = 0, bytes = {} }}\n\n",
          parameter.name, parameter.name, parameter.bytes);
      continue;
    }
    for (const SignatureValue& value : parameter.values)
      text += argument_text(value, place_text(value, parameter), guess);
  }
  return text;
}

// What the host sets before a launch.
std::string constants_text(const KernelSignature& signature) {
  std::string text;
  for (const build::SignatureConstant& constant : signature.constants) {
    const bool known = !constant.dtype.empty();
    text += fmt::format(
        "[[argument]]\nname   = \"{}\"\nglobal = \"{}\"   # a __constant__ variable, which the host sets\n"
        "tensor = {{ dtype = \"{}\", shape = [{}] }}   # {}\n\n",
        constant.plain, constant.name, known ? constant.dtype : "u8",
        known ? constant.bytes / constant.element_bytes : constant.bytes,
        known ? "guessed: any numbers; fill = ... says which" : "open: which bytes does the host set?");
  }
  return text;
}

// Of the largest tensor, as far as running showed: the first one with the most dimensions.
std::string elements_found(const KernelSignature& signature, const FoundGeometry& found) {
  std::vector<std::string> most;
  for (const SignatureParameter& parameter : signature.parameters) {
    for (const SignatureValue& value : parameter.values) {
      const auto shape = found.shapes.find(value.name);
      if (shape != found.shapes.end() && shape->second.size() > most.size()) most = shape->second;
    }
  }
  if (most == std::vector<std::string>{"1"}) return "";
  std::string text;
  for (const std::string& each : most)
    text += (text.empty() ? "" : "*") + (each.find(' ') == std::string::npos ? each : "(" + each + ")");
  return text;
}

std::string launch_note(const NewText& text, bool guessed_block) {
  const bool found_grid = text.found && text.found->complete;
  if (found_grid && text.found->assumed) return "   # guessed: blocks for the size that nothing else uses";
  if (found_grid)
    return guessed_block ? "   # the block is guessed, and the grid covers what the kernel reaches with it" : "";
  return guessed_block ? "   # guessed" : "   # the grid is guessed";
}

std::string launch_text(KernelSignature signature, const NewText& text, const Guess& guess) {
  // The rank in a grid that waits for itself is computed of all three axes, and one will do.
  if (signature.grid_barrier && signature.thread_index[2]) {
    for (size_t axis = 1; axis < 3; ++axis) signature.thread_index[axis] = signature.block_index[axis] = false;
    signature.block_size = true;
  }
  const BlockGuess threads = block_of(signature, text);
  std::vector<std::string> block;
  for (const int64_t each : threads.threads) block.push_back(std::to_string(each));
  std::vector<std::string> grid;
  for (size_t axis = 0; axis < 3; ++axis) {
    if (!signature.block_index[axis]) {
      grid.emplace_back("1");
      continue;
    }
    if (text.asking || (text.found && !text.found->grid[axis].empty())) {
      grid.push_back(text.asking ? kAskedGrid[axis] : text.found->grid[axis]);
      continue;
    }
    const std::vector<std::string> dimensions = guess.covered();
    const bool by_threads = signature.block_size || axis > 0;
    // Where any number of blocks does the work, one element for each thread is usual.
    std::string cover = text.found ? elements_found(signature, *text.found) : "";
    if (cover.empty()) cover = guess.elements();
    if (dimensions.size() > 1 && (signature.block_index[1] || !signature.block_size))
      cover = dimensions[std::min(
          signature.block_index[1] ? dimensions.size() - 1 - std::min(axis, dimensions.size() - 1) : 0,
          dimensions.size() - 1)];
    if (axis < block.size() && by_threads && signature.thread_index[axis]) {
      grid.push_back(fmt::format("ceil_div({}, {})", cover, block[axis]));
    } else {
      grid.push_back(cover);
    }
    if (signature.grid_barrier) grid.back() = fmt::format("min({}, 64)", grid.back());  // all must fit at once
  }
  for (size_t axis = 0; axis < std::min(grid.size(), signature.cluster.size()); ++axis) {
    if (signature.cluster[axis] > 1) grid[axis] = fmt::format("round_up({}, {})", grid[axis], signature.cluster[axis]);
  }
  while (grid.size() > 1 && grid.back() == "1") grid.pop_back();
  std::string result = fmt::format("[launch]{}\ngrid  = {}\nblock = {}\n", launch_note(text, threads.guessed),
                                   toml_list(grid), toml_list(block));
  if (signature.dynamic_shared)
    result += "shared_bytes = 16384   # open: how many bytes of dynamic shared memory? 0 if the kernel uses none\n";
  if (!signature.cluster.empty()) {
    std::vector<std::string> cluster;
    for (const int64_t blocks : signature.cluster) cluster.push_back(std::to_string(blocks));
    result += fmt::format("cluster = {}\n", toml_list(cluster));
  }
  if (signature.grid_barrier) result += "cooperative = true\n";
  return result + "\n";
}

// So that tensors of several dimensions stay small.
int64_t usual_size(size_t dimensions, bool small) {
  switch (dimensions) {
    case 1:
      return small ? 1000 : 1 << 16;
    case 2:
    case 3:
      return small ? 64 : 128;
    case 4:
      return small ? 8 : 32;
    case 5:
      return small ? 4 : 16;
    case 6:
      return small ? 4 : 8;
    default:
      return small ? 3 : 4;
  }
}

// In one tensor: a square one of N has two.
size_t most_sizes(const NewText& text) {
  size_t most = 0;
  if (!text.found) return most;
  for (const auto& [name, shape] : text.found->shapes) {
    const auto sizes = std::ranges::count_if(
        shape, [](const std::string& each) { return each.find_first_not_of("0123456789") != std::string::npos; });
    most = std::max(most, static_cast<size_t>(sizes));
  }
  return most;
}

// Blocks cover it: a kernel is measured with many of them.
bool is_covered(const NewText& text, const std::string& name) {
  const auto part_of_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  return text.found && std::ranges::any_of(text.found->grid, [&](const std::string& grid) {
           for (size_t at = grid.find(name); at != std::string::npos; at = grid.find(name, at + 1)) {
             const size_t end = at + name.size();
             if ((at == 0 || !part_of_name(grid[at - 1])) && (end == grid.size() || !part_of_name(grid[end])))
               return true;
           }
           return false;
         });
}

// Strides follow the sizes, so that they fit whichever sizes are tried.
std::string strides_text(const NewText& text) {
  if (!text.found || text.found->values.empty()) return "";
  const std::string& gap = text.found->gap;
  std::string result =
      gap.empty()
          ? "[let]   # guessed: the strides of dense tensors, which are the least that the kernel needs\n"
          : fmt::format("[let]   # guessed: the strides of dense tensors, and {} elements between their rows\n", gap);
  for (const FoundStride& stride : text.found->values) {
    std::string value = stride.packed;
    if (!gap.empty()) value += stride.unit == 1 ? " + " + gap : fmt::format(" + {}*{}", stride.unit, gap);
    result += fmt::format("{} = {}\n", stride.name, toml_text(value));
  }
  return result + "\n";
}

// Shapes leave the gap out, except those that are there for it.
std::string gap_text(const NewText& text, const std::string& shape) {
  if (!text.found || text.found->gap.empty()) return "";
  return fmt::format("padded    = [{{ {}, {} = {} }}]\ndefaults  = {{ {} = 0 }}\n", shape, text.found->gap,
                     text.found->gap_elements, text.found->gap);
}

std::string shapes_text(const Guess& guess, const NewText& text) {
  const std::vector<std::string> all = guess.all_dimensions();
  const std::vector<std::string>& named = guess.dimensions();
  const int64_t multiple = text.found ? text.found->multiple : 1;
  const auto shape = [&](int64_t size, int64_t other) {
    std::string list;
    for (const std::string& name : all) {
      if (text.found && name == text.found->gap) continue;
      const bool large = std::ranges::find(named, name) != named.end() || is_covered(text, name);
      const int64_t usual = name.starts_with("BLOCKS") ? std::min<int64_t>(size, other < 4 ? 64 : 1024) : size;
      const int64_t value = large ? (usual + multiple - 1) / multiple * multiple : other;
      list += fmt::format("{}{} = {}", list.empty() ? "" : ", ", name, value);
    }
    return list.empty() ? "N = 1" : list;
  };
  if (guess.fixed() && !text.found)
    return fmt::format("[shapes]   # no parameter says a size: elements of each tensor\ncanonical = [{{ {} }}]\n",
                       shape(1024, 4));
  const size_t dimensions = std::max(all.size() - (text.found && !text.found->gap.empty() ? 1 : 0), most_sizes(text));
  const bool square = guess.square() && !text.found;
  const std::string small = shape(square ? 64 : usual_size(dimensions, true), 3);
  return fmt::format("[shapes]\ncanonical = [{{ {} }}]   # the sizes that matter to you\nsmall     = [{{ {} }}]\n",
                     shape(square ? 256 : usual_size(dimensions, false), 4), small) +
         gap_text(text, small);
}

std::vector<const SignatureValue*> values_of(const KernelSignature& signature, bool pointers) {
  std::vector<const SignatureValue*> values;
  for (const SignatureParameter& parameter : signature.parameters) {
    for (const SignatureValue& value : parameter.values) {
      if (value.object.empty() && value.pointer == pointers) values.push_back(&value);
    }
  }
  return values;
}

// A lambda's name has braces, which mean something else in a specification. What only this source knows (static, or in
// a namespace without a name) has a prefix that is another one in every compilation: a pattern leaves it out.
std::string entry_text(const KernelSignature& signature) {
  std::string name =
      signature.readable.find_first_of("{}\"\\") == std::string::npos ? signature.readable : signature.entry;
  constexpr std::string_view kPrefix = "_INTERNAL_";
  for (size_t at = name.find(kPrefix); at != std::string::npos; at = name.find(kPrefix)) {
    const size_t end = name.find("::", at);
    if (end == std::string::npos) break;
    const size_t begin = at > 0 && name[at - 1] == '&' ? at - 1 : at;
    name.replace(begin, end + 2 - begin, "*");
  }
  return name;
}

}  // namespace

std::string reference_name(const NewText& text) {
  return text.python ? "reference.py" : "reference.cpp";
}

std::string specification_text(const KernelSignature& signature, const NewText& text) {
  const Guess guess(signature, text);
  std::string result = fmt::format(
      "# Written by assay new. What it could not find out is marked \"open\": answer it and remove the comment.\n"
      "# docs/kernel_toml.md describes the format; \"guessed\" marks what is likely and may be wrong.\n"
      "[kernel]\nname    = \"{}\"\nsource  = {}\nentry   = \"{}\"\ntargets = {}\n",
      text.name, toml_text(text.source), entry_text(signature), toml_list(text.targets));
  if (!text.include_folder.empty())
    result += fmt::format("include = [{}]   # the source was copied from there\n", toml_text(text.include_folder));
  if (!text.flags.empty()) result += fmt::format("flags   = {}\n", toml_list(text.flags));
  result += fmt::format("\n[problem]\nreference = \"{}\"\n\n", reference_name(text));
  result += arguments_text(signature, guess);
  result += constants_text(signature);
  bool any_output = false;
  for (const SignatureParameter& parameter : signature.parameters) {
    for (const SignatureValue& value : parameter.values)
      any_output = any_output || value.written || (!pointed_twice(value).empty() && !points_to_const(value));
  }
  if (!any_output) {
    result += fmt::format(
        "[[argument]]\nname   = \"result\"\npassed = false\n"
        "tensor = {{ dtype = \"f32\", shape = [\"{}\"], output = true }}   # open: no pointer is seen to be written; "
        "put output = true where it belongs, and remove this argument\n\n",
        guess.dimensions().front());
  }
  return result + launch_text(signature, text, guess) + strides_text(text) + shapes_text(guess, text);
}

std::string reference_text(const KernelSignature& given, const NewText& text) {
  // A reference sees the tensor, and neither the texture nor the surface over it.
  KernelSignature signature = given;
  for (SignatureParameter& parameter : signature.parameters) {
    for (SignatureValue& value : parameter.values) {
      if (!pointed_twice(value).empty()) {
        value.written = value.read = !points_to_const(value);
        value.name += "_parts";
      }
      if (value.object.empty()) continue;
      value.name = texels_of(value);
      value.object.clear();
      value.pointer = true;
    }
  }
  for (const build::SignatureConstant& constant : given.constants) {
    SignatureValue value;
    value.name = constant.plain;
    value.pointer = value.read = true;
    SignatureParameter parameter;
    parameter.name = constant.plain;
    parameter.values = {value};
    signature.parameters.push_back(std::move(parameter));
  }
  const std::vector<const SignatureValue*> tensors = values_of(signature, true);
  if (text.python) {
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    for (const SignatureValue* value : tensors) {
      if (!value->written || value->read) inputs.push_back(value->name);
      if (value->written) outputs.push_back(value->name);
    }
    for (const SignatureValue* value : values_of(signature, false)) inputs.push_back(value->name);
    std::string result = fmt::format(
        "\"\"\"What {} should compute, in float64: inputs are NumPy arrays, scalars and dimensions are numbers.\"\"\"\n"
        "import numpy as np\n\n\ndef reference({}):\n    # open: compute {} and return {}\n",
        signature.readable, join(inputs, ", "), outputs.empty() ? "the outputs" : join(outputs, " and "),
        outputs.size() == 1 ? "it" : "a dictionary with them by name");
    return result + "    raise NotImplementedError(\"write the reference\")\n";
  }
  std::string result = fmt::format(
      "// What {} should compute, in float64.\n#include <assay/reference.h>\n\n"
      "int assay_reference(AssayProblem* problem) {{\n",
      signature.readable);
  std::string unused;
  for (const SignatureValue* value : tensors) {
    result += fmt::format("  const AssayTensor* {} = assay_tensor(problem, \"{}\");{}\n", value->name, value->name,
                          value->written ? "  // to be written" : "");
    unused += fmt::format("  (void){};\n", value->name);
  }
  for (const SignatureValue* value : values_of(signature, false)) {
    result += fmt::format("  const double {} = assay_number(problem, \"{}\", 0);\n", value->name, value->name);
    unused += fmt::format("  (void){};\n", value->name);
  }
  return result + unused +
         "  // open: write every element of the outputs, for (int64_t i = 0; i < y->count; ++i) y->data[i] = ..., and "
         "return 0\n"
         "  return assay_fail(problem, \"the reference is not written yet\");\n}\n";
}

}  // namespace assay::work
