// SPDX-License-Identifier: MIT
// A GPU of this machine as a GpuModel: limits as the driver tells them, peaks of the product where it is known.
#pragma once

#include <string_view>

#include "device/cuda/driver.hpp"
#include "gpu/gpu_model.hpp"

namespace assay::device::cuda {

class CudaModel {
 public:
  CudaModel(const Driver& driver, CUdevice device);

  // A copy may outlive this object and the device.
  const gpu::GpuModel& get() const { return model_; }
  // Whether the peaks are the product's; otherwise they are computed from clocks and widths.
  bool known_product() const { return known_; }

 private:
  bool known_ = false;
  gpu::GpuModel model_;  // id: "h200", or "sm_90" for a product that is not in our table; name: as the driver spells it
};

// The model in our table that a driver's name for a GPU means, or nullptr.
const gpu::GpuModel* product_named(std::string_view name);

}  // namespace assay::device::cuda
