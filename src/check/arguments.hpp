// SPDX-License-Identifier: MIT
// From a specification to the bytes of every parameter of a kernel.
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

// One entry for each parameter of the kernel that takes these arguments, tensor maps included; `addresses` are those of
// the tensors' first elements and of the arrays of pointers.
Result<std::vector<std::vector<std::byte>>> argument_bytes(device::Device& device,
                                                           const std::vector<spec::ResolvedArgument>& arguments,
                                                           const std::vector<std::string>& names,
                                                           const std::map<std::string, uint64_t>& addresses);

// The bytes of an array of pointers.
std::vector<std::byte> pointer_bytes(const spec::ResolvedPointers& pointers,
                                     const std::vector<spec::ResolvedArgument>& arguments,
                                     const std::map<std::string, uint64_t>& addresses);

}  // namespace assay::check
