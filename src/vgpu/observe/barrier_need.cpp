// SPDX-License-Identifier: MIT
#include "vgpu/observe/barrier_need.hpp"

#include <algorithm>

namespace assay::vgpu {

BarrierNeed::Word& BarrierNeed::at(uint64_t word) {
  if (word >= words_.size()) words_.resize(std::max<size_t>(word + 1, 2 * words_.size()));
  return words_[word];
}

void BarrierNeed::completed(size_t site) {
  ++epoch_;
  site_of_epoch_.push_back(site);
  ++sites_[site].complete;
}

void BarrierNeed::needs(uint32_t from, uint32_t to) {
  if (from >= to || last_needed_ > from) return;
  last_needed_ = to;
  ++sites_[site_of_epoch_[to]].needed;
}

void BarrierNeed::read(uint64_t word, uint32_t thread) {
  Word& state = at(word);
  if (state.writer != kNobody && state.writer != thread) needs(state.write_epoch, epoch_);
  const bool others = state.reader != kNobody && state.reader != thread && state.read_epoch == epoch_;
  state.reader = others ? kMany : thread;
  state.read_epoch = epoch_;
}

void BarrierNeed::write(uint64_t word, uint32_t thread) {
  Word& state = at(word);
  if (state.writer != kNobody && state.writer != thread) needs(state.write_epoch, epoch_);
  if (state.reader != kNobody && state.reader != thread) needs(state.read_epoch, epoch_);
  state.writer = thread;
  state.write_epoch = epoch_;
}

}  // namespace assay::vgpu
