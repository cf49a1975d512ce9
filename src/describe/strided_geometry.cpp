// SPDX-License-Identifier: MIT
#include "describe/strided_geometry.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace assay::describe {
namespace {

// Factors with more than one word stand in parentheses; ones are left out.
std::string product_text(const std::vector<std::string>& factors) {
  std::string text;
  for (const std::string& each : factors) {
    if (each == "1") continue;
    const bool bare = each.find(' ') == std::string::npos || each.starts_with("ceil_div(");
    text += (text.empty() ? "" : "*") + (bare ? each : "(" + each + ")");
  }
  return text.empty() ? "1" : text;
}

std::string lower_case(const std::string& name) {
  std::string low;
  for (const char c : name) low += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return low;
}

// Of tensors with several strides, the one that is called after an image or z is the largest, whatever the order of the
// parameters; then come strides of anything, leading dimensions, and that of an element. `axes`: there is one of y or
// z, so that x is an axis and not a tensor's name.
int rank_of(const std::string& name, bool axes) {
  const std::string low = lower_case(name);
  for (const char* const word : {"batch", "slice", "plane", "image", "frame"}) {
    if (low.find(word) != std::string::npos) return 0;
  }
  if (low.ends_with("z")) return 0;
  if (low.starts_with("inc") || low.ends_with("col") || (axes && low.ends_with("x"))) return 3;
  return low.starts_with("ld") || low.ends_with("ld") ? 2 : 1;
}

class Composer {
 public:
  Composer(const StrideQuestion& question, const std::vector<StrideUse>& uses, Geometry found)
      : question_(question), uses_(uses) {
    rows_.assign(found.shapes.begin() + static_cast<std::ptrdiff_t>(question.question.tensors), found.shapes.end());
    found.shapes.resize(question.question.tensors);
    made_.geometry = std::move(found);
    made_.strides.resize(question.question.tensors);
    made_.values.resize(question.strides.size());
    least_.resize(question.strides.size());
  }

  StridedGeometry run() {
    for (size_t tensor = 0; tensor < question_.question.tensors; ++tensor) compose(tensor);
    for (size_t stride = 0; stride < least_.size(); ++stride) made_.values[stride] = value_of(stride);
    return std::move(made_);
  }

 private:
  struct Least {
    std::string text;  // in what the stride counts
    int64_t bytes = 1;
  };

  // The largest stride first.
  std::vector<size_t> uses_of(size_t tensor) const {
    std::vector<size_t> own;
    for (size_t i = 0; i < uses_.size(); ++i) {
      if (uses_[i].tensor == tensor) own.push_back(i);
    }
    const auto name = [&](size_t use) { return question_.strides[uses_[use].stride]; };
    const bool axes = std::ranges::any_of(own, [&](size_t use) {
      const std::string low = lower_case(name(use));
      return low.ends_with("y") || low.ends_with("z");
    });
    std::ranges::stable_sort(own, {}, [&](size_t use) { return rank_of(name(use), axes); });
    return own;
  }

  void compose(size_t tensor) {
    const std::vector<size_t> own = uses_of(tensor);
    std::vector<std::string>& shape = made_.geometry.shapes[tensor];
    if (own.empty()) return;
    if (shape.empty() || std::ranges::any_of(own, [&](size_t use) { return rows_[use].empty(); })) {
      shape.clear();
      return;
    }
    const std::vector<std::string> row = shape;
    shape.clear();
    for (size_t i = 0; i < own.size(); ++i) {
      const StrideUse& use = uses_[own[i]];
      shape.push_back(product_text(rows_[own[i]]));
      made_.strides[tensor].push_back(in_elements(use));
      const StrideUse* const next = i + 1 < own.size() ? &uses_[own[i + 1]] : nullptr;
      least_[use.stride].push_back(
          {next != nullptr ? behind(use, *next, product_text(rows_[own[i + 1]])) : counted(use, product_text(row)),
           use.denominator});
    }
    if (product_text(row) == "1") return;
    for (size_t i = 0; i < row.size(); ++i) {
      shape.push_back(row[i]);
      made_.strides[tensor].push_back(
          product_text(std::vector<std::string>(row.begin() + static_cast<std::ptrdiff_t>(i) + 1, row.end())));
    }
  }

  std::string in_elements(const StrideUse& use) const {
    const std::string& name = question_.strides[use.stride];
    if (use.denominator > 1) return fmt::format("{}/{}", name, use.denominator);
    return use.numerator > 1 ? fmt::format("{}*{}", use.numerator, name) : name;
  }

  // So many elements in what the stride counts.
  static std::string counted(const StrideUse& use, const std::string& elements) {
    if (use.denominator > 1) return product_text({std::to_string(use.denominator), elements});
    return use.numerator > 1 ? fmt::format("ceil_div({}, {})", elements, use.numerator) : elements;
  }

  // All rows of the next smaller stride.
  std::string behind(const StrideUse& use, const StrideUse& next, const std::string& rows) const {
    if (use.numerator == next.numerator && use.denominator == next.denominator)
      return product_text({rows, question_.strides[next.stride]});
    return counted(use, product_text({rows, in_elements(next)}));
  }

  // As much as every tensor needs that the stride steps through.
  StrideValue value_of(size_t stride) const {
    StrideValue value;
    std::vector<std::string> texts;
    bool same = true;
    for (const Least& least : least_[stride]) {
      if (std::ranges::find(texts, least.text) == texts.end()) texts.push_back(least.text);
      same = same && least.bytes == least_[stride].front().bytes;
      value.unit = std::max(value.unit, least.bytes);
    }
    if (texts.empty()) return value;
    std::erase_if(texts, [&](const std::string& text) {  // a border of N
      return std::ranges::any_of(texts, [&](const std::string& other) { return text == other + " - 1"; });
    });
    value.packed = texts.front();
    if (texts.size() > 1) value.packed = fmt::format("max({})", fmt::join(texts, ", "));
    if (!same) value.packed = fmt::format("round_up({}, {})", value.packed, value.unit);
    return value;
  }

  const StrideQuestion& question_;
  const std::vector<StrideUse>& uses_;
  std::vector<std::vector<std::string>> rows_;  // of each use
  std::vector<std::vector<Least>> least_;       // of each stride
  StridedGeometry made_;
};

}  // namespace

Result<std::optional<StridedGeometry>> find_strided_geometry(const StrideQuestion& question, const Probe& probe) {
  using Nothing = std::optional<StridedGeometry>;
  StrideUses uses(question, probe);
  ASSAY_TRY(const bool any, uses.find());
  if (!any) return Nothing();
  Question peeled = question.question;
  peeled.tensors += uses.uses().size();
  peeled.many_dimensions = uses.several_of_a_tensor();
  const Probe rows = [&](const Setting& setting) { return uses.reach(setting); };
  std::optional<Geometry> found;
  do {
    ASSAY_TRY(found, find_geometry(peeled, rows));
  } while (uses.changed_unit());
  if (!found) return Nothing();
  return Nothing(Composer(question, uses.uses(), *std::move(found)).run());
}

}  // namespace assay::describe
