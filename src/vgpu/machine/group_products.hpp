// SPDX-License-Identifier: MIT
// The products (wgmma) of a block's warp groups. Here each warp computes its quarter by itself; on a GPU the four warps
// of a group execute a product together, so all of them must execute the same ones in the same order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "vgpu/machine/program.hpp"

namespace assay::vgpu {

inline constexpr size_t kGroupWarps = 4;

class GroupProducts {
 public:
  struct Product {
    const Function* function;
    const Instruction* instruction;
    uint64_t b;  // the descriptor of B, the same for all warps
  };

  void start(size_t warps) { groups_.assign((warps + kGroupWarps - 1) / kGroupWarps, {}); }
  // The warp executes its next product. Returns why that cannot be; empty: it can.
  std::string execute(size_t warp, const Product& product);
  // The warp has ended. Returns a product that another warp of its group has executed and this one has not.
  std::optional<Product> end(size_t warp);

 private:
  struct Member {
    uint64_t executed = 0;
    bool ended = false;
  };
  struct Group {
    std::deque<Product> open;  // executed by some of the four, but not by all
    uint64_t complete = 0;     // executed by all, before those
    std::array<Member, kGroupWarps> members{};
  };
  std::vector<Group> groups_;
};

}  // namespace assay::vgpu
