// SPDX-License-Identifier: MIT
// The parts of DLPack (version 1, a stable binary interface) that this library reads. Names are ours, layouts DLPack's.
#pragma once

#include <cstdint>

namespace assay::attention::library {

inline constexpr uint32_t kDlpackMajorVersion = 1;
inline constexpr int32_t kDlpackCuda = 2;
inline constexpr uint8_t kDlpackFloat = 2;
inline constexpr uint8_t kDlpackBfloat = 4;

struct DlpackTensor {
  void* data;
  struct {
    int32_t type;
    int32_t index;
  } device;
  int32_t dimensions;
  struct {
    uint8_t code;
    uint8_t bits;
    uint16_t lanes;
  } dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null: contiguous
  uint64_t byte_offset;
};
static_assert(sizeof(DlpackTensor) == 48);

struct DlpackExchange {
  struct {
    uint32_t major;
    uint32_t minor;
  } version;
  void* previous;
  void* allocate;
  void* managed_from_object;
  void* managed_to_object;
  int (*tensor_from_object)(void* object, DlpackTensor* tensor);  // borrowed; 0 on success; may be null
  int (*current_stream)(int32_t device_type, int32_t device, void** stream);
};
static_assert(sizeof(DlpackExchange) == 56);

}  // namespace assay::attention::library
