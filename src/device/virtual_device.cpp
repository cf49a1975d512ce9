// SPDX-License-Identifier: MIT
#include "device/virtual_device.hpp"

#include <cstring>
#include <fmt/format.h>

#include "vgpu/observe/counting.hpp"
#include "vgpu/observe/memory_check.hpp"

namespace assay::device {
namespace {

class VirtualModule final : public Module {
 public:
  explicit VirtualModule(const vgpu::Program* program) : program_(program) {}
  const vgpu::Program& program() const { return *program_; }

 private:
  const vgpu::Program* program_;
};

const vgpu::Program& program_of(const Module& module) {
  return static_cast<const VirtualModule&>(module).program();
}

Result<std::vector<std::byte>> pack_parameters(const vgpu::Function& kernel,
                                               const std::vector<std::vector<std::byte>>& arguments) {
  if (kernel.parameters.size() != arguments.size()) {
    return Error{fmt::format("the kernel '{}' takes {} parameters, {} arguments were given", kernel.name,
                             kernel.parameters.size(), arguments.size()),
                 {},
                 "compare the [[argument]] list with the kernel's signature"};
  }
  std::vector<std::byte> packed;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const vgpu::Parameter& parameter = kernel.parameters[i];
    if (arguments[i].size() != parameter.bytes) {
      return Error{fmt::format("parameter {} of '{}' has {} bytes, the argument has {}", i, kernel.name,
                               parameter.bytes, arguments[i].size()),
                   {},
                   "compare the argument's type with the kernel's signature"};
    }
    packed.resize(parameter.offset + parameter.bytes);
    std::memcpy(packed.data() + parameter.offset, arguments[i].data(), arguments[i].size());
  }
  return packed;
}

}  // namespace

std::string VirtualDevice::name() const {
  return fmt::format("vgpu:{}", gpu_.model().id);
}

Result<std::unique_ptr<Module>> VirtualDevice::load(std::string_view ptx, const std::string& file_name) {
  ASSAY_TRY(const vgpu::Program* program, gpu_.load(ptx, file_name));
  return std::unique_ptr<Module>(std::make_unique<VirtualModule>(program));
}

std::vector<std::string> VirtualDevice::approximate_instructions(const Module& module) const {
  return program_of(module).approximate;
}

Result<uint64_t> VirtualDevice::allocate(uint64_t bytes, const std::string& label) {
  return gpu_.memory().allocate(bytes, label);
}

Result<void> VirtualDevice::release(uint64_t address) {
  return gpu_.memory().free(address);
}

Result<void> VirtualDevice::check_range(uint64_t address, uint64_t bytes) {
  const vgpu::Allocation* allocation = gpu_.memory().containing(address);
  // The distance to the end, not the end of the copy: that could overflow.
  if (bytes == 0 || (allocation != nullptr && !allocation->freed && bytes <= allocation->end() - address)) return {};
  return Error{fmt::format("a copy of {} bytes at 0x{:x} is not inside one allocation", bytes, address),
               {},
               "",
               ExitCode::internal};
}

Result<void> VirtualDevice::upload(uint64_t address, std::span<const std::byte> bytes) {
  ASSAY_CHECK(check_range(address, bytes.size()));
  if (bytes.empty()) return {};
  std::memcpy(gpu_.memory().host(address), bytes.data(), bytes.size());
  return {};
}

Result<void> VirtualDevice::download(uint64_t address, std::span<std::byte> bytes) {
  ASSAY_CHECK(check_range(address, bytes.size()));
  if (bytes.empty()) return {};
  std::memcpy(bytes.data(), gpu_.memory().host(address), bytes.size());
  return {};
}

Result<LaunchOutcome> VirtualDevice::launch(const LaunchRequest& request) {
  const vgpu::Program& program = program_of(*request.module);
  if (request.cluster && request.cluster->volume() > 1) {
    return Error{"the virtual GPU does not support clusters of blocks yet",
                 {},
                 "they run on a GPU of compute capability 9.0 or newer: --device cuda:0",
                 ExitCode::environment};
  }
  vgpu::Launch launch;
  launch.program = &program;
  launch.kernel = program.entry(request.entry);
  if (launch.kernel == nullptr) {
    std::string names;
    for (const vgpu::Function& function : program.functions) {
      if (function.is_entry) names += (names.empty() ? "" : ", ") + function.name;
    }
    return Error{fmt::format("there is no kernel '{}' in {}", request.entry, program.file_name),
                 {},
                 fmt::format("it has: {}", names)};
  }
  launch.grid = request.grid;
  launch.block = request.block;
  launch.dynamic_shared_bytes = request.shared_bytes;
  ASSAY_TRY(launch.parameters, pack_parameters(*launch.kernel, request.arguments));
  if (request.instruction_limit != 0) launch.instruction_limit = request.instruction_limit;
  vgpu::MemoryCheck memory_check;
  if (request.check_memory) launch.observers.push_back(&memory_check);
  vgpu::Counting counting;
  if (request.count) launch.observers.push_back(&counting);
  ASSAY_TRY(vgpu::LaunchResult result, gpu_.launch(launch));
  LaunchOutcome outcome;
  outcome.findings = memory_check.found().findings();
  outcome.finding_occurrences = memory_check.found().occurrences();
  outcome.fault = std::move(result.fault);
  outcome.printed = std::move(result.printed);
  outcome.instructions = result.instructions;
  outcome.thread_instructions = result.thread_instructions;
  if (request.count && !outcome.fault) outcome.counters = counting.counters();
  return outcome;
}

Result<std::vector<std::byte>> VirtualDevice::encode_tensor_map(const TensorMapRequest& /*request*/) {
  return Error{fmt::format("the virtual GPU {} does not support tensor maps yet", gpu_.model().name),
               {},
               "kernels with tensormap arguments run on a GPU of compute capability 9.0 or newer: --device cuda:0",
               ExitCode::environment};
}

}  // namespace assay::device
