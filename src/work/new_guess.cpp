// SPDX-License-Identifier: MIT
#include "work/new_guess.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <optional>
#include <set>

#include "base/text.hpp"

namespace assay::work {
namespace {

using build::KernelSignature;
using build::SignatureParameter;
using build::SignatureValue;

constexpr size_t kLeastBytesOfSize = 4;  // fewer cannot count the elements of a tensor

// Words that kernels call a size: it becomes a dimension of the shapes.
bool names_a_size(const std::string& name) {
  static const std::set<std::string> kWhole{
      "n",     "m",   "k",      "w",     "h",      "d",     "b",    "s",        "c",        "t",      "l",     "size",
      "count", "len", "length", "total", "numel",  "rows",  "cols", "columns",  "width",    "height", "depth", "batch",
      "dim",   "nx",  "ny",     "nz",    "hidden", "vocab", "seq",  "channels", "elements", "nnz"};
  static const std::vector<std::string> kParts{"size",  "count",  "len",   "num",   "rows",     "cols",
                                               "width", "height", "dim",   "batch", "elements", "hidden",
                                               "seq",   "vocab",  "heads", "nnz",   "channels", "tokens"};
  const std::string low = lower(name);
  // optN: a capital letter behind small ones is a word of its own.
  if (name.size() > 2 && name.back() == 'N' && std::islower(static_cast<unsigned char>(name[name.size() - 2])) != 0)
    return true;
  const size_t digits = low.find_last_not_of("0123456789") + 1;
  // n4 counts vectors of four; sizes_0 is one of an array's elements, whose meaning a person knows.
  if (digits < low.size()) return digits == 1 && low[0] == 'n';
  return kWhole.contains(low) || low.starts_with("n_") || low.ends_with("_n") ||
         std::ranges::any_of(kParts, [&](const std::string& part) { return low.find(part) != std::string::npos; });
}

// What the integers of an input are: numbers like others, places in another tensor, or where each row of one begins.
enum class Integers { plain, places, offsets };

Integers integers_of(const SignatureValue& value) {
  const bool integers = value.dtype.starts_with("i") || value.dtype.starts_with("u");
  if (!value.pointer || !integers || value.written || value.vector > 1) return Integers::plain;
  const std::string low = lower(value.name);
  if (has_part(low, {"offset", "indptr", "row_ptr", "rowptr", "seqlens", "row_start", "starts"}))
    return Integers::offsets;
  return has_part(low, {"idx", "index", "indices", "perm", "order", "gather", "lookup"}) ? Integers::places
                                                                                         : Integers::plain;
}

// Which axis of an image or a volume a dimension is called after: 0 for x, whose elements lie side by side.
std::optional<size_t> image_axis(const std::string& dimension) {
  static const std::array<std::set<std::string>, 3> kNames{{
      {"w", "width", "cols", "columns"},
      {"h", "height", "rows"},
      {"depth", "slices"},
  }};
  const std::string low = lower(dimension);
  static const std::vector<std::string> kAround{"n", "dim", "size", "num", "len", "grid"};
  for (size_t axis = 0; axis < 3; ++axis) {
    const std::string letter(1, static_cast<char>('x' + axis));
    if (kNames[axis].contains(low)) return axis;
    for (const std::string& word : kAround) {
      if (low == word + letter || low == letter + word || low == word + "_" + letter || low == letter + "_" + word ||
          low.ends_with("_" + word + "_" + letter))
        return axis;
    }
    if (std::ranges::any_of(kNames[axis],
                            [&](const std::string& name) { return name.size() > 1 && low.ends_with(name); }))
      return axis;
  }
  return std::nullopt;
}

// Rows before columns and height before width, whatever the order of the parameters.
void order_image_axes(std::vector<std::string>& dimensions) {
  std::vector<size_t> places;
  std::vector<std::pair<size_t, std::string>> axes;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const std::optional<size_t> axis = image_axis(dimensions[i]);
    if (!axis) continue;
    places.push_back(i);
    axes.emplace_back(*axis, dimensions[i]);
  }
  std::ranges::stable_sort(axes, std::greater(), &std::pair<size_t, std::string>::first);
  for (size_t i = 0; i < places.size(); ++i) dimensions[places[i]] = axes[i].second;
}

}  // namespace

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool is_integer(const SignatureValue& value) {
  return value.object.empty() && !value.pointer && !value.dtype.empty() &&
         (value.dtype[0] == 'i' || value.dtype[0] == 'u');
}

// Of what the last of its pointers points to.
bool points_to_const(const SignatureValue& value) {
  return value.type.substr(0, value.type.find('*')).find("const") != std::string::npos;
}

bool is_size(const SignatureValue& value) {
  return is_integer(value) && !value.enumeration && value.bytes >= kLeastBytesOfSize && names_a_size(value.name) &&
         !names_a_stride(value.name);
}

bool has_part(const std::string& low, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return low.find(part) != std::string::npos; });
}

bool names_a_stride(const std::string& name) {
  const std::string low = lower(name);
  const bool counts_steps = has_part(low, {"steps", "time", "num"}) || low == "step";
  return has_part(low, {"stride", "pitch"}) || low == "ld" || (low.size() == 3 && low.starts_with("ld")) ||
         low.starts_with("ld_") || low.ends_with("_ld") || (low.size() == 4 && low.starts_with("inc")) ||
         (low.ends_with("step") && !counts_steps);
}

bool is_stride(const SignatureValue& value) {
  return is_integer(value) && !value.enumeration && value.bytes >= kLeastBytesOfSize && names_a_stride(value.name);
}

std::string dimension_name(const std::string& parameter) {
  std::string text;
  for (const char c : parameter) text += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

bool may_be_a_size(const SignatureValue& value) {
  return is_integer(value) && !value.enumeration && value.bytes >= kLeastBytesOfSize &&
         (is_size(value) || !names_a_stride(value.name)) && !has_part(lower(value.name), {"seed"});
}

bool counts_groups(const std::string& name) {
  return has_part(lower(name), {"row", "batch", "head", "token", "seq", "group", "block"});
}

BlockGuess block_of(const KernelSignature& signature, const NewText& text) {
  if (!signature.required_threads.empty()) return {signature.required_threads, false};
  if (!text.block.empty() && (text.block.size() > 1 || !signature.thread_index[1])) return {text.block, false};
  if (!text.tried_block.empty()) return {text.tried_block, true};
  if (signature.thread_index[2]) return {{8, 8, 4}, true};
  if (signature.thread_index[1]) return {{16, 16}, true};
  if (signature.max_threads > 0) return {{signature.max_threads}, true};
  return {};
}

Guess::Guess(const KernelSignature& signature, const NewText& text) : signature_(signature), text_(text) {
  for (const SignatureParameter& parameter : signature.parameters) {
    for (const SignatureValue& value : parameter.values) {
      if (is_size(value)) dimensions_.push_back(dimension_name(value.name));
      const std::string low = lower(value.name);
      strides_ = strides_ || (is_integer(value) && names_a_stride(value.name) && found_stride(value).empty());
      windows_ =
          windows_ || (is_integer(value) && (low == "pad" || has_part(low, {"pad_", "_pad", "padding", "dilation"})));
    }
  }
  order_image_axes(dimensions_);
  fixed_ = dimensions_.empty();
  if (fixed_) dimensions_.emplace_back("N");
}

std::vector<std::string> Guess::all_dimensions() const {
  std::vector<std::string> all;
  if (!fixed_ || (!text_.asking && !text_.found)) all = dimensions_;
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(all, name) == all.end()) all.push_back(name);
  };
  for (const SignatureParameter& parameter : signature_.parameters) {
    for (const SignatureValue& value : parameter.values) {
      if (text_.asking && (may_be_a_size(value) || asks_stride(value))) add(dimension_name(value.name));
    }
  }
  if (text_.asking) {
    for (const char* const axis : kAskedGrid) add(axis);
  }
  if (text_.found) {
    for (const std::string& size : text_.found->sizes) add(size);
    if (!text_.found->gap.empty()) add(text_.found->gap);
    // A tensor or an axis that running did not explain is as large as it was guessed to be.
    if (fixed_ && !text_.found->complete) add(dimensions_.front());
  }
  return all;
}

bool Guess::square() const {
  return signature_.block_index[1] && signature_.thread_index[1] && dimensions_.size() == 1 && !signature_.grid_barrier;
}

std::string Guess::total() const {
  return join(dimensions_, "*");
}

std::vector<std::string> Guess::covered() const {
  if (has("M") && has("N") && has("K")) return {"M", "N"};  // of a product of matrices, K is summed over
  return dimensions_;
}

std::string Guess::elements() const {
  return square() ? dimensions_.front() : dimensions_.size() == 1 ? dimensions_.front() : total();
}

std::string Guess::dimension_of(const SignatureValue& value) const {
  const std::string name = dimension_name(value.name);
  if (is_size(value) || (text_.asking && may_be_a_size(value))) return name;
  if (asks_stride(value)) return name;
  const bool known =
      text_.found && may_be_a_size(value) && std::ranges::find(text_.found->sizes, name) != text_.found->sizes.end();
  return known ? name : "";
}

const std::vector<std::string>* Guess::found_shape(const SignatureValue& value) const {
  if (!text_.found) return nullptr;
  const auto shape = text_.found->shapes.find(value.name);
  return shape == text_.found->shapes.end() || shape->second.empty() ? nullptr : &shape->second;
}

bool Guess::found(const SignatureValue& value) const {
  return found_shape(value) != nullptr;
}

std::vector<std::string> Guess::shape(const SignatureValue& value) const {
  if (text_.asking) return {std::to_string(kAskedRoom)};
  if (const auto* const known = found_shape(value)) return *known;
  std::vector<std::string> shape = plain_shape(value);
  if (integers_of(value) == Integers::offsets) shape = {dimensions_.front() + " + 1"};
  if (value.vector > 1) shape.push_back(std::to_string(value.vector));
  if (const auto grown = text_.growth.find(value.name); grown != text_.growth.end())
    shape = {fmt::format("{}*{}", grown->second, join(shape, "*"))};
  return shape;
}

bool Guess::asks_stride(const SignatureValue& value) const {
  if (!text_.asking_strides || !is_stride(value)) return false;
  static const std::set<std::string> kOfWindows{"stride", "stride_h", "stride_w", "stride_x", "stride_y", "stride_d"};
  return !windows_ || !kOfWindows.contains(lower(value.name));
}

std::string Guess::found_stride(const SignatureValue& value) const {
  if (!text_.found || !is_stride(value)) return "";
  const auto found = std::ranges::find(text_.found->values, dimension_name(value.name), &FoundStride::name);
  return found == text_.found->values.end() ? "" : found->name;
}

bool Guess::has_border(const SignatureValue& value) const {
  return text_.found && text_.found->border.contains(value.name);
}

std::vector<std::string> Guess::strides(const SignatureValue& value) const {
  if (!text_.found || found_shape(value) == nullptr) return {};
  const auto strides = text_.found->strides.find(value.name);
  return strides == text_.found->strides.end() ? std::vector<std::string>() : strides->second;
}

std::string Guess::row_stride(const std::string& name) const {
  if (fixed_ || dimensions_.size() < 2) return "";
  SignatureValue of;  // lda is the stride of a
  of.name = name.substr(name.size() - 1);
  return plain_shape(of).back();
}

std::string Guess::fill(const SignatureValue& value) const {
  const bool input = !value.atomic && (value.read || !value.written);
  if (text_.asking) return input ? (text_.asked_number == 0 ? "\"zeros\"" : std::to_string(text_.asked_number)) : "";
  switch (integers_of(value)) {
    case Integers::offsets:
      return fmt::format("{{ kind = \"offsets\", total = \"{}\" }}", total());
    case Integers::places:
      return fmt::format("{{ kind = \"uniform\", low = 0, high = \"{}\" }}", dimensions_.front());
    case Integers::plain:
      break;
  }
  return "";
}

bool Guess::has(const std::string& name) const {
  return std::ranges::find(dimensions_, name) != dimensions_.end();
}

std::vector<std::string> Guess::plain_shape(const SignatureValue& value) const {
  const std::string low = lower(value.name);
  if (has("M") && has("N") && has("K")) {  // a product of matrices
    if (low.ends_with("a")) return {"M", "K"};
    if (low.ends_with("b")) return {"K", "N"};
    if (low.ends_with("c") || low.ends_with("d") || value.written) return {"M", "N"};
  }
  if (square()) return {dimensions_.front(), dimensions_.front()};
  if (dimensions_.size() == 1) return {dimensions_.front()};
  static const std::set<std::string> kVectors{"weight", "gamma", "beta", "bias", "w", "b"};
  if (dimensions_.size() == 2 && kVectors.contains(low) && !value.written) return {dimensions_.back()};
  return dimensions_;
}

}  // namespace assay::work
