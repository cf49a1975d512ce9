// SPDX-License-Identifier: MIT
// The rules for tensor maps that every device keeps (the CUDA driver guide, cuTensorMapEncodeTiled and
// cuTensorMapEncodeIm2col).
#pragma once

#include "base/result.hpp"
#include "device/device.hpp"

namespace assay::device {

// The bytes of an element, if the request keeps the rules.
Result<uint64_t> check_tensor_map(const TensorMapRequest& request);

Error tensor_map_refused(std::string message);

}  // namespace assay::device
