// SPDX-License-Identifier: MIT
#include "device/cuda/ceilings.hpp"

#include <algorithm>
#include <chrono>

#include "device/cuda/device_memory.hpp"
#include "device/cuda/nvml.hpp"
#include "device/cuda/stream_work.hpp"

namespace assay::device::cuda {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kWork = "a ceiling's work";

Result<double> copy_rate(CudaDevice& device) {
  const Driver& driver = device.driver();
  size_t free = 0, total = 0;
  ASSAY_CHECK(device.check(driver.cuMemGetInfo(&free, &total), "cuMemGetInfo"));
  // Far more than the caches hold, and no more than a part of what is free.
  const uint64_t bytes = std::min<uint64_t>(uint64_t{1} << 30, free / 4 / 256 * 256);
  const DeviceMemory from(device, bytes, "ceilings");
  const DeviceMemory to(device, bytes, "ceilings");
  ASSAY_TRY(const uint64_t source, from.address());
  ASSAY_TRY(const uint64_t target, to.address());
  ASSAY_TRY(const double seconds,
            best_seconds_of(
                device, 6, [&] { return driver.cuMemcpyDtoDAsync(target, source, bytes, device.stream()); }, kWork));
  return 2 * static_cast<double>(bytes) / seconds / 1e9;
}

Result<void> measure_tensor_rate(CudaDevice& device, Ceilings& ceilings) {
  const gpu::GpuModel& model = device.model();
  const bool hopper = model.compute_major == 9;
  if (model.compute_major < 8) return {};  // no mma of this shape
  const std::string ptx = hopper ? tensor_ptx_hopper() : tensor_ptx();
  ASSAY_TRY(const std::unique_ptr<Module> module, device.load(ptx, "the tensor ceiling"));
  const auto blocks = static_cast<uint32_t>(model.sm_count * (hopper ? 1 : 2));
  const DeviceMemory sink(device, uint64_t{blocks} * 256 * sizeof(float), "ceilings");
  ASSAY_TRY(const uint64_t address, sink.address());
  const auto rate = [&](uint32_t rounds) -> Result<double> {
    LaunchRequest request;
    request.module = module.get();
    request.entry = "tensor_rate";
    request.grid.x = blocks;
    request.block.x = 256;
    request.arguments = {argument_bytes(rounds), argument_bytes(address)};
    ASSAY_TRY(const PreparedLaunch launch, device.prepare(request));
    ASSAY_TRY(const double seconds, best_seconds_of(device, 3, [&] { return launch.launch(device.stream()); }, kWork));
    return (hopper ? kWgmmaFlops : kMmaFlops) * rounds * blocks / seconds / 1e12;
  };
  // A short look first, then long enough for the power control to show: about 50 ms each.
  ASSAY_TRY(const double first, rate(1000));
  const double per_round = (hopper ? kWgmmaFlops : kMmaFlops) * blocks / (std::max(first, 0.1) * 1e12);
  ASSAY_TRY(ceilings.tensor_f16_tflops, rate(static_cast<uint32_t>(std::clamp(0.05 / per_round, 1000.0, 4e6))));
  ceilings.tensor_instruction = hopper ? "wgmma" : "mma.sync";
  if (const auto monitor = GpuMonitor::open(device.ordinal())) ceilings.sm_clock_mhz = monitor->read().sm_clock_mhz;
  return {};
}

Result<void> measure_launches(CudaDevice& device, Ceilings& ceilings) {
  const Driver& driver = device.driver();
  ASSAY_TRY(const std::unique_ptr<Module> module, device.load(empty_ptx(), "the launch ceiling"));
  LaunchRequest request;
  request.module = module.get();
  request.entry = "empty";
  ASSAY_TRY(const PreparedLaunch launch, device.prepare(request));
  constexpr int kRow = 1000;
  ASSAY_TRY(const double row, best_seconds_of(
                                  device, 3,
                                  [&] {
                                    CUresult result = CUDA_SUCCESS;
                                    for (int i = 0; i < kRow && result == CUDA_SUCCESS; ++i)
                                      result = launch.launch(device.stream());
                                    return result;
                                  },
                                  kWork));
  ceilings.launch_us = row / kRow * 1e6;
  std::vector<double> trips;
  for (int i = 0; i < 200; ++i) {
    const auto start = Clock::now();
    ASSAY_CHECK(device.check(launch.launch(device.stream()), "an empty kernel"));
    ASSAY_CHECK(device.check(driver.cuStreamSynchronize(device.stream()), "an empty kernel"));
    trips.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  std::ranges::nth_element(trips, trips.begin() + 100);
  ceilings.round_trip_us = trips[100] * 1e6;
  return {};
}

}  // namespace

Result<Ceilings> measure_ceilings(CudaDevice& device) {
  ASSAY_CHECK(device.make_current());
  Ceilings ceilings;
  ASSAY_TRY(ceilings.copy_gb_per_s, copy_rate(device));
  ASSAY_CHECK(measure_launches(device, ceilings));
  ASSAY_CHECK(measure_tensor_rate(device, ceilings));
  return ceilings;
}

}  // namespace assay::device::cuda
