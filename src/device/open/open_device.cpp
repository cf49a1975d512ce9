// SPDX-License-Identifier: MIT
#include "device/open/open_device.hpp"

#include <charconv>
#include <fmt/format.h>

#include "base/text.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/cuda/driver.hpp"
#include "device/virtual/virtual_device.hpp"

namespace assay::device {
namespace {

constexpr std::string_view kVirtual = "vgpu:";
constexpr std::string_view kCuda = "cuda:";

std::optional<int> ordinal_of(std::string_view name) {
  if (!name.starts_with(kCuda)) return std::nullopt;
  name.remove_prefix(kCuda.size());
  int ordinal = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), ordinal);
  if (error != std::errc() || end != name.data() + name.size() || ordinal < 0) return std::nullopt;
  return ordinal;
}

}  // namespace

std::vector<std::string> device_names() {
  std::vector<std::string> names;
  const int gpus = cuda::device_count();
  names.reserve(static_cast<size_t>(gpus) + gpu::all_models().size());
  for (int i = 0; i < gpus; ++i) names.push_back(fmt::format("cuda:{}", i));
  for (const gpu::GpuModel& model : gpu::all_models()) names.push_back(fmt::format("vgpu:{}", model.id));
  return names;
}

std::string default_device_name() {
  return cuda::device_count() > 0 ? "cuda:0" : kDefaultVirtualDevice;
}

Result<std::unique_ptr<Device>> open_device(const std::string& name) {
  if (is_virtual(name)) {
    const gpu::GpuModel* model = gpu::find_model(std::string_view(name).substr(kVirtual.size()));
    if (model != nullptr) return std::unique_ptr<Device>(std::make_unique<VirtualDevice>(*model));
  }
  if (const std::optional<int> ordinal = ordinal_of(name)) {
    ASSAY_TRY(const cuda::Driver* driver, cuda::Driver::load());
    if (*ordinal < cuda::device_count()) {
      ASSAY_TRY(std::unique_ptr<cuda::CudaDevice> opened, cuda::CudaDevice::open(*driver, *ordinal));
      return std::unique_ptr<Device>(std::move(opened));
    }
  }
  return Error{fmt::format("there is no device '{}'", name), {}, "choose one of " + join(device_names(), ", ")};
}

}  // namespace assay::device
