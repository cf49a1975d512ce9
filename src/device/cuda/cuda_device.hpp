// SPDX-License-Identifier: MIT
// A GPU of this machine as a Device. Opening one reads its attributes; the context (hundreds of milliseconds, hundreds
// of megabytes) is made when something is loaded or allocated.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/cuda/cuda_model.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/prepared_launch.hpp"
#include "device/cuda/texture_store.hpp"
#include "device/device.hpp"

namespace assay::device::cuda {

class CudaDevice final : public Device {
 public:
  static Result<std::unique_ptr<CudaDevice>> open(const Driver& driver, int ordinal);
  ~CudaDevice() override;

  std::string name() const override;
  const gpu::GpuModel& model() const override { return model_.get(); }
  Result<std::unique_ptr<Module>> load(std::string_view ptx, const std::string& file_name) override;
  Result<std::unique_ptr<Module>> load_image(const Image& image) override;
  std::vector<std::string> approximate_instructions(const Module& module) const override;
  Result<uint64_t> allocate(uint64_t bytes, const std::string& label) override;
  Result<void> release(uint64_t address) override;
  Result<void> upload(uint64_t address, std::span<const std::byte> bytes) override;
  Result<void> download(uint64_t address, std::span<std::byte> bytes) override;
  Result<uint64_t> variable_bytes(const Module& module, const std::string& name) override;
  Result<void> write_variable(const Module& module, const std::string& name, std::span<const std::byte> bytes) override;
  Result<void> read_variable(const Module& module, const std::string& name, std::span<std::byte> bytes) override;
  Result<LaunchOutcome> launch(const LaunchRequest& request) override;
  Result<std::vector<std::byte>> encode_tensor_map(const TensorMapRequest& request) override;
  Result<uint64_t> texture_object(const TextureRequest& request) override;
  bool has_tensor_maps() const override;
  bool has_clusters() const override;
  bool has_checks() const override { return false; }
  bool lost() const override { return lost_; }

  // --- for code that times launches itself
  const Driver& driver() const { return driver_; }
  CUdevice handle() const { return device_; }
  int ordinal() const { return ordinal_; }
  bool known_product() const { return model_.known_product(); }
  // The primary context, made on the first call and current on this thread after each.
  Result<void> make_current();
  CUstream stream() const { return stream_; }  // that launch() uses; null before make_current()
  // Where a variable of the module lies.
  struct Variable {
    CUdeviceptr address = 0;
    size_t bytes = 0;
  };
  Result<Variable> variable(const Module& module, const std::string& name);
  // Checks a request against the kernel and the GPU; what comes out can be launched often, on any stream.
  Result<PreparedLaunch> prepare(const LaunchRequest& request);
  // The arrays behind textures and surfaces, for who launches without launch().
  const TextureStore& textures() const { return textures_; }
  // Turns the result of a driver call into an error; notes if the device is lost by it.
  Result<void> check(CUresult code, std::string_view what);

 private:
  CudaDevice(const Driver& driver, CUdevice device, int ordinal);
  Result<CUmodule> load_code(const std::string& code, const std::string& file_name);
  Result<LaunchOutcome> stopped(CUresult code, const std::string& kernel, LaunchOutcome outcome,
                                const std::string& errors);

  const Driver& driver_;
  CUdevice device_;
  int ordinal_;
  CudaModel model_;
  TextureStore textures_;
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
  bool lost_ = false;
};

}  // namespace assay::device::cuda
