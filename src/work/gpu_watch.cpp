// SPDX-License-Identifier: MIT
#include "work/gpu_watch.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "device/cuda/nvml.hpp"
#include "work/measuring.hpp"

namespace assay::work {

struct GpuWatch::Watching {
  explicit Watching(const device::cuda::GpuMonitor& opened) : monitor(opened) {}

  void look() {
    const device::cuda::GpuReading reading = monitor.read();
    const std::lock_guard lock(guard);
    if (reading.power_w) power_w = std::max(power_w.value_or(0), *reading.power_w);
    if (reading.temperature_c)
      temperature_c = std::max(temperature_c.value_or(0), static_cast<double>(*reading.temperature_c));
    if (reading.clock_reasons) reasons = reasons.value_or(0) | *reading.clock_reasons;
  }

  void watch(const std::stop_token& stop) {
    constexpr std::chrono::milliseconds kPause(100);  // a reading may take a millisecond of the driver's time
    while (!stop.stop_requested()) {
      look();
      std::unique_lock lock(pausing);
      pause.wait_for(lock, stop, kPause, [] { return false; });
    }
  }

  device::cuda::GpuMonitor monitor;
  std::mutex guard;
  std::optional<double> power_w;
  std::optional<double> temperature_c;
  std::optional<uint64_t> reasons;
  std::mutex pausing;
  std::condition_variable_any pause;
  std::jthread thread;  // the last member: it ends first
};

GpuWatch::GpuWatch(const std::string& gpu) {
  const auto device = measured_device(gpu, "diagnose");
  if (!device) return;
  const auto monitor = device::cuda::GpuMonitor::open(device->ordinal);
  if (!monitor) return;
  watching_ = std::make_unique<Watching>(*monitor);
  watching_->thread = std::jthread([this](const std::stop_token& stop) { watching_->watch(stop); });
}

GpuWatch::~GpuWatch() = default;

GpuConditions GpuWatch::conditions() {
  GpuConditions seen;
  if (!watching_) return seen;
  watching_->look();
  const std::lock_guard lock(watching_->guard);
  seen.power_w = watching_->power_w;
  seen.temperature_c = watching_->temperature_c;
  if (watching_->reasons)
    seen.throttled = device::cuda::describe_clock_reasons(*watching_->reasons & device::cuda::clock_reason::kThrottled);
  return seen;
}

}  // namespace assay::work
