// SPDX-License-Identifier: MIT
// The virtual GPU as a Device.
#pragma once

#include "device/device.hpp"
#include "device/reach_watcher.hpp"
#include "device/tracer.hpp"
#include "vgpu/machine/gpu.hpp"
#include "vgpu/observe/unwritten_memory.hpp"

namespace assay::device {

class VirtualDevice final : public Device, public Tracer, public ReachWatcher {
 public:
  explicit VirtualDevice(const gpu::GpuModel& model) : gpu_(model) {}

  std::string name() const override;
  const gpu::GpuModel& model() const override { return gpu_.model(); }
  Result<std::unique_ptr<Module>> load(std::string_view ptx, const std::string& file_name) override;
  std::vector<std::string> approximate_instructions(const Module& module) const override;
  std::vector<std::string> fusible_places(const Module& module) const override;
  void set_fusion(bool on) override { decode_options_.fuse = on; }
  Result<uint64_t> allocate(uint64_t bytes, const std::string& label) override;
  Result<void> release(uint64_t address) override;
  Result<void> upload(uint64_t address, std::span<const std::byte> bytes) override;
  void mark_unwritten(uint64_t address, uint64_t bytes) override { unwritten_.add(address, bytes); }
  Result<void> download(uint64_t address, std::span<std::byte> bytes) override;
  Result<uint64_t> variable_bytes(const Module& module, const std::string& name) override;
  Result<void> write_variable(const Module& module, const std::string& name, std::span<const std::byte> bytes) override;
  Result<void> read_variable(const Module& module, const std::string& name, std::span<std::byte> bytes) override;
  Result<LaunchOutcome> launch(const LaunchRequest& request) override;
  Result<std::vector<std::byte>> encode_tensor_map(const TensorMapRequest& request) override;
  Result<uint64_t> texture_object(const TextureRequest& request) override;
  bool has_tensor_maps() const override { return gpu_.model().compute_capability() >= 90; }
  bool has_clusters() const override { return gpu_.model().compute_capability() >= 90; }
  bool has_checks() const override { return true; }
  void trace_launches(uint64_t blocks, std::optional<bool> sampled) override {
    trace_blocks_ = blocks;
    trace_sampled_ = sampled;
  }
  const std::optional<gpu::LaunchWork>& traced() const override { return traced_; }
  const std::vector<gpu::InstructionCount>& instructions() const override { return instructions_; }
  void watch_reach(std::vector<gpu::MemoryRange> ranges) override { watched_ = std::move(ranges); }
  const std::vector<uint64_t>& reach() const override { return reach_; }

 private:
  Result<std::span<std::byte>> variable(const Module& module, const std::string& name);
  Result<void> check_cooperative(const LaunchRequest& request, const vgpu::Function& kernel) const;
  Result<void> check_range(uint64_t address, uint64_t bytes);

  vgpu::Gpu gpu_;
  vgpu::UnwrittenMemory unwritten_;
  std::vector<std::pair<TextureRequest, uint64_t>> textures_;  // objects by what they were asked for with
  vgpu::DecodeOptions decode_options_;
  std::optional<uint64_t> trace_blocks_;  // empty: launches are not traced
  std::optional<bool> trace_sampled_;
  std::optional<gpu::LaunchWork> traced_;
  std::vector<gpu::InstructionCount> instructions_;
  std::vector<gpu::MemoryRange> watched_;
  std::vector<uint64_t> reach_;
};

}  // namespace assay::device
