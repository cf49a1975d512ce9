// SPDX-License-Identifier: MIT
#include "device/cuda/stream_work.hpp"

#include <algorithm>

#include "device/cuda/event.hpp"

namespace assay::device::cuda {

Result<double> seconds_of(CudaDevice& gpu, const std::function<CUresult()>& work, std::string_view what) {
  ASSAY_TRY(Event start, Event::make(gpu));
  ASSAY_TRY(Event end, Event::make(gpu));
  ASSAY_CHECK(start.record(gpu.stream()));
  ASSAY_CHECK(gpu.check(work(), what));
  ASSAY_CHECK(end.record(gpu.stream()));
  ASSAY_CHECK(gpu.check(gpu.driver().cuStreamSynchronize(gpu.stream()), what));
  ASSAY_TRY(const double us, end.microseconds_since(start));
  return us / 1e6;
}

Result<double> best_seconds_of(CudaDevice& gpu, int times, const std::function<CUresult()>& work,
                               std::string_view what) {
  double best = 0;
  for (int i = 0; i < times; ++i) {
    ASSAY_TRY(const double seconds, seconds_of(gpu, work, what));
    best = i == 0 ? seconds : std::min(best, seconds);
  }
  return best;
}

Result<CUgraphExec> captured_graph(CudaDevice& gpu, CUstream stream, const std::function<Result<void>()>& enqueue,
                                   const std::function<Result<void>(CUgraph)>& look) {
  const Driver& driver = gpu.driver();
  ASSAY_CHECK(
      gpu.check(driver.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), "cuStreamBeginCapture"));
  const auto enqueued = enqueue();
  CUgraph graph = nullptr;
  const CUresult ended = driver.cuStreamEndCapture(stream, &graph);
  if (!enqueued) return enqueued.error();
  ASSAY_CHECK(gpu.check(ended, "cuStreamEndCapture"));
  CUgraphExec executable = nullptr;
  Result<void> made = look ? look(graph) : Result<void>();
  if (made) made = gpu.check(driver.cuGraphInstantiate(&executable, graph, 0), "cuGraphInstantiate");
  driver.cuGraphDestroy(graph);
  ASSAY_CHECK(made);
  ASSAY_CHECK(gpu.check(driver.cuGraphUpload(executable, stream), "cuGraphUpload"));
  return executable;
}

}  // namespace assay::device::cuda
