// SPDX-License-Identifier: MIT
// How far one kernel reaches into its tensors, for one shape after the other on the same buffers, in this process.
// Nothing is compared, and the shape of the tensors must not depend on the shape of the problem.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "device/device.hpp"
#include "spec/kernel_spec.hpp"
#include "spec/resolved_argument.hpp"
#include "spec/shape.hpp"

namespace assay::check {

struct ReachSetup {
  std::filesystem::path spec_file;
  std::filesystem::path ptx;
  std::string device;
  std::filesystem::path cache_folder;
  uint64_t instruction_limit = 0;
};

class ReachCase {
 public:
  static Result<std::unique_ptr<ReachCase>> open(const ReachSetup& setup);

  // Elements of each tensor up to the last one that was touched, by the argument's name.
  Result<std::map<std::string, int64_t>> run(const std::string& shape);

 private:
  struct Buffer {
    uint64_t address = 0;
    int64_t elements = 0;
    bool changes = false;          // the kernel may write to it
    uint64_t reach = 0;            // of the last launch, in bytes
    std::vector<std::byte> bytes;  // what it holds before each launch
  };

  ReachCase() = default;
  Result<void> make_buffer(const spec::Shape& shape, const std::vector<spec::ResolvedArgument>& arguments,
                           const spec::ResolvedArgument& argument);
  Result<std::map<std::string, uint64_t>> prepare(const spec::Shape& shape,
                                                  const std::vector<spec::ResolvedArgument>& arguments);

  ReachSetup setup_;
  spec::KernelSpec spec_;
  spec::Configuration configuration_;
  std::unique_ptr<device::Device> device_;
  std::string ptx_;
  std::unique_ptr<device::Module> module_;
  std::map<std::string, Buffer> buffers_;
};

}  // namespace assay::check
