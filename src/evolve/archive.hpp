// SPDX-License-Identifier: MIT
// Kernels that passed every gate, by what they are: one champion for each cell. What lost against the incumbent may
// still be the best of its kind, and a parent for what comes next.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace assay::evolve {

// What a kernel is.
struct Cell {
  std::string limiter;        // the part of the GPU that takes longest
  std::string shared_memory;  // "none", "up to 16 KiB", ...
  int stages = 1;
  std::string work_per_thread;  // outputs of one thread: "1", "2", "3 to 4", ...

  auto operator<=>(const Cell&) const = default;
};

std::string shared_memory_class(int64_t bytes);
std::string work_class(double outputs_per_thread);
std::string to_string(const Cell& cell);

struct Champion {
  std::string id;
  double ratio = 1;  // time over that of the first kernel, geometric mean over the specification's shapes
};

class Archive {
 public:
  // True: it is the first of its cell, or better than the champion.
  bool add(const Cell& cell, const Champion& champion);
  const std::map<Cell, Champion>& cells() const { return cells_; }

  // The parent of a proposal: the incumbent; once several proposals in a row have brought nothing, every second one
  // begins with the champion of another cell, in turn.
  std::string parent(const std::string& incumbent, size_t since_accepted) const;

 private:
  std::map<Cell, Champion> cells_;
};

}  // namespace assay::evolve
