// SPDX-License-Identifier: MIT
// The rates of a case: the model's, or those that were measured on such a GPU in their place.
#pragma once

#include <memory>
#include <optional>

#include "estimate/sequence.hpp"
#include "gpu/measured_rates.hpp"
#include "work/rates_store.hpp"

namespace assay::work {

class CaseRates {
 public:
  CaseRates(const gpu::GpuModel& model, const std::optional<StoredRates>& measured) : model_(gpu::rates_of(model)) {
    if (!measured) return;
    time_ = gpu::with_measured(model_, measured->rates);
    bound_ = gpu::best_of_both(model_, measured->rates);
  }
  // Null: the model's.
  const std::shared_ptr<const gpu::Rates>& time() const { return time_; }
  const std::shared_ptr<const gpu::Rates>& bound() const { return bound_; }
  estimate::RatesInUse get() const { return {time_ ? *time_ : model_, bound_ ? *bound_ : model_}; }

 private:
  const gpu::Rates& model_;
  std::shared_ptr<const gpu::Rates> time_;
  std::shared_ptr<const gpu::Rates> bound_;
};

}  // namespace assay::work
