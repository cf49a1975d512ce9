// SPDX-License-Identifier: MIT
#include "describe/border.hpp"

#include <array>

namespace assay::describe {
namespace {

constexpr int64_t kWidest = 8;

using Border = std::array<int64_t, 3>;

// How far before the end of each dimension an index lies; nothing if it lies in none or too far before it.
std::optional<Border> border_of(int64_t index, const std::vector<size_t>& dimensions, const Sizes& sizes) {
  Border border{};
  for (size_t i = dimensions.size(); i-- > 0;) {
    const int64_t size = sizes[dimensions[i]];
    const int64_t place = i == 0 ? index : index % size;
    border[i] = size - 1 - place;
    if (border[i] < 0 || border[i] > kWidest) return std::nullopt;
    index /= size;
  }
  return border;
}

bool has_border(const std::vector<size_t>& dimensions, std::span<const int64_t> reach, std::span<const Sizes> sizes) {
  const std::optional<Border> first = border_of(reach[0] - 1, dimensions, sizes[0]);
  if (!first || first == Border{}) return false;
  for (size_t i = 1; i < reach.size(); ++i) {
    if (border_of(reach[i] - 1, dimensions, sizes[i]) != first) return false;
  }
  return true;
}

}  // namespace

std::optional<Product> fit_border(std::span<const int64_t> reach, std::span<const Sizes> sizes) {
  if (reach.size() < 2 || sizes.size() != reach.size()) return std::nullopt;
  const size_t count = sizes.front().size();
  for (const size_t rank : {2, 3}) {
    std::vector<size_t> dimensions(rank, 0);
    while (true) {
      if (has_border(dimensions, reach, sizes)) {
        Product product;
        for (const size_t each : dimensions) product.factors.push_back({Factor::Kind::size, each});
        return product;
      }
      size_t place = rank;
      while (place > 0 && ++dimensions[place - 1] == count) dimensions[--place] = 0;
      if (place == 0 || count == 0) break;
    }
  }
  return std::nullopt;
}

}  // namespace assay::describe
