// SPDX-License-Identifier: MIT
// A library that looks like NVML on a machine with one GPU at 0000:10:00.0 that is held back by its power cap; with
// FAKE_NVML_GPUS=2 there is another one like it at 0000:11:00.0.
// FAKE_NVML_INIT is what nvmlInit answers; with FAKE_NVML_COOL nothing holds it back. It does not tell the temperature,
// and it has no persistence mode.
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {
struct Memory {
  unsigned long long total, free, used;
};
struct Utilisation {
  unsigned gpu, memory;
};
struct Process {
  unsigned pid;
  unsigned long long used;
  unsigned gpu_instance, compute_instance;
};
constexpr int kNotSupported = 3;
constexpr int kNotFound = 6;
constexpr int kInsufficientSize = 7;
int gpus[2];

bool has(unsigned index) {
  const char* wanted = std::getenv("FAKE_NVML_GPUS");
  return index < static_cast<unsigned>(wanted != nullptr ? std::atoi(wanted) : 1) && index < 2;
}

int handle(unsigned index, void** device) {
  *device = &gpus[index % 2];
  return has(index) ? 0 : kNotFound;
}

// The clock of the multiprocessors or of the memory; there are no others here.
unsigned of_clock(int kind, unsigned multiprocessors, unsigned memory) {
  if (kind == 1) return multiprocessors;
  if (kind == 2) return memory;
  std::fprintf(stderr, "fake NVML: clock %d is asked for, and this fake has no answer\n", kind);
  std::abort();
}

int text(char* to, unsigned length, const char* from) {
  return std::snprintf(to, length, "%s", from), 0;
}
}  // namespace

extern "C" {
int nvmlInit_v2() {
  const char* wanted = std::getenv("FAKE_NVML_INIT");
  return wanted != nullptr ? std::atoi(wanted) : 0;
}
int nvmlShutdown() {
  return 0;
}
const char* nvmlErrorString(int) {
  return "as the fake says";
}
int nvmlSystemGetDriverVersion(char* to, unsigned length) {
  return text(to, length, "580.95.05");
}
int nvmlSystemGetProcessName(unsigned pid, char* to, unsigned length) {
  return pid == 4242 ? text(to, length, "/usr/bin/python3") : kNotFound;
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  return *count = has(1) ? 2 : 1, 0;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, void** device) {
  if (std::strcmp(bus_id, "0000:11:00.0") == 0) return handle(1, device);
  return handle(0, device), std::strcmp(bus_id, "0000:10:00.0") == 0 ? 0 : kNotFound;
}
int nvmlDeviceGetIndex(void* device, unsigned* index) {
  return *index = device == &gpus[1] ? 1 : 0, 0;
}
int nvmlDeviceGetName(void*, char* to, unsigned length) {
  return text(to, length, "NVIDIA H200");
}
int nvmlDeviceGetUUID(void* device, char* to, unsigned length) {
  return text(to, length, device == &gpus[1] ? "GPU-5678" : "GPU-1234");
}
int nvmlDeviceGetClockInfo(void*, int kind, unsigned* mhz) {
  return *mhz = of_clock(kind, 1305, 3201), 0;
}
int nvmlDeviceGetMaxClockInfo(void*, int kind, unsigned* mhz) {
  return *mhz = of_clock(kind, 1980, 3201), 0;
}
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  return *milliwatts = 698500, 0;
}
int nvmlDeviceGetEnforcedPowerLimit(void*, unsigned* milliwatts) {
  return *milliwatts = 700000, 0;
}
int nvmlDeviceGetTemperature(void*, int, unsigned*) {
  return kNotSupported;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  return *reasons = std::getenv("FAKE_NVML_COOL") != nullptr ? 0 : 0x4, 0;
}
int nvmlDeviceGetEccMode(void*, int* current, int* pending) {
  return *current = 1, *pending = 1, 0;
}
int nvmlDeviceGetMigMode(void*, unsigned* current, unsigned* pending) {
  return *current = *pending = 0, 0;
}
int nvmlDeviceGetMemoryInfo(void*, Memory* memory) {
  return *memory = {150'000'000'000, 149'000'000'000, 1'000'000'000}, 0;
}
int nvmlDeviceGetUtilizationRates(void*, Utilisation* rates) {
  return *rates = {97, 40}, 0;
}
// More processes than there is room for at first.
int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, Process* processes) {
  constexpr unsigned kProcesses = 70;
  if (*count < kProcesses) return *count = kProcesses, kInsufficientSize;
  for (unsigned i = 0; i < kProcesses; ++i) processes[i] = {4242 + i, i == 0 ? 2'000'000'000 : ~0ULL, 0, 0};
  return *count = kProcesses, 0;
}
}
