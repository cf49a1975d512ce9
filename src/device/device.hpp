// SPDX-License-Identifier: MIT
// A device that runs kernels: a virtual GPU here, a real one behind the same interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "vgpu/models/gpu_model.hpp"
#include "vgpu/observe/finding.hpp"

namespace assay::device {

// A loaded module of this device.
class Module {
 public:
  virtual ~Module() = default;
};

struct LaunchRequest {
  const Module* module = nullptr;
  std::string entry;
  vgpu::Dim3 grid;
  vgpu::Dim3 block;
  uint32_t shared_bytes = 0;                      // dynamic
  std::vector<std::vector<std::byte>> arguments;  // one per parameter, in the kernel's order
  bool check_memory = false;                      // report bad accesses as findings and go on
  uint64_t instruction_limit = 0;                 // 0: the device's own
};

struct LaunchOutcome {
  std::vector<vgpu::Finding> findings;  // of the memory checks, in the order of their first occurrence
  uint64_t finding_occurrences = 0;
  std::optional<vgpu::Finding> fault;  // what stopped the kernel, if something did
  std::string printed;
  uint64_t instructions = 0;         // counted, of warps
  uint64_t thread_instructions = 0;  // counted, of threads

  bool clean() const { return findings.empty() && !fault; }
};

class Device {
 public:
  virtual ~Device() = default;

  virtual std::string name() const = 0;  // as in --device: "vgpu:l4"
  virtual const vgpu::GpuModel& model() const = 0;
  virtual Result<std::unique_ptr<Module>> load(std::string_view ptx, const std::string& file_name) = 0;
  virtual std::vector<std::string> approximate_instructions(const Module& module) const = 0;

  virtual Result<uint64_t> allocate(uint64_t bytes, const std::string& label) = 0;
  virtual Result<void> release(uint64_t address) = 0;
  virtual Result<void> upload(uint64_t address, std::span<const std::byte> bytes) = 0;
  virtual Result<void> download(uint64_t address, std::span<std::byte> bytes) = 0;
  virtual Result<LaunchOutcome> launch(const LaunchRequest& request) = 0;
};

// "vgpu:l4", "vgpu:a100", ... An unknown name is an error that lists those there are.
Result<std::unique_ptr<Device>> open_device(const std::string& name);
std::string default_device_name();

}  // namespace assay::device
