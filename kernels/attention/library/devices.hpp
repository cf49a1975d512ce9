// SPDX-License-Identifier: MIT
// What the library remembers of the GPUs of this process: facts that never change, and which kernels are loaded.
#pragma once

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

// While it lives, this thread may load kernels even if it captures a stream in a strict mode, in which the driver
// otherwise refuses. Only for the first use of a kernel on a device: it has no effect after that.
class FirstUse {
 public:
  // Kernels are numbered by the caller, from 0.
  FirstUse(int device, int kernel);
  ~FirstUse();
  FirstUse(const FirstUse&) = delete;
  FirstUse& operator=(const FirstUse&) = delete;

  // The kernel was launched: from now on it counts as loaded.
  void succeeded();

 private:
  int device_;
  int kernel_;
  int mode_before_ = -1;  // -1: nothing was changed
};

}  // namespace assay::attention::library
