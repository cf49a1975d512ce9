// SPDX-License-Identifier: MIT
// Work on the stream of a GPU: its time by events, its arguments, and what it is as a graph.
#pragma once

#include <cstring>
#include <functional>
#include <string_view>
#include <vector>

#include "device/cuda/cuda_device.hpp"

namespace assay::device::cuda {

// An argument of a kernel as LaunchRequest wants it.
template <class T>
std::vector<std::byte> argument_bytes(T value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

// Seconds between two events around `work`, on the GPU's clock. `what`: for messages.
Result<double> seconds_of(CudaDevice& gpu, const std::function<CUresult()>& work, std::string_view what);

// The shortest of several: what the hardware can do, without what others did meanwhile.
Result<double> best_seconds_of(CudaDevice& gpu, int times, const std::function<CUresult()>& work,
                               std::string_view what);

// What `enqueue` puts on the stream, as an executable graph that is on the GPU already. `look`, if given, sees the
// graph itself. The caller destroys it.
Result<CUgraphExec> captured_graph(CudaDevice& gpu, CUstream stream, const std::function<Result<void>()>& enqueue,
                                   const std::function<Result<void>(CUgraph)>& look = {});

}  // namespace assay::device::cuda
