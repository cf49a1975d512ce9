// SPDX-License-Identifier: MIT
#include "device/cuda/nvml.hpp"

#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>
#include <vector>

#include "device/cuda/driver.hpp"

namespace assay::device::cuda {
namespace {

constexpr int kNvmlSuccess = 0;
constexpr int kInsufficientSize = 7;
constexpr int kClockSm = 1;
constexpr int kClockMemory = 2;
constexpr unsigned long long kNotAvailable = ~0ULL;

struct MemoryInfo {
  unsigned long long total, free, used;
};
struct Utilisation {
  unsigned gpu, memory;
};
struct ProcessInfo {  // of ..._v3
  unsigned pid;
  unsigned long long used;
  unsigned gpu_instance, compute_instance;
};

Result<std::unique_ptr<Nvml>> open_configured_nvml() {
  const char* name = std::getenv("ASSAY_NVML_LIBRARY");
  if (name != nullptr && std::string_view(name) == "none")
    return Error{"ASSAY_NVML_LIBRARY=none hides NVML", {}, "", ExitCode::environment};
  return Nvml::open(name != nullptr && *name != '\0' ? name : "libnvidia-ml.so.1");
}

// The value that a getter writes, or nothing if it is missing or fails.
template <class T, class Function, class... Arguments>
std::optional<T> ask(Function* function, Arguments... arguments) {
  T value{};
  if (function == nullptr || function(arguments..., &value) != kNvmlSuccess) return std::nullopt;
  return value;
}

template <class Function>
std::string ask_text(Function* function, NvmlHandle device) {
  std::array<char, 128> text{};
  if (function == nullptr || function(device, text.data(), static_cast<unsigned>(text.size() - 1)) != kNvmlSuccess)
    return "";
  return text.data();
}

std::optional<double> watts(std::optional<unsigned> milliwatts) {
  if (!milliwatts) return std::nullopt;
  return *milliwatts / 1000.0;
}

}  // namespace

// NVML under its own names; nullptr where this library has no such function.
struct NvmlTable {
  int (*nvmlInit)() = nullptr;
  int (*nvmlShutdown)() = nullptr;
  const char* (*nvmlErrorString)(int code) = nullptr;
  int (*nvmlSystemGetDriverVersion)(char* text, unsigned length) = nullptr;
  int (*nvmlSystemGetProcessName)(unsigned pid, char* text, unsigned length) = nullptr;
  int (*nvmlDeviceGetCount)(unsigned* count) = nullptr;
  int (*nvmlDeviceGetHandleByPciBusId)(const char* bus_id, NvmlHandle* device) = nullptr;
  int (*nvmlDeviceGetIndex)(NvmlHandle device, unsigned* index) = nullptr;
  int (*nvmlDeviceGetName)(NvmlHandle device, char* text, unsigned length) = nullptr;
  int (*nvmlDeviceGetUUID)(NvmlHandle device, char* text, unsigned length) = nullptr;
  int (*nvmlDeviceGetClockInfo)(NvmlHandle device, int kind, unsigned* mhz) = nullptr;
  int (*nvmlDeviceGetMaxClockInfo)(NvmlHandle device, int kind, unsigned* mhz) = nullptr;
  int (*nvmlDeviceGetPowerUsage)(NvmlHandle device, unsigned* milliwatts) = nullptr;
  int (*nvmlDeviceGetEnforcedPowerLimit)(NvmlHandle device, unsigned* milliwatts) = nullptr;
  int (*nvmlDeviceGetTemperature)(NvmlHandle device, int sensor, unsigned* celsius) = nullptr;
  int (*nvmlDeviceGetClocksEventReasons)(NvmlHandle device, unsigned long long* reasons) = nullptr;
  int (*nvmlDeviceGetEccMode)(NvmlHandle device, int* current, int* pending) = nullptr;
  int (*nvmlDeviceGetPersistenceMode)(NvmlHandle device, int* mode) = nullptr;
  int (*nvmlDeviceGetMigMode)(NvmlHandle device, unsigned* current, unsigned* pending) = nullptr;
  int (*nvmlDeviceGetMemoryInfo)(NvmlHandle device, MemoryInfo* info) = nullptr;
  int (*nvmlDeviceGetUtilizationRates)(NvmlHandle device, Utilisation* rates) = nullptr;
  int (*nvmlDeviceGetComputeRunningProcesses)(NvmlHandle device, unsigned* count, ProcessInfo* processes) = nullptr;

  explicit NvmlTable(const SharedLibrary& library) {
    bind_symbol(library, nvmlInit, "nvmlInit_v2");
    bind_symbol(library, nvmlShutdown, "nvmlShutdown");
    bind_symbol(library, nvmlErrorString, "nvmlErrorString");
    bind_symbol(library, nvmlSystemGetDriverVersion, "nvmlSystemGetDriverVersion");
    bind_symbol(library, nvmlSystemGetProcessName, "nvmlSystemGetProcessName");
    bind_symbol(library, nvmlDeviceGetCount, "nvmlDeviceGetCount_v2");
    bind_symbol(library, nvmlDeviceGetHandleByPciBusId, "nvmlDeviceGetHandleByPciBusId_v2");
    bind_symbol(library, nvmlDeviceGetIndex, "nvmlDeviceGetIndex");
    bind_symbol(library, nvmlDeviceGetName, "nvmlDeviceGetName");
    bind_symbol(library, nvmlDeviceGetUUID, "nvmlDeviceGetUUID");
    bind_symbol(library, nvmlDeviceGetClockInfo, "nvmlDeviceGetClockInfo");
    bind_symbol(library, nvmlDeviceGetMaxClockInfo, "nvmlDeviceGetMaxClockInfo");
    bind_symbol(library, nvmlDeviceGetPowerUsage, "nvmlDeviceGetPowerUsage");
    bind_symbol(library, nvmlDeviceGetEnforcedPowerLimit, "nvmlDeviceGetEnforcedPowerLimit");
    bind_symbol(library, nvmlDeviceGetTemperature, "nvmlDeviceGetTemperature");
    // Its name until R535; the bits are the same.
    if (!bind_symbol(library, nvmlDeviceGetClocksEventReasons, "nvmlDeviceGetCurrentClocksEventReasons"))
      bind_symbol(library, nvmlDeviceGetClocksEventReasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
    bind_symbol(library, nvmlDeviceGetEccMode, "nvmlDeviceGetEccMode");
    bind_symbol(library, nvmlDeviceGetPersistenceMode, "nvmlDeviceGetPersistenceMode");
    bind_symbol(library, nvmlDeviceGetMigMode, "nvmlDeviceGetMigMode");
    bind_symbol(library, nvmlDeviceGetMemoryInfo, "nvmlDeviceGetMemoryInfo");
    bind_symbol(library, nvmlDeviceGetUtilizationRates, "nvmlDeviceGetUtilizationRates");
    bind_symbol(library, nvmlDeviceGetComputeRunningProcesses, "nvmlDeviceGetComputeRunningProcesses_v3");
  }
};

namespace {

std::vector<GpuProcess> processes_on(const NvmlTable& nvml, NvmlHandle device) {
  if (nvml.nvmlDeviceGetComputeRunningProcesses == nullptr) return {};
  std::vector<ProcessInfo> found(64);
  auto count = static_cast<unsigned>(found.size());
  int code = nvml.nvmlDeviceGetComputeRunningProcesses(device, &count, found.data());
  if (code == kInsufficientSize) {
    found.resize(count + 16);  // some may start in between
    count = static_cast<unsigned>(found.size());
    code = nvml.nvmlDeviceGetComputeRunningProcesses(device, &count, found.data());
  }
  if (code != kNvmlSuccess) return {};
  found.resize(std::min<size_t>(count, found.size()));
  std::vector<GpuProcess> processes;
  processes.reserve(found.size());
  for (const ProcessInfo& info : found) {
    GpuProcess process;
    process.pid = info.pid;
    if (info.used != kNotAvailable) process.used_bytes = info.used;
    std::array<char, 256> name{};
    if (nvml.nvmlSystemGetProcessName != nullptr &&
        nvml.nvmlSystemGetProcessName(info.pid, name.data(), static_cast<unsigned>(name.size() - 1)) == kNvmlSuccess)
      process.name = name.data();
    processes.push_back(std::move(process));
  }
  return processes;
}

}  // namespace

Nvml::Nvml(SharedLibrary library) : library_(std::move(library)), table_(std::make_unique<NvmlTable>(library_)) {}

Nvml::~Nvml() {
  if (table_->nvmlShutdown != nullptr) table_->nvmlShutdown();
}

Result<std::unique_ptr<Nvml>> Nvml::open(const std::string& library) {
  ASSAY_TRY(SharedLibrary opened, SharedLibrary::open({library}));
  std::unique_ptr<Nvml> nvml(new Nvml(std::move(opened)));
  const NvmlTable& table = *nvml->table_;
  if (table.nvmlInit == nullptr || table.nvmlErrorString == nullptr || table.nvmlDeviceGetHandleByPciBusId == nullptr)
    return Error{fmt::format("{} is not an NVML that Assay knows", library), {}, "", ExitCode::environment};
  if (const int code = table.nvmlInit(); code != kNvmlSuccess) return nvml->error(code, "NVML does not start");
  return nvml;
}

Result<const Nvml*> Nvml::load() {
  static const Result<std::unique_ptr<Nvml>> loaded = open_configured_nvml();
  if (!loaded) return loaded.error();
  return static_cast<const Nvml*>(loaded->get());
}

Error Nvml::error(int code, const std::string& what) const {
  const char* text = table_->nvmlErrorString(code);
  return Error{fmt::format("{}: {} (NVML error {})", what, text != nullptr ? text : "unknown", code),
               {},
               "",
               ExitCode::environment};
}

std::string Nvml::driver_version() const {
  std::array<char, 128> text{};
  if (table_->nvmlSystemGetDriverVersion == nullptr ||
      table_->nvmlSystemGetDriverVersion(text.data(), static_cast<unsigned>(text.size() - 1)) != kNvmlSuccess)
    return "";
  return text.data();
}

int Nvml::device_count() const {
  return static_cast<int>(ask<unsigned>(table_->nvmlDeviceGetCount).value_or(0));
}

Result<NvmlHandle> Nvml::by_bus_id(const std::string& bus_id) const {
  NvmlHandle device = nullptr;
  const int code = table_->nvmlDeviceGetHandleByPciBusId(bus_id.c_str(), &device);
  if (code != kNvmlSuccess) return error(code, fmt::format("NVML has no GPU at {}", bus_id));
  return device;
}

GpuReading Nvml::reading(NvmlHandle device) const {
  GpuReading reading;
  reading.sm_clock_mhz = ask<unsigned>(table_->nvmlDeviceGetClockInfo, device, kClockSm);
  reading.memory_clock_mhz = ask<unsigned>(table_->nvmlDeviceGetClockInfo, device, kClockMemory);
  reading.power_w = watts(ask<unsigned>(table_->nvmlDeviceGetPowerUsage, device));
  reading.temperature_c = ask<unsigned>(table_->nvmlDeviceGetTemperature, device, 0);
  reading.clock_reasons = ask<unsigned long long>(table_->nvmlDeviceGetClocksEventReasons, device);
  return reading;
}

GpuState Nvml::state(NvmlHandle device) const {
  GpuState state;
  state.index = static_cast<int>(ask<unsigned>(table_->nvmlDeviceGetIndex, device).value_or(0));
  state.name = ask_text(table_->nvmlDeviceGetName, device);
  state.uuid = ask_text(table_->nvmlDeviceGetUUID, device);
  state.driver_version = driver_version();
  state.reading = reading(device);
  state.max_sm_clock_mhz = ask<unsigned>(table_->nvmlDeviceGetMaxClockInfo, device, kClockSm);
  state.max_memory_clock_mhz = ask<unsigned>(table_->nvmlDeviceGetMaxClockInfo, device, kClockMemory);
  state.power_limit_w = watts(ask<unsigned>(table_->nvmlDeviceGetEnforcedPowerLimit, device));
  int ecc = 0, ecc_pending = 0;
  if (table_->nvmlDeviceGetEccMode != nullptr &&
      table_->nvmlDeviceGetEccMode(device, &ecc, &ecc_pending) == kNvmlSuccess)
    state.ecc = ecc != 0;
  if (const auto mode = ask<int>(table_->nvmlDeviceGetPersistenceMode, device)) state.persistence = *mode != 0;
  unsigned mig = 0, mig_pending = 0;
  if (table_->nvmlDeviceGetMigMode != nullptr &&
      table_->nvmlDeviceGetMigMode(device, &mig, &mig_pending) == kNvmlSuccess)
    state.mig = mig != 0;
  if (const auto memory = ask<MemoryInfo>(table_->nvmlDeviceGetMemoryInfo, device)) {
    state.memory_total_bytes = memory->total;
    state.memory_free_bytes = memory->free;
  }
  if (const auto rates = ask<Utilisation>(table_->nvmlDeviceGetUtilizationRates, device))
    state.utilisation_percent = rates->gpu;
  state.processes = processes_on(*table_, device);
  return state;
}

Result<GpuMonitor> GpuMonitor::open(int ordinal) {
  ASSAY_TRY(const Driver* driver, Driver::load());
  ASSAY_TRY(const Nvml* nvml, Nvml::load());
  CUdevice device = 0;
  ASSAY_CHECK(driver->check(driver->cuDeviceGet(&device, ordinal), fmt::format("cuda:{}", ordinal)));
  std::array<char, 32> bus_id{};
  ASSAY_CHECK(driver->check(driver->cuDeviceGetPCIBusId(bus_id.data(), static_cast<int>(bus_id.size() - 1), device),
                            "cuDeviceGetPCIBusId"));
  ASSAY_TRY(const NvmlHandle handle, nvml->by_bus_id(bus_id.data()));
  return GpuMonitor(nvml, handle);
}

Result<GpuState> read_state(int ordinal) {
  ASSAY_TRY(const GpuMonitor monitor, GpuMonitor::open(ordinal));
  return monitor.state();
}

}  // namespace assay::device::cuda
