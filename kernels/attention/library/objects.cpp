// SPDX-License-Identifier: MIT
// assay_attention_forward_objects: from tensor objects to a call, without a line of the framework's own language.
#include <cmath>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <limits>

#include "assay_attention.h"
#include "dlpack_view.hpp"
#include "failure.hpp"

namespace assay::attention::library {
namespace {

// Lets go of the Python interpreter's lock, if this process has an interpreter: a launch waits while the queue is full.
class WithoutInterpreterLock {
 public:
  WithoutInterpreterLock() : state_(python().save != nullptr ? python().save() : nullptr) {}
  ~WithoutInterpreterLock() {
    if (state_ != nullptr) python().restore(state_);
  }
  WithoutInterpreterLock(const WithoutInterpreterLock&) = delete;
  WithoutInterpreterLock& operator=(const WithoutInterpreterLock&) = delete;

 private:
  struct Python {
    void* (*save)();
    void (*restore)(void*);
  };
  static const Python& python() {
    static const Python found = [] {
      Python functions{reinterpret_cast<void* (*)()>(::dlsym(RTLD_DEFAULT, "PyEval_SaveThread")),
                       reinterpret_cast<void (*)(void*)>(::dlsym(RTLD_DEFAULT, "PyEval_RestoreThread"))};
      return functions.save != nullptr && functions.restore != nullptr ? functions : Python{nullptr, nullptr};
    }();
    return found;
  }

  void* state_;
};

// Makes a device current and later the one before it.
class DeviceGuard {
 public:
  explicit DeviceGuard(int wanted) {
    if (cudaGetDevice(&before_) != cudaSuccess || before_ == wanted) before_ = wanted;
    wanted_ = wanted;
    if (before_ != wanted_) cudaSetDevice(wanted_);
  }
  ~DeviceGuard() {
    if (before_ != wanted_) cudaSetDevice(before_);
  }
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  int before_ = 0;
  int wanted_ = 0;
};

// A tensor object of four dimensions, the last contiguous, with dimensions in the order batch, head, row.
struct View {
  DlpackTensor tensor;
  int head_axis;

  void* data() const { return static_cast<char*>(tensor.data) + tensor.byte_offset; }
  int64_t batch() const { return tensor.shape[0]; }
  int64_t heads() const { return tensor.shape[head_axis]; }
  int64_t rows() const { return tensor.shape[3 - head_axis]; }
  int64_t head_dim() const { return tensor.shape[3]; }
  void strides_to(int64_t (&strides)[3]) const {
    strides[0] = tensor.strides[0];
    strides[1] = tensor.strides[head_axis];
    strides[2] = tensor.strides[3 - head_axis];
  }
};

int look_at(const DlpackExchange& exchange, void* object, const char* name, View& view) {
  if (exchange.tensor_from_object(object, &view.tensor) != 0) {
    return fail(ASSAY_ATTENTION_INVALID, "%s is no tensor that its framework can describe", name);
  }
  const DlpackTensor& tensor = view.tensor;
  if (tensor.device.type != kDlpackCuda) return fail(ASSAY_ATTENTION_UNSUPPORTED, "%s is not on a GPU", name);
  if (tensor.dimensions != 4) {
    return fail(ASSAY_ATTENTION_UNSUPPORTED, "%s has %d dimensions; four are supported", name, tensor.dimensions);
  }
  const bool half = tensor.dtype.code == kDlpackFloat || tensor.dtype.code == kDlpackBfloat;
  if (!half || tensor.dtype.bits != 16 || tensor.dtype.lanes != 1) {
    return fail(ASSAY_ATTENTION_UNSUPPORTED, "%s is neither fp16 nor bf16", name);
  }
  if (tensor.strides == nullptr || tensor.strides[3] != 1) {
    return fail(ASSAY_ATTENTION_UNSUPPORTED, "%s: the last dimension is not contiguous", name);
  }
  for (int i = 0; i < 4; ++i) {
    if (tensor.shape[i] > std::numeric_limits<int32_t>::max()) {
      return fail(ASSAY_ATTENTION_UNSUPPORTED, "%s: dimension %d is too long", name, i);
    }
  }
  return ASSAY_ATTENTION_OK;
}

// What must be equal is; `tensors` are query, key, value and output.
int agree(const View (&tensors)[4]) {
  const View& query = tensors[0];
  for (const View& other : tensors) {
    if (other.tensor.dtype.code != query.tensor.dtype.code) {
      return fail(ASSAY_ATTENTION_UNSUPPORTED, "the tensors are of different types");
    }
    if (other.tensor.device.index != query.tensor.device.index) {
      return fail(ASSAY_ATTENTION_UNSUPPORTED, "the tensors are on different GPUs");
    }
    const bool like_query = &other == &tensors[0] || &other == &tensors[3];
    const View& model = like_query ? query : tensors[1];
    if (other.batch() != query.batch() || other.head_dim() != query.head_dim() || other.heads() != model.heads() ||
        other.rows() != model.rows()) {
      return fail(ASSAY_ATTENTION_INVALID, "the shapes of query, key, value and output do not fit together");
    }
  }
  return ASSAY_ATTENTION_OK;
}

int check_log_sum_exp(const DlpackExchange& exchange, void* object, const View& query, float*& pointer) {
  DlpackTensor tensor{};
  if (exchange.tensor_from_object(object, &tensor) != 0 || tensor.device.type != kDlpackCuda ||
      tensor.device.index != query.tensor.device.index || tensor.dtype.code != kDlpackFloat ||
      tensor.dtype.bits != 32 || tensor.dimensions != 3 || tensor.shape[0] != query.batch() ||
      tensor.shape[1] != query.heads() || tensor.shape[2] != query.rows()) {
    return fail(ASSAY_ATTENTION_INVALID, "log_sum_exp must be a float32 tensor (batch, heads, rows) on the same GPU");
  }
  const bool contiguous = tensor.strides == nullptr || (tensor.strides[2] == 1 && tensor.strides[1] == query.rows() &&
                                                        tensor.strides[0] == query.heads() * query.rows());
  if (!contiguous && query.batch() * query.heads() * query.rows() > 1) {
    return fail(ASSAY_ATTENTION_INVALID, "log_sum_exp is not contiguous");
  }
  pointer = reinterpret_cast<float*>(static_cast<char*>(tensor.data) + tensor.byte_offset);
  return ASSAY_ATTENTION_OK;
}

}  // namespace
}  // namespace assay::attention::library

extern "C" int assay_attention_forward_objects(const void* exchange_table, void* query, void* key, void* value,
                                               void* output, void* log_sum_exp, uint32_t flags, float scale) {
  using namespace assay::attention::library;
  const auto* exchange = static_cast<const DlpackExchange*>(exchange_table);
  if (exchange == nullptr || exchange->version.major != kDlpackMajorVersion ||
      exchange->tensor_from_object == nullptr || exchange->current_stream == nullptr) {
    return fail(ASSAY_ATTENTION_INVALID, "the exchange table is not one of DLPack %u.x with borrowed tensors",
                kDlpackMajorVersion);
  }
  if ((flags & ASSAY_ATTENTION_WINDOW) != 0) {
    return fail(ASSAY_ATTENTION_UNSUPPORTED, "flags are 0x%x; windows have their limits in assay_attention_call",
                flags);
  }
  void* const objects[] = {query, key, value, output};
  static const char* const names[] = {"query", "key", "value", "output"};
  View views[4];
  for (int i = 0; i < 4; ++i) {
    views[i].head_axis = (flags & ASSAY_ATTENTION_ROWS_BEFORE_HEADS) != 0 ? 2 : 1;
    if (int status = look_at(*exchange, objects[i], names[i], views[i]); status != ASSAY_ATTENTION_OK) return status;
  }
  if (int status = agree(views); status != ASSAY_ATTENTION_OK) return status;

  assay_attention_call call{};
  call.struct_size = sizeof call;
  call.flags = flags & ~static_cast<uint32_t>(ASSAY_ATTENTION_ROWS_BEFORE_HEADS);
  call.query = views[0].data();
  call.key = views[1].data();
  call.value = views[2].data();
  call.output = views[3].data();
  views[0].strides_to(call.query_strides);
  views[1].strides_to(call.key_strides);
  views[2].strides_to(call.value_strides);
  views[3].strides_to(call.output_strides);
  call.batch = static_cast<int32_t>(views[0].batch());
  call.query_heads = static_cast<int32_t>(views[0].heads());
  call.key_heads = static_cast<int32_t>(views[1].heads());
  call.query_rows = static_cast<int32_t>(views[0].rows());
  call.key_rows = static_cast<int32_t>(views[1].rows());
  call.head_dim = static_cast<int32_t>(views[0].head_dim());
  call.dtype = views[0].tensor.dtype.code == kDlpackBfloat ? ASSAY_ATTENTION_BF16 : ASSAY_ATTENTION_F16;
  call.scale = scale == 0.0f ? 1.0f / std::sqrt(static_cast<float>(call.head_dim)) : scale;
  if (log_sum_exp != nullptr) {
    const int status = check_log_sum_exp(*exchange, log_sum_exp, views[0], call.log_sum_exp);
    if (status != ASSAY_ATTENTION_OK) return status;
  }
  void* stream = nullptr;
  const int device = views[0].tensor.device.index;
  if (exchange->current_stream(kDlpackCuda, device, &stream) != 0) {
    return fail(ASSAY_ATTENTION_CUDA_FAILED, "the framework names no stream for GPU %d", device);
  }
  const WithoutInterpreterLock unlocked;
  const DeviceGuard guard(device);
  return assay_attention_forward(&call, stream);
}
