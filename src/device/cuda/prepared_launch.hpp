// SPDX-License-Identifier: MIT
// A launch that has been checked: function, geometry and argument bytes, ready to be put on a stream again and again.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "device/cuda/driver.hpp"
#include "device/device.hpp"

namespace assay::device::cuda {

class PreparedLaunch {
 public:
  // The function must be of a module of the current context. Dynamic shared memory is opted into here.
  static Result<PreparedLaunch> make(const Driver& driver, CUfunction function, const gpu::GpuModel& model,
                                     const LaunchRequest& request);
  PreparedLaunch(PreparedLaunch&&) = default;
  PreparedLaunch& operator=(PreparedLaunch&&) = default;

  // Does not wait. The driver's own code, so that the caller can tell faults from refusals.
  CUresult launch(CUstream stream) const;

  CUfunction function() const { return function_; }
  const std::string& entry() const { return entry_; }
  // Another value for one argument, of the same size; as for rotating buffers.
  void set_argument(size_t index, std::vector<std::byte> bytes);

 private:
  PreparedLaunch(const Driver& driver, CUfunction function) : driver_(&driver), function_(function) {}
  Result<void> check_cooperative(const gpu::GpuModel& model, const LaunchRequest& request) const;
  Result<void> check_arguments();

  const Driver* driver_;
  CUfunction function_;
  std::string entry_;
  gpu::Dim3 grid_;
  gpu::Dim3 block_;
  uint32_t shared_bytes_ = 0;
  std::optional<gpu::Dim3> cluster_;
  bool cooperative_ = false;
  bool early_start_ = false;  // programmatic dependent launch: before the kernel in front of it has ended
  std::optional<int> priority_;
  std::vector<std::vector<std::byte>> arguments_;
  std::vector<void*> pointers_;  // to the arguments' bytes
};

}  // namespace assay::device::cuda
