// SPDX-License-Identifier: MIT
// A library that looks like CUPTI: between enabling and flushing, two kernels and a copy have run.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "device/cuda/cupti_records.hpp"

using namespace assay::device::cuda;  // NOLINT

namespace {
void (*request)(uint8_t**, size_t*, size_t*) = nullptr;
void (*complete)(void*, uint32_t, uint8_t*, size_t, size_t) = nullptr;
bool enabled = false;
int flushes = 0;

// Records of a size that newer versions might have: what is appended is not read.
constexpr size_t kRecordBytes = 256;

template <class Record>
void put(uint8_t* buffer, size_t index, const Record& record) {
  std::memset(buffer + index * kRecordBytes, 0xee, kRecordBytes);
  std::memcpy(buffer + index * kRecordBytes, &record, sizeof record);
}
}  // namespace

extern "C" {
int cuptiActivityRegisterCallbacks(void (*on_request)(uint8_t**, size_t*, size_t*),
                                   void (*on_complete)(void*, uint32_t, uint8_t*, size_t, size_t)) {
  return request = on_request, complete = on_complete, 0;
}
int cuptiActivityEnable(uint32_t) {
  const char* wanted = std::getenv("FAKE_CUPTI_ENABLE");
  return enabled = true, wanted != nullptr ? std::atoi(wanted) : 0;
}
int cuptiActivityDisable(uint32_t) {
  return enabled = false, 0;
}
int cuptiActivityFlushAll(uint32_t) {
  if (!enabled) return 0;
  ++flushes;
  uint8_t* buffer = nullptr;
  size_t bytes = 0, most = 0;
  request(&buffer, &bytes, &most);
  KernelRecord kernel{};
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.name = flushes % 2 == 0 ? "second" : "before_the_start";
  kernel.stream = 14;
  kernel.start = 2000, kernel.end = 2500;
  kernel.grid_x = 7, kernel.grid_y = kernel.grid_z = 1;
  kernel.correlation = 99;
  put(buffer, 0, kernel);
  kernel.name = "first";
  kernel.stream = 13;
  kernel.start = 1000, kernel.end = 1900;
  put(buffer, 1, kernel);
  TransferRecord copy{};
  copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  copy.bytes = 4096, copy.start = 3000, copy.end = 3100, copy.stream = 13;
  put(buffer, 2, copy);
  TransferRecord other{};
  other.kind = 77;  // something that we did not ask for
  put(buffer, 3, other);
  complete(nullptr, 0, buffer, bytes, 4 * kRecordBytes);
  return 0;
}
int cuptiActivityGetNextRecord(uint8_t* buffer, size_t bytes, void** record) {
  auto* next = *record == nullptr ? buffer : static_cast<uint8_t*>(*record) + kRecordBytes;
  if (next >= buffer + bytes) return 12;
  return *record = next, 0;
}
int cuptiActivityGetNumDroppedRecords(void*, uint32_t, size_t* dropped) {
  return *dropped = 1, 0;
}
int cuptiGetVersion(uint32_t* version) {
  return *version = 130000, 0;
}
int cuptiGetResultString(int, const char** text) {
  return *text = "CUPTI_ERROR_OF_THE_FAKE", 0;
}
}
