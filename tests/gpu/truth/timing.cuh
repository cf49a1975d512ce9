// SPDX-License-Identifier: MIT
// Time per call: back-to-back calls in a CUDA graph over rotating input sets, the median of many replays. sdpa_peer.py
// measures its calls in the same way.
#pragma once

#include <algorithm>
#include <vector>

#include "device.cuh"

namespace truth {

inline constexpr int kInputSets = 4;

struct Protocol {
  int calls;  // in one graph
  int replays;
};

// Long calls need fewer of both.
inline Protocol protocol_for(double flops) {
  return flops > 1e11 ? Protocol{4, 10} : Protocol{40, 40};
}

// call(stream, set) enqueues one call on input set `set`. Returns microseconds per call.
template <typename Call>
double median_microseconds(Call call, Protocol protocol) {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t replay;
  cudaEvent_t begin, end;
  check(cudaStreamCreate(&stream), "cudaStreamCreate");
  check(cudaEventCreate(&begin), "cudaEventCreate");
  check(cudaEventCreate(&end), "cudaEventCreate");
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
  for (int i = 0; i < protocol.calls; ++i) call(stream, i % kInputSets);
  check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  check(cudaGraphInstantiate(&replay, graph, 0), "cudaGraphInstantiate");
  for (int i = 0; i < 5; ++i) check(cudaGraphLaunch(replay, stream), "cudaGraphLaunch");

  std::vector<double> samples;
  for (int i = 0; i < protocol.replays; ++i) {
    float milliseconds = 0;
    check(cudaEventRecord(begin, stream), "cudaEventRecord");
    check(cudaGraphLaunch(replay, stream), "cudaGraphLaunch");
    check(cudaEventRecord(end, stream), "cudaEventRecord");
    check(cudaEventSynchronize(end), "cudaEventSynchronize");
    check(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
    samples.push_back(milliseconds * 1000.0 / protocol.calls);
  }
  cudaGraphExecDestroy(replay);
  cudaGraphDestroy(graph);
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  cudaStreamDestroy(stream);
  std::nth_element(samples.begin(), samples.begin() + protocol.replays / 2, samples.end());
  return samples[protocol.replays / 2];
}

}  // namespace truth
