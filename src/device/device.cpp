// SPDX-License-Identifier: MIT
#include "device/device.hpp"

#include <charconv>
#include <fmt/format.h>

#include "base/text.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/cuda/driver.hpp"
#include "device/virtual_device.hpp"

namespace assay::device {
namespace {

constexpr std::string_view kVirtual = "vgpu:";
constexpr std::string_view kCuda = "cuda:";
constexpr const char* kDefaultVirtual = "vgpu:l4";

std::optional<int> ordinal_of(std::string_view name) {
  if (!name.starts_with(kCuda)) return std::nullopt;
  name.remove_prefix(kCuda.size());
  int ordinal = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), ordinal);
  if (error != std::errc() || end != name.data() + name.size() || ordinal < 0) return std::nullopt;
  return ordinal;
}

// How much a virtual GPU is like a real one: the same product first, then the same instructions and arithmetic.
int likeness(const vgpu::GpuModel& candidate, const vgpu::GpuModel& wanted) {
  if (candidate.id == wanted.id) return 1'000'000;
  if (candidate.compute_capability() > wanted.compute_capability()) return 0;
  const int same_architecture = candidate.compute_major == wanted.compute_major ? 10'000 : 0;
  return same_architecture + candidate.compute_capability();
}

}  // namespace

std::vector<std::string> device_names() {
  std::vector<std::string> names;
  const int gpus = cuda::device_count();
  names.reserve(static_cast<size_t>(gpus) + vgpu::all_models().size());
  for (int i = 0; i < gpus; ++i) names.push_back(fmt::format("cuda:{}", i));
  for (const vgpu::GpuModel& model : vgpu::all_models()) names.push_back(fmt::format("vgpu:{}", model.id));
  return names;
}

bool is_virtual(const std::string& name) {
  return name.starts_with(kVirtual);
}

std::string default_device_name() {
  return cuda::device_count() > 0 ? "cuda:0" : kDefaultVirtual;
}

Result<std::unique_ptr<Device>> open_device(const std::string& name) {
  if (is_virtual(name)) {
    const vgpu::GpuModel* model = vgpu::find_model(std::string_view(name).substr(kVirtual.size()));
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

std::string virtual_twin(const Device& device) {
  std::string twin = kDefaultVirtual;
  int best = 0;
  for (const vgpu::GpuModel& candidate : vgpu::all_models()) {
    const int like = likeness(candidate, device.model());
    if (like <= best) continue;
    best = like;
    twin = fmt::format("vgpu:{}", candidate.id);
  }
  return twin;
}

}  // namespace assay::device
