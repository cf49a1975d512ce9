// SPDX-License-Identifier: MIT
#include "spec/configuration_sampler.hpp"

#include <cmath>

namespace assay::spec {
namespace {

constexpr size_t kMostRows = 200'000;        // of a group, in memory
constexpr size_t kStepsOfGroup = 1'000'000;  // to list a group
constexpr size_t kProbes = 2'000;            // to estimate one
constexpr int kAttempts = 2'000;             // to draw one

}  // namespace

Result<ConfigurationSampler> ConfigurationSampler::make(const KernelSpec& spec, const Bindings& fixed, uint64_t seed) {
  ConfigurationSampler sampler(spec, fixed);
  sampler.combinations_ = sampler.whole_.combinations();
  Random random(seed ^ 0xc0117);
  double variance = 0;  // relative
  for (std::vector<size_t>& tunables : groups_of_tunables(spec)) {
    Group group{tunables, {}, ConfigurationTree(spec, fixed, tunables)};
    ASSAY_TRY(const bool whole, group.tree.walk(
                                    [&](const ConfigurationRow& row) -> Result<bool> {
                                      group.rows.push_back(row);
                                      return group.rows.size() < kMostRows;
                                    },
                                    kStepsOfGroup));
    if (whole) {
      sampler.count_ *= static_cast<double>(group.rows.size());
    } else {
      group.rows.clear();
      double sum = 0, squares = 0;
      for (size_t i = 0; i < kProbes; ++i) {
        ASSAY_TRY(const ConfigurationTree::Probe probe, group.tree.probe(random));
        sum += probe.count;
        squares += probe.count * probe.count;
      }
      const double mean = sum / kProbes;
      sampler.count_ *= mean;
      if (mean > 0) variance += (squares / kProbes - mean * mean) / (mean * mean) / kProbes;
      variance = std::max(variance, 1e-12);  // an estimate, whatever the paths say
    }
    sampler.groups_.push_back(std::move(group));
  }
  sampler.error_ = std::sqrt(variance);
  return sampler;
}

Result<std::optional<ConfigurationRow>> ConfigurationSampler::draw(Random& random) {
  std::optional<ConfigurationRow> row;
  for (Group& group : groups_) {
    std::optional<ConfigurationRow> part;
    if (!group.rows.empty()) part = group.rows[random.below(group.rows.size())];
    for (int attempt = 0; attempt < kAttempts && group.rows.empty() && !part; ++attempt) {
      ASSAY_TRY(ConfigurationTree::Probe probe, group.tree.probe(random));
      part = std::move(probe.row);
    }
    if (!part) return std::optional<ConfigurationRow>();
    if (!row) row.emplace(part->size(), uint16_t{0});
    for (const size_t tunable : group.tunables) (*row)[tunable] = (*part)[tunable];
  }
  return row;
}

}  // namespace assay::spec
