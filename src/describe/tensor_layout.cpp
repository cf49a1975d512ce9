// SPDX-License-Identifier: MIT
#include "describe/tensor_layout.hpp"

#include <algorithm>

#include "describe/border.hpp"

namespace assay::describe {
namespace {

using Kind = Factor::Kind;

std::vector<int64_t> growth_of(const ReachSurvey& survey, size_t tensor, size_t axis) {
  std::vector<int64_t> values;
  for (const Reach& each : survey.growth[axis]) values.push_back(each[tensor]);
  return values;
}

std::optional<Product> stride_of_axis(const ReachSurvey& survey, size_t tensor, size_t axis) {
  return fit_product(growth_of(survey, tensor, axis), survey.choices);
}

// What a block reaches from its first element on is a loop with a stride, and `part` of each of its rows: the columns
// of a matrix that blocks divide, or rows of which only a part is used.
std::optional<Dimension> inner_loop(std::vector<int64_t> rest, const Product& part, const std::vector<Sizes>& choices) {
  for (size_t i = 0; i < rest.size(); ++i) rest[i] -= part.value(choices[i]);
  const std::optional<Product> steps = fit_product(rest, choices);
  if (!steps) return std::nullopt;
  Dimension loop;
  loop.stride.constant = steps->constant;
  size_t lasts = 0;
  for (const Factor& factor : steps->factors) {
    if (factor.kind != Kind::minus_one) {
      loop.stride.factors.push_back(factor);
      continue;
    }
    ++lasts;
    loop.extent.factors = {Factor{Kind::size, factor.first}};
  }
  return lasts == 1 ? std::optional(loop) : std::nullopt;
}

// The loop, and what is left for the innermost dimension.
std::optional<std::pair<Dimension, Product>> any_inner_loop(const std::vector<int64_t>& rest,
                                                            const std::vector<Sizes>& choices) {
  std::vector<Product> parts{Product{}};
  for (size_t size = 0; size < choices.front().size(); ++size) parts.push_back({1, {{Kind::size, size}}});
  for (const Product& part : parts) {
    if (const std::optional<Dimension> loop = inner_loop(rest, part, choices)) return std::pair(*loop, part);
  }
  return std::nullopt;
}

bool never_larger(const Product& a, const Product& b, const std::vector<Sizes>& choices) {
  return std::ranges::all_of(choices, [&](const Sizes& sizes) { return a.value(sizes) <= b.value(sizes); });
}

// The dimension of the largest stride first; false if that depends on the sizes.
bool sort_by_stride(std::vector<Dimension>& dimensions, const std::vector<Sizes>& choices) {
  std::ranges::stable_sort(dimensions, std::greater(),
                           [&](const Dimension& dimension) { return dimension.stride.value(choices.front()); });
  for (size_t i = 1; i < dimensions.size(); ++i) {
    if (!never_larger(dimensions[i].stride, dimensions[i - 1].stride, choices)) return false;
  }
  return true;
}

// Each dimension but the outermost has as many elements as fit between its stride and the next larger one.
bool find_extents(std::vector<Dimension>& dimensions) {
  for (size_t i = 0; i < dimensions.size(); ++i) {
    Dimension& dimension = dimensions[i];
    dimension.known = !dimension.axis;
    if (i == 0) continue;
    const std::optional<Product> extent = quotient(dimensions[i - 1].stride, dimension.stride);
    if (!extent && !dimension.blocks) return false;
    if (!extent) continue;
    dimension.known = true;
    dimension.extent = *extent;
  }
  return true;
}

bool is_of_sizes(const Product& product) {
  return std::ranges::all_of(product.factors, [](const Factor& factor) { return factor.kind == Kind::size; });
}

// What a block reaches within one step of the innermost dimension.
bool take_inner(TensorLayout& layout, const std::optional<Product>& inner, const std::vector<int64_t>& rest,
                const std::vector<Sizes>& choices) {
  if (layout.dimensions.empty()) {
    if (inner) layout.inner = *inner;
    return inner.has_value();
  }
  layout.inner = layout.dimensions.back().stride;
  if (inner && inner->is_one()) return true;
  if (inner && inner != layout.inner) layout.part = inner;
  if (inner && inner->factors.size() <= layout.inner.factors.size()) return true;
  std::vector<int64_t> more;  // windows that overlap
  for (size_t i = 0; i < rest.size(); ++i) more.push_back(rest[i] - layout.inner.value(choices[i]));
  layout.beyond = fit_product(more, choices);
  return layout.beyond.has_value();
}

}  // namespace

std::optional<int64_t> constant_of_stride(const ReachSurvey& survey, size_t tensor, size_t axis) {
  const std::vector<int64_t> growth = growth_of(survey, tensor, axis);
  if (std::ranges::all_of(growth, [](int64_t each) { return each == 0; })) return 0;
  const std::optional<Product> stride = fit_product(growth, survey.choices);
  return stride ? std::optional(stride->constant) : std::nullopt;
}

std::optional<TensorLayout> layout_of(const ReachSurvey& survey, size_t tensor,
                                      const std::array<int64_t, 3>& per_block) {
  if (!survey.regular[tensor]) return std::nullopt;
  TensorLayout layout;
  std::vector<int64_t> rest;
  for (const Reach& reach : survey.reach) rest.push_back(reach[tensor]);
  for (size_t axis = 0; axis < 3; ++axis) {
    const std::optional<int64_t> constant = constant_of_stride(survey, tensor, axis);
    if (!constant) return std::nullopt;
    if (*constant == 0) continue;
    Dimension dimension;
    dimension.axis = axis;
    dimension.stride = *stride_of_axis(survey, tensor, axis);
    dimension.blocks = !survey.bounds[axis].empty();
    const int64_t share = dimension.blocks ? 1 : per_block[axis];
    if (dimension.stride.constant % share != 0) return std::nullopt;
    dimension.stride.constant /= share;
    for (size_t i = 0; i < rest.size(); ++i)
      rest[i] -= dimension.stride.value(survey.choices[i]) * (share * survey.grids[i][axis] - 1);
    layout.dimensions.push_back(std::move(dimension));
  }
  std::optional<Product> inner = fit_product(rest, survey.choices);
  if (!inner || !is_of_sizes(*inner)) {  // (N - 1)*(N + 1) is N*N without its last element
    if (const std::optional<Product> whole = fit_border(rest, survey.choices)) {
      inner = whole;
      layout.border = true;
    }
  }
  if (!inner) {
    if (const auto loop = any_inner_loop(rest, survey.choices)) {
      layout.dimensions.push_back(loop->first);
      inner = loop->second;
    }
  }
  if (!sort_by_stride(layout.dimensions, survey.choices) || !find_extents(layout.dimensions) ||
      !take_inner(layout, inner, rest, survey.choices))
    return std::nullopt;
  return layout;
}

OrderedProduct in_order_of_strides(const Product& product, const ReachSurvey& survey, size_t tensor,
                                   const std::array<int64_t, 3>& per_block) {
  const Sizes& sizes = survey.choices.front();
  const size_t count = product.factors.size();
  std::vector<size_t> order;
  for (size_t i = 0; i < count; ++i) order.push_back(i);
  const auto stride_behind = [&](size_t place, size_t constant_place) {
    int64_t stride = place < constant_place ? product.constant : 1;
    for (size_t i = place + 1; i < count; ++i) stride *= product.factors[order[i]].value(sizes);
    return stride;
  };
  const auto agrees = [&](size_t constant_place) {
    for (size_t place = 0; place < count; ++place) {
      const Factor& factor = product.factors[order[place]];
      if (factor.kind != Kind::size) continue;
      for (size_t axis = 0; axis < 3; ++axis) {
        for (const Bound& bound : survey.bounds[axis]) {
          const int64_t step = bound.strides[tensor];
          if (bound.size == factor.first && survey.bounds[axis].size() == 1 && step > 0 && bound.blocks > 2 &&
              step != per_block[axis] * stride_behind(place, constant_place))
            return false;
        }
      }
    }
    return true;
  };
  // Pairs and colours of a pixel are more common than planes.
  for (size_t behind = 0; behind <= (product.constant > 1 ? count : 0); ++behind) {
    const size_t constant_place = count - behind;
    do {
      if (!agrees(constant_place)) continue;
      OrderedProduct ordered{product, constant_place};
      for (size_t i = 0; i < count; ++i) ordered.product.factors[i] = product.factors[order[i]];
      return ordered;
    } while (std::ranges::next_permutation(order).found);
  }
  return {product, count};
}

}  // namespace assay::describe
