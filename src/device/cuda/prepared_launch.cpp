// SPDX-License-Identifier: MIT
#include "device/cuda/prepared_launch.hpp"

#include <array>
#include <cassert>
#include <fmt/format.h>

#include "device/launch_limits.hpp"

namespace assay::device::cuda {
namespace {

constexpr uint64_t kPortableCluster = 8;  // blocks; more needs the kernel's consent

// What the function was compiled with; 0 if the driver does not tell.
uint64_t attribute(const Driver& driver, CUfunction function, CUfunction_attribute which) {
  int value = 0;
  return driver.cuFuncGetAttribute(&value, which, function) == CUDA_SUCCESS && value > 0 ? static_cast<uint64_t>(value)
                                                                                         : 0;
}

KernelLimits limits_of(const Driver& driver, CUfunction function) {
  return {attribute(driver, function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), "its registers and bounds",
          attribute(driver, function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)};
}

}  // namespace

Result<PreparedLaunch> PreparedLaunch::make(const Driver& driver, CUfunction function, const gpu::GpuModel& model,
                                            const LaunchRequest& request) {
  PreparedLaunch prepared(driver, function);
  prepared.entry_ = request.entry;
  prepared.grid_ = request.grid;
  prepared.block_ = request.block;
  prepared.shared_bytes_ = request.shared_bytes;
  prepared.cluster_ = request.cluster;
  prepared.cooperative_ = request.cooperative;
  prepared.early_start_ = request.programmatic;
  prepared.priority_ = request.priority;
  prepared.arguments_ = request.arguments;
  ASSAY_CHECK(check_limits(request, model, limits_of(driver, function)));
  ASSAY_CHECK(prepared.check_arguments());
  if (request.shared_bytes > 0) {
    ASSAY_CHECK(
        driver.check(driver.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                               static_cast<int>(request.shared_bytes)),
                     fmt::format("{} bytes of dynamic shared memory for '{}'", request.shared_bytes, request.entry)));
  }
  if (request.cluster && request.cluster->volume() > kPortableCluster) {
    ASSAY_CHECK(
        driver.check(driver.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
                     fmt::format("clusters of {} blocks for '{}'", request.cluster->volume(), request.entry)));
  }
  if (request.shared_carveout) {
    ASSAY_CHECK(driver.check(
        driver.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                                  *request.shared_carveout),
        fmt::format("a shared memory carveout of {} percent for '{}'", *request.shared_carveout, request.entry)));
  }
  ASSAY_CHECK(prepared.check_cooperative(model, request));
  return prepared;
}

// The driver would refuse it as well, with a code that names neither the grid nor what fits.
Result<void> PreparedLaunch::check_cooperative(const gpu::GpuModel& model, const LaunchRequest& request) const {
  if (!cooperative_) return {};
  int blocks = 0;
  ASSAY_CHECK(driver_->check(driver_->cuOccupancyMaxActiveBlocksPerMultiprocessor(
                                 &blocks, function_, static_cast<int>(block_.volume()), shared_bytes_),
                             fmt::format("the occupancy of '{}'", entry_)));
  const uint64_t resident = static_cast<uint64_t>(std::max(0, blocks)) * static_cast<uint64_t>(model.sm_count);
  if (grid_.volume() <= resident) return {};
  return cooperative_grid_too_large(request, model, resident);
}

// Without this the driver would read as many bytes as the kernel wants, ours or not.
Result<void> PreparedLaunch::check_arguments() {
  constexpr size_t kMost = 4096;  // bytes of parameters have a limit, so their number has one
  if (driver_->cuFuncGetParamInfo != nullptr) {
    size_t count = 0;
    for (size_t offset = 0, bytes = 0;
         count < kMost && driver_->cuFuncGetParamInfo(function_, count, &offset, &bytes) == CUDA_SUCCESS; ++count) {
      if (count < arguments_.size() && arguments_[count].size() != bytes) {
        return Error{fmt::format("parameter {} of '{}' has {} bytes, the argument has {}", count, entry_, bytes,
                                 arguments_[count].size()),
                     {},
                     "compare the argument's type with the kernel's signature"};
      }
    }
    if (count != arguments_.size()) {
      return Error{
          fmt::format("the kernel '{}' takes {} parameters, {} arguments were given", entry_, count, arguments_.size()),
          {},
          "compare the [[argument]] list with the kernel's signature"};
    }
  } else {
    // An older driver does not tell; zeros behind the arguments keep it from reading what is not ours.
    for (std::vector<std::byte>& bytes : arguments_) bytes.resize(kMost);
    arguments_.resize(std::max<size_t>(arguments_.size(), 256), std::vector<std::byte>(kMost));
  }
  pointers_.reserve(arguments_.size());
  for (std::vector<std::byte>& bytes : arguments_) pointers_.push_back(bytes.data());
  return {};
}

void PreparedLaunch::set_argument(size_t index, std::vector<std::byte> bytes) {
  assert(index < arguments_.size() && bytes.size() <= arguments_[index].size());
  bytes.resize(arguments_[index].size());
  arguments_[index] = std::move(bytes);
  pointers_[index] = arguments_[index].data();
}

CUresult PreparedLaunch::launch(CUstream stream) const {
  std::array<CUlaunchAttribute, 4> attributes{};
  unsigned count = 0;
  if (cluster_) {
    CUlaunchAttribute& attribute = attributes[count++];
    attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim = {cluster_->x, cluster_->y, cluster_->z};
  }
  if (cooperative_) {
    CUlaunchAttribute& attribute = attributes[count++];
    attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    attribute.value.cooperative = 1;
  }
  if (priority_) {
    CUlaunchAttribute& attribute = attributes[count++];
    attribute.id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
    attribute.value.priority = *priority_;
  }
  if (early_start_) {
    CUlaunchAttribute& attribute = attributes[count++];
    attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    attribute.value.programmaticStreamSerializationAllowed = 1;
  }
  const CUlaunchConfig config{grid_.x,  grid_.y,       grid_.z, block_.x,          block_.y,
                              block_.z, shared_bytes_, stream,  attributes.data(), count};
  return driver_->cuLaunchKernelEx(&config, function_, const_cast<void**>(pointers_.data()), nullptr);
}

}  // namespace assay::device::cuda
