// SPDX-License-Identifier: MIT
// CUPTI, opened at run time: which kernels, copies and fills really ran on the GPU between two points, and on which
// streams. Where CUPTI is absent or not permitted, open() says so.
//
//   ASSAY_TRY(cuda::ActivityTrace* trace, cuda::ActivityTrace::open());   // before the first context, if possible
//   ASSAY_CHECK(trace->start());
//   ... work; synchronise ...
//   ASSAY_TRY(const std::vector<cuda::Activity> ran, trace->stop());
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "device/cuda/shared_library.hpp"

namespace assay::device::cuda {

enum class ActivityKind { kernel, copy, fill };

struct Activity {
  ActivityKind kind = ActivityKind::kernel;
  std::string name;  // of a kernel, mangled as in the module; "" for others
  uint32_t stream = 0;
  uint32_t context = 0;
  uint32_t device = 0;
  uint32_t correlation = 0;
  uint64_t start_ns = 0;  // on CUPTI's clock
  uint64_t end_ns = 0;
  uint64_t bytes = 0;                           // of copies and fills
  uint32_t grid_x = 0, grid_y = 0, grid_z = 0;  // of kernels
  uint32_t block_x = 0, block_y = 0, block_z = 0;
};

// The places where libcupti may be, best first: ASSAY_CUPTI_LIBRARY, CUDA_HOME, /usr/local/cuda*, PyTorch's packages.
std::vector<std::string> cupti_candidates();

// There is one trace in a process, as CUPTI has no more. Not to be used from several threads.
class ActivityTrace {
 public:
  static Result<ActivityTrace*> open();
  // From one library; for tests.
  static Result<std::unique_ptr<ActivityTrace>> open(const std::vector<std::string>& libraries);
  ~ActivityTrace();
  ActivityTrace(const ActivityTrace&) = delete;
  ActivityTrace& operator=(const ActivityTrace&) = delete;

  Result<void> start();
  // What ran since start(), by its start time. The caller has synchronised: what still runs is not in it.
  Result<std::vector<Activity>> stop();
  uint64_t dropped() const { return dropped_; }  // records that CUPTI had no room for, since open()
  uint32_t version() const { return version_; }
  const std::string& library_path() const { return library_.path(); }

 private:
  struct Table;
  explicit ActivityTrace(SharedLibrary library);
  Result<void> check(int code, const char* what) const;
  void take(const uint8_t* buffer, size_t bytes);
  static void request_buffer(uint8_t** buffer, size_t* bytes, size_t* most_records);
  static void complete_buffer(void* context, uint32_t stream, uint8_t* buffer, size_t bytes, size_t used);

  SharedLibrary library_;
  std::unique_ptr<Table> table_;
  std::vector<Activity> found_;
  bool running_ = false;
  uint64_t dropped_ = 0;
  uint32_t version_ = 0;
};

}  // namespace assay::device::cuda
