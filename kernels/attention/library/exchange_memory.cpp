// SPDX-License-Identifier: MIT
#include "exchange_memory.hpp"

#include <cstdint>
#include <mutex>

#include "../primitives/cluster_slots.hpp"
#include "../split_keys/plan.hpp"
#include "devices.hpp"

namespace assay::attention::library {
namespace {

constexpr size_t kArrivalBytes = size_t{split_keys::kMostClusters} * kLargestCluster * sizeof(unsigned int);
constexpr int kMostPlaces = 48;

// Who uses a memory.
struct Owner {
  unsigned long long capture = 0;  // 0: nothing is captured
  unsigned long long stream = 0;

  bool operator==(const Owner&) const = default;
};

struct Place {
  int device = 0;
  char* memory = nullptr;
  bool taken = false;
  Owner owner;
};

class Places {
 public:
  char* of(int device, const Owner& owner, cudaGraph_t graph) {
    const std::lock_guard lock(mutex_);
    for (int i = 0; i < count_; ++i) {
      if (places_[i].taken && places_[i].device == device && places_[i].owner == owner) return places_[i].memory;
    }
    Place* place = free_place(device);
    if (place == nullptr || (graph != nullptr && !give_to(graph, *place))) return nullptr;
    place->taken = true;
    place->owner = owner;
    return place->memory;
  }

  // A graph has ended, and what was made of it.
  void give_back(Place& place) {
    const std::lock_guard lock(mutex_);
    place.taken = false;
  }

 private:
  // Memory that a graph left is used again; its counts are zeros, as after every call.
  Place* free_place(int device) {
    for (int i = 0; i < count_; ++i) {
      if (!places_[i].taken && places_[i].device == device) return &places_[i];
    }
    if (count_ == kMostPlaces) return nullptr;
    char* memory = allocate();
    if (memory == nullptr) return nullptr;
    places_[count_] = {device, memory, false, {}};
    return &places_[count_++];
  }

  static char* allocate() {
    const AllowedWhileCapturing allowed;
    void* memory = nullptr;
    if (cudaMalloc(&memory, kArrivalBytes + split_keys::kExchangeBytes) == cudaSuccess && cleared(memory)) {
      return static_cast<char*>(memory);
    }
    (void)cudaGetLastError();
    if (memory != nullptr) cudaFree(memory);
    return nullptr;
  }

  // On a stream of its own: the caller's may be captured.
  static bool cleared(void* memory) {
    cudaStream_t stream = nullptr;
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) return false;
    const bool done = cudaMemsetAsync(memory, 0, kArrivalBytes, stream) == cudaSuccess &&
                      cudaStreamSynchronize(stream) == cudaSuccess;
    cudaStreamDestroy(stream);
    return done;
  }

  static bool give_to(cudaGraph_t graph, Place& place);

  std::mutex mutex_;
  int count_ = 0;
  Place places_[kMostPlaces];
};

// Never destroyed: graphs may end after the library's other statics.
Places& places() {
  static Places& all = *new Places;
  return all;
}

bool Places::give_to(cudaGraph_t graph, Place& place) {
  cudaUserObject_t object = nullptr;
  const auto end = [](void* ended) { places().give_back(*static_cast<Place*>(ended)); };
  if (cudaUserObjectCreate(&object, &place, end, 1, cudaUserObjectNoDestructorSync) == cudaSuccess &&
      cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove) == cudaSuccess) {
    return true;
  }
  (void)cudaGetLastError();
  return false;
}

}  // namespace

ExchangeMemory exchange_memory(int device, cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaGraph_t graph = nullptr;
  Owner owner;
  bool known = cudaStreamGetCaptureInfo(stream, &status, &owner.capture, &graph) == cudaSuccess;
  if (status == cudaStreamCaptureStatusActive) {
    owner.stream = reinterpret_cast<uintptr_t>(stream);  // which lives as long as the capture
  } else {
    owner.capture = 0;
    graph = nullptr;
    known = known && status == cudaStreamCaptureStatusNone && cudaStreamGetId(stream, &owner.stream) == cudaSuccess;
  }
  if (!known) {
    (void)cudaGetLastError();
    return {};
  }
  char* memory = places().of(device, owner, graph);
  if (memory == nullptr) return {};
  return {reinterpret_cast<unsigned int*>(memory), memory + kArrivalBytes};
}

}  // namespace assay::attention::library
