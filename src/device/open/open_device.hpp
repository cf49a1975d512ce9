// SPDX-License-Identifier: MIT
// The devices of this machine, by name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "device/device.hpp"

namespace assay::device {

// "vgpu:l4", "vgpu:a100", ..., "cuda:0". An unknown name is an error that lists those there are.
Result<std::unique_ptr<Device>> open_device(const std::string& name);
std::string default_device_name();        // the first GPU if there is one, else a virtual one
std::vector<std::string> device_names();  // all that open_device takes here, GPUs first

}  // namespace assay::device
