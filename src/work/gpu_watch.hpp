// SPDX-License-Identifier: MIT
// What a GPU says of itself while something is measured on it: read every now and then, on a thread of its own.
#pragma once

#include <memory>
#include <string>

#include "assay/diagnose.hpp"

namespace assay::work {

class GpuWatch {
 public:
  explicit GpuWatch(const std::string& gpu);  // "cuda:0"; where there is no NVML, nothing is known
  ~GpuWatch();
  GpuWatch(const GpuWatch&) = delete;
  GpuWatch& operator=(const GpuWatch&) = delete;

  // The most that was read of each so far. Clocks are left to samples, which know when the kernel ran.
  GpuConditions conditions();

 private:
  struct Watching;
  std::unique_ptr<Watching> watching_;
};

}  // namespace assay::work
