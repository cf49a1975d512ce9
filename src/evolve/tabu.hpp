// SPDX-License-Identifier: MIT
// What need not be tried again: kernels by what they compile to, and ideas that have lost twice on the same parent.
#pragma once

#include <map>
#include <optional>
#include <string>

namespace assay::evolve {

class Tabu {
 public:
  static constexpr size_t kLosses = 2;

  // --- by what it compiles to
  void add_kernel(const std::string& hash, size_t proposal) { kernels_.emplace(hash, proposal); }
  const std::map<std::string, size_t>& kernels() const { return kernels_; }
  std::optional<size_t> proposal_of(const std::string& hash) const;  // that brought the same kernel first

  // --- by hypothesis: capitals, signs and spaces do not count
  void add_loss(const std::string& parent, const std::string& hypothesis) { ++losses_[key(parent, hypothesis)]; }
  size_t losses(const std::string& parent, const std::string& hypothesis) const;

 private:
  static std::string key(const std::string& parent, const std::string& hypothesis);

  std::map<std::string, size_t> kernels_;
  std::map<std::string, size_t> losses_;
};

}  // namespace assay::evolve
