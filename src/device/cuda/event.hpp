// SPDX-License-Identifier: MIT
// A moment on a stream, and the time between two of them.
#pragma once

#include <utility>

#include "base/result.hpp"
#include "device/cuda/cuda_device.hpp"

namespace assay::device::cuda {

class Event {
 public:
  static Result<Event> make(CudaDevice& gpu) {
    CUevent event = nullptr;
    ASSAY_CHECK(gpu.check(gpu.driver().cuEventCreate(&event, CU_EVENT_DEFAULT), "cuEventCreate"));
    return Event(gpu, event);
  }
  Event(Event&& other) noexcept : gpu_(other.gpu_), event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&& other) noexcept {
    std::swap(gpu_, other.gpu_);
    std::swap(event_, other.event_);
    return *this;
  }
  ~Event() {
    if (event_ != nullptr) gpu_->driver().cuEventDestroy(event_);
  }

  // CU_EVENT_RECORD_EXTERNAL: a node of the graph that is being captured, whose every replay records anew.
  Result<void> record(CUstream stream, unsigned flags = CU_EVENT_RECORD_DEFAULT) {
    return gpu_->check(gpu_->driver().cuEventRecordWithFlags(event_, stream, flags), "cuEventRecord");
  }
  // Whether the stream has got there.
  Result<bool> passed() const {
    const CUresult code = gpu_->driver().cuEventQuery(event_);
    if (code == CUDA_ERROR_NOT_READY) return false;
    ASSAY_CHECK(gpu_->check(code, "cuEventQuery"));
    return true;
  }
  // Both must have passed.
  Result<double> microseconds_since(const Event& start) const {
    float milliseconds = 0;
    ASSAY_CHECK(
        gpu_->check(gpu_->driver().cuEventElapsedTime(&milliseconds, start.event_, event_), "cuEventElapsedTime"));
    return 1e3 * static_cast<double>(milliseconds);
  }

 private:
  Event(CudaDevice& gpu, CUevent event) : gpu_(&gpu), event_(event) {}

  CudaDevice* gpu_;
  CUevent event_;
};

}  // namespace assay::device::cuda
