// SPDX-License-Identifier: MIT
// What the library remembers of the GPUs of this process: facts that never change, and which kernels are loaded.
#pragma once

#include <optional>

namespace assay::attention::library {

struct DeviceFacts {
  int index;
  int compute_capability;  // major * 10 + minor
  int multiprocessors;
};

// The calling thread's current device. A code of assay_attention.h.
int current_device(DeviceFacts& facts);

// Its name as nvidia-smi gives it, cut off at the capacity. A code of assay_attention.h.
int device_name(int index, char* name, int capacity);

// While it lives, this thread may load kernels and allocate memory even if it captures a stream in a strict mode, in
// which the driver otherwise refuses.
class AllowedWhileCapturing {
 public:
  AllowedWhileCapturing();
  ~AllowedWhileCapturing();
  AllowedWhileCapturing(const AllowedWhileCapturing&) = delete;
  AllowedWhileCapturing& operator=(const AllowedWhileCapturing&) = delete;

 private:
  int mode_before_ = -1;  // -1: nothing was changed
};

// The same, for the first use of a kernel on a device alone: it has no effect after that.
class FirstUse {
 public:
  // Kernels are numbered by the caller, from 0.
  FirstUse(int device, int kernel);

  // The kernel was launched: from now on it counts as loaded.
  void succeeded();

 private:
  int device_;
  int kernel_;
  std::optional<AllowedWhileCapturing> allowed_;
};

}  // namespace assay::attention::library
