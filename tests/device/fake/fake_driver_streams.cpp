// SPDX-License-Identifier: MIT
// The fake driver's order and time: streams, events, graphs, and the clock that they share.
#include <chrono>
#include <cstdlib>
#include <optional>
#include <thread>
#include <utility>

#include "fake_driver.hpp"

using namespace fake;  // NOLINT

namespace {

CUresult pending = CUDA_SUCCESS;  // the fault that the next synchronisation finds

// What a graph holds. While a stream is captured, work goes there instead of being done.
struct FakeNode {
  CUgraphNodeType type;
  std::function<CUresult()> work;
};
using FakeGraph = std::vector<FakeNode>;
FakeGraph* capturing = nullptr;

double number_in(const char* variable, double otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::atof(text) : otherwise;
}

// When the work began that is waited for next, by this clock and by the host's.
struct Beginning {
  double ms;
  std::chrono::steady_clock::time_point host;
};
std::optional<Beginning> beginning;

void wait_for_work() {
  if (waits() && beginning)
    std::this_thread::sleep_until(beginning->host + std::chrono::duration<double, std::milli>(now_ms - beginning->ms));
  beginning.reset();
}

}  // namespace

namespace fake {

double now_ms = 0;

bool waits() {
  static const bool kWaits = std::getenv("FAKE_CUDA_WAITS") != nullptr;
  return kWaits;
}

CUresult enqueue(CUgraphNodeType type, std::function<CUresult()> work) {
  if (sticky != CUDA_SUCCESS) return sticky;
  if (!beginning) beginning = {now_ms, std::chrono::steady_clock::now()};
  if (capturing != nullptr) {
    capturing->push_back({type, std::move(work)});
  } else if (const CUresult result = work(); result != CUDA_SUCCESS) {
    pending = result;
  }
  return CUDA_SUCCESS;
}

}  // namespace fake

extern "C" {
CUresult cuCtxSynchronize() {
  wait_for_work();
  if (pending != CUDA_SUCCESS) sticky = pending;
  return answer();
}
CUresult cuStreamCreate(CUstream* stream, unsigned) {
  return *stream = reinterpret_cast<CUstream>(&pending), answer();
}
CUresult cuStreamDestroy_v2(CUstream) {
  return answer();
}
CUresult cuStreamSynchronize(CUstream) {
  return cuCtxSynchronize();
}
CUresult cuEventCreate(CUevent* event, unsigned) {
  return *event = reinterpret_cast<CUevent>(new double(0)), answer();
}
CUresult cuEventDestroy_v2(CUevent event) {
  return delete reinterpret_cast<double*>(event), answer();
}
CUresult cuEventRecordWithFlags(CUevent event, CUstream, unsigned) {
  return enqueue(CU_GRAPH_NODE_TYPE_EVENT_RECORD, [event] {
    trace("record");
    *reinterpret_cast<double*>(event) = now_ms;
    return CUDA_SUCCESS;
  });
}
// The host takes FAKE_CUDA_ENQUEUE_US to enqueue what it waits for next: an event before that has passed by then.
CUresult cuEventQuery(CUevent event) {
  static const double kEnqueueUs = number_in("FAKE_CUDA_ENQUEUE_US", 50);
  const double us = beginning ? 1e3 * (*reinterpret_cast<double*>(event) - beginning->ms) : 0;
  return us > kEnqueueUs ? CUDA_ERROR_NOT_READY : answer();
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  const double taken = *reinterpret_cast<double*>(end) - *reinterpret_cast<double*>(start);
  return *milliseconds = static_cast<float>(taken), answer();
}
CUresult cuStreamBeginCapture_v2(CUstream, CUstreamCaptureMode) {
  capturing = new FakeGraph;
  return answer();
}
CUresult cuStreamEndCapture(CUstream, CUgraph* graph) {
  *graph = reinterpret_cast<CUgraph>(std::exchange(capturing, nullptr));
  return answer();
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec* executable, CUgraph graph, unsigned long long) {
  *executable = reinterpret_cast<CUgraphExec>(new FakeGraph(*reinterpret_cast<FakeGraph*>(graph)));
  return answer();
}
CUresult cuGraphUpload(CUgraphExec, CUstream) {
  return answer();
}
CUresult cuGraphLaunch(CUgraphExec executable, CUstream) {
  for (const FakeNode& node : *reinterpret_cast<FakeGraph*>(executable)) enqueue(node.type, node.work);
  return answer();
}
CUresult cuGraphExecDestroy(CUgraphExec executable) {
  return delete reinterpret_cast<FakeGraph*>(executable), answer();
}
CUresult cuGraphDestroy(CUgraph graph) {
  return delete reinterpret_cast<FakeGraph*>(graph), answer();
}
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, size_t* count) {
  FakeGraph& all = *reinterpret_cast<FakeGraph*>(graph);
  *count = all.size();
  for (size_t i = 0; nodes != nullptr && i < all.size(); ++i) nodes[i] = reinterpret_cast<CUgraphNode>(&all[i]);
  return answer();
}
CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType* type) {
  return *type = reinterpret_cast<FakeNode*>(node)->type, answer();
}
// What only tests call: a fresh machine.
void fake_reset() {
  sticky = pending = CUDA_SUCCESS;
}
}
