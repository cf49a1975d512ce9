// SPDX-License-Identifier: MIT
#include "vgpu/machine/group_products.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace assay::vgpu {
namespace {

constexpr size_t kMostApart = size_t{1} << 20;  // products that one warp may be ahead of another

int line_of(const GroupProducts::Product& product) {
  return product.function->origin_of(*product.instruction).ptx_line;
}

}  // namespace

std::string GroupProducts::execute(size_t warp, const Product& product) {
  Group& group = groups_[warp / kGroupWarps];
  const uint64_t number = group.members[warp % kGroupWarps].executed++;
  for (size_t i = 0; i < kGroupWarps; ++i) {
    const Member& member = group.members[i];
    if (member.ended && member.executed <= number)
      return fmt::format("the four warps of a group execute a product together, and warp {} has ended without it",
                         warp / kGroupWarps * kGroupWarps + i);
  }
  const size_t place = number - group.complete;
  if (place == group.open.size()) {
    group.open.push_back(product);
    if (group.open.size() > kMostApart)
      return fmt::format("the four warps of a group execute products together, and warp {} is {} ahead of another",
                         warp, kMostApart);
  } else if (const Product& first = group.open[place]; first.instruction != product.instruction) {
    return fmt::format(
        "the four warps of a group execute a product together, and another one executed that of PTX line {} here",
        line_of(first));
  } else if (first.b != product.b) {
    return fmt::format(
        "the four warps of a group execute a product together, and another one has 0x{:x} as the descriptor of B "
        "where this one has 0x{:x}",
        first.b, product.b);
  }
  const auto slowest = std::ranges::min(group.members, {}, &Member::executed).executed;
  for (; group.complete < slowest; ++group.complete) group.open.pop_front();
  return "";
}

std::optional<GroupProducts::Product> GroupProducts::end(size_t warp) {
  Group& group = groups_[warp / kGroupWarps];
  Member& member = group.members[warp % kGroupWarps];
  member.ended = true;
  const size_t place = member.executed - group.complete;
  return place < group.open.size() ? std::optional(group.open[place]) : std::nullopt;
}

}  // namespace assay::vgpu
