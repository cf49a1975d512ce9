// SPDX-License-Identifier: MIT
// The kernels of one call, ready for a device: from the stages of a specification, or from its launch function.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "build/entry_points.hpp"
#include "build/resource_usage.hpp"
#include "device/device.hpp"
#include "reference/user_program.hpp"
#include "spec/kernel_spec.hpp"
#include "spec/resolved_argument.hpp"
#include "spec/shape.hpp"

namespace assay::check {

// What a call is made of beside the buffers.
class LaunchPlanner {
 public:
  // `image` is what was compiled: PTX, or machine code if there is no PTX. A launch function is compiled into the cache
  // folder.
  static Result<LaunchPlanner> open(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                    const device::Image& image, const std::filesystem::path& cache_folder);

  // One request for each kernel, in order; none for a stage whose grid is empty. `addresses` are those of every
  // tensor's first element and of every array of pointers. Without module and checks.
  Result<std::vector<device::LaunchRequest>> plan(device::Device& device, const spec::Shape& shape,
                                                  const std::vector<spec::ResolvedArgument>& arguments,
                                                  const std::map<std::string, uint64_t>& addresses) const;

 private:
  LaunchPlanner(const spec::KernelSpec& spec, spec::Configuration configuration)
      : spec_(&spec), configuration_(std::move(configuration)) {}
  Result<std::vector<device::LaunchRequest>> by_function(device::Device& device, const spec::Shape& shape,
                                                         const std::vector<spec::ResolvedArgument>& arguments,
                                                         const std::map<std::string, uint64_t>& addresses) const;
  Result<std::vector<device::LaunchRequest>> read_answer(const std::string& answer) const;
  std::optional<int> registers_of(const std::string& entry) const;

  const spec::KernelSpec* spec_;
  spec::Configuration configuration_;
  std::vector<build::EntryPoint> entries_;
  std::vector<build::ResourceUsage> resources_;  // of the machine code, if there is some
  std::optional<reference::UserProgram> function_;
};

// The variables of the module that are scalars get their values.
Result<void> write_scalar_variables(device::Device& device, const device::Module& module,
                                    const std::vector<spec::ResolvedArgument>& arguments);

}  // namespace assay::check
