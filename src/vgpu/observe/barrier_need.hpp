// SPDX-License-Identifier: MIT
// Which barriers of a block protect something. Two accesses of different threads to the same place, one of them a
// write, need a barrier between them. Of several barriers between the two the last is charged, unless one of them is
// needed already: that is the smallest set of barriers that separates every such pair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace assay::vgpu {

class BarrierNeed {
 public:
  struct Site {
    uint64_t complete = 0;  // how often the barrier of this place completed
    uint64_t needed = 0;    // of them
  };

  uint32_t epoch() const { return epoch_; }
  void completed(size_t site);  // a barrier of the whole block, at this instruction
  void read(uint64_t word, uint32_t thread);
  void write(uint64_t word, uint32_t thread);
  void needs(uint32_t from, uint32_t to);  // something of epoch `from` must come before something of epoch `to`
  const std::map<size_t, Site>& sites() const { return sites_; }

 private:
  static constexpr uint32_t kNobody = 0xffff'ffff;
  static constexpr uint32_t kMany = 0xffff'fffe;
  struct Word {  // of shared memory
    uint32_t writer = kNobody;
    uint32_t write_epoch = 0;
    uint32_t reader = kNobody;
    uint32_t read_epoch = 0;
  };
  Word& at(uint64_t word);

  uint32_t epoch_ = 0;
  uint32_t last_needed_ = 0;  // the barrier that began this epoch is needed; 0: none
  std::vector<size_t> site_of_epoch_ = {0};
  std::map<size_t, Site> sites_;
  std::vector<Word> words_;
};

}  // namespace assay::vgpu
