// SPDX-License-Identifier: MIT
// A check: an observer with findings. check_registry.hpp lists them all.
#pragma once

#include "gpu/finding_list.hpp"
#include "vgpu/machine/observer.hpp"

namespace assay::vgpu {

class Check : public Observer {
 public:
  virtual const gpu::FindingList& found() const = 0;
};

}  // namespace assay::vgpu
