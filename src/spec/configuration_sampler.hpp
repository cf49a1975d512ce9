// SPDX-License-Identifier: MIT
// Legal configurations of a space that is too large to be listed: how many there are, and some of them at random.
// Tunables that no constraint binds together are counted apart, so that the number is exact wherever each group of them
// can be listed. What cannot is estimated by random paths and drawn by them.
#pragma once

#include <optional>
#include <vector>

#include "base/random.hpp"
#include "spec/configuration_tree.hpp"

namespace assay::spec {

class ConfigurationSampler {
 public:
  // `fixed`: tunables that have this value alone.
  static Result<ConfigurationSampler> make(const KernelSpec& spec, const Bindings& fixed, uint64_t seed);

  double combinations() const { return combinations_; }  // before constraints
  double count() const { return count_; }                // legal ones; 0: none was found
  bool exact() const { return error_ == 0; }
  double error() const { return error_; }  // standard error of the estimate, relative to it

  // Nothing if none was found in many attempts. Uniform where the count is exact.
  Result<std::optional<ConfigurationRow>> draw(Random& random);
  Result<bool> legal(const ConfigurationRow& row) { return whole_.legal(row); }

 private:
  struct Group {
    std::vector<size_t> tunables;
    std::vector<ConfigurationRow> rows;  // all of them; empty: drawn from the tree
    ConfigurationTree tree;
  };
  ConfigurationSampler(const KernelSpec& spec, const Bindings& fixed) : whole_(spec, fixed) {}

  ConfigurationTree whole_;
  std::vector<Group> groups_;
  double combinations_ = 1;
  double count_ = 1;
  double error_ = 0;
};

}  // namespace assay::spec
