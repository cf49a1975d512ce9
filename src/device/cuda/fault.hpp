// SPDX-License-Identifier: MIT
// What stopped a kernel on a GPU, as a finding: as much as the driver tells.
#pragma once

#include <string>
#include <string_view>

#include "device/cuda/driver.hpp"
#include "gpu/finding.hpp"

namespace assay::device::cuda {

// `errors` is what the driver wrote to standard error meanwhile: failed assertions stand there.
gpu::Finding fault_finding(const Driver& driver, CUresult code, const std::string& kernel, std::string_view errors);

// "file.cu:12: void kernel(float *): block: [1,0,0], thread: [3,0,0] Assertion `x > 0` failed." into the finding.
// False if the text holds no such line.
bool read_assertion(std::string_view errors, gpu::Finding& finding);

}  // namespace assay::device::cuda
