// SPDX-License-Identifier: MIT
// The way from a choice to something that runs.
#pragma once

#include <string>
#include <vector>

#include "assay/context.hpp"
#include "assay/kernel_choice.hpp"
#include "base/result.hpp"
#include "build/builder.hpp"
#include "check/worker.hpp"
#include "device/device.hpp"
#include "spec/configuration.hpp"
#include "spec/kernel_spec.hpp"

namespace assay::work {

// Without a name: the GPU if there is one, else the first virtual GPU that has what the kernel needs.
std::string device_for(const spec::KernelSpec& spec, const std::string& device);
// The same for checks and counters, which only a virtual GPU has: the one that is most like this machine's GPU.
Result<std::string> virtual_device_for(const spec::KernelSpec& spec, const std::string& device);

// "": the default one.
Result<spec::Configuration> chosen_configuration(const spec::KernelSpec& spec, const std::string& configuration);

// The target of the specification whose PTX the device runs best. An error if the device lacks what the kernel needs,
// as tensor maps.
Result<std::string> device_target(const spec::KernelSpec& spec, const std::string& device);

// The kernel of a folder, or all kernels in its subfolders: a ladder is measured as a whole.
Result<std::vector<spec::KernelSpec>> load_kernels(const std::string& folder_or_file);

// The PTX of one configuration for one device: compiled, from the cache, or prebuilt.
struct Runnable {
  build::BuildResult built;
  check::Worker::Options worker;
};
// The first kernel of a call, by its name in the PTX; empty if a launch function decides.
Result<std::string> first_kernel(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                 const spec::Shape& shape, const Runnable& runnable);
Result<Runnable> make_runnable(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                               const std::string& device, const CaseLimits& limits, const Context& context);

}  // namespace assay::work
