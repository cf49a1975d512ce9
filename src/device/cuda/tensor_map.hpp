// SPDX-License-Identifier: MIT
// Tensor maps: from the specification's words to the driver's 128 bytes.
#pragma once

#include <cstddef>
#include <vector>

#include "base/result.hpp"
#include "device/cuda/driver.hpp"
#include "device/device.hpp"

namespace assay::device::cuda {

// An error names what is wrong with the map before the driver would only say "invalid value".
Result<std::vector<std::byte>> encode_tensor_map(const Driver& driver, const TensorMapRequest& request);

}  // namespace assay::device::cuda
