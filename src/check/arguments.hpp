// SPDX-License-Identifier: MIT
// From a specification to what a device launches: geometry, entry and the bytes of every parameter.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "device/device.hpp"
#include "spec/kernel_spec.hpp"
#include "spec/resolved_argument.hpp"
#include "spec/shape.hpp"

namespace assay::check {

// Without module and arguments.
Result<device::LaunchRequest> launch_request(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                             const spec::Shape& shape);

// One entry for each parameter, tensor maps included; `addresses` are those of the tensors' first elements.
Result<std::vector<std::vector<std::byte>>> argument_bytes(device::Device& device,
                                                           const std::vector<spec::ResolvedArgument>& arguments,
                                                           const std::map<std::string, uint64_t>& addresses);

}  // namespace assay::check
