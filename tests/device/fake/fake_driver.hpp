// SPDX-License-Identifier: MIT
// What the parts of the fake driver share. fake_driver.cpp says what the library is; each part holds the functions of
// one topic of the driver's.
//
// The library's own names are hidden: the old driver has the same, and a test may open both.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "device/cuda/driver_types.hpp"

#pragma GCC visibility push(hidden)
namespace fake {

using namespace assay::device::cuda;  // NOLINT: it is their world

// --- the machine
inline constexpr size_t kMemory = size_t{140} << 30;
extern CUresult sticky;  // after a fault, every call answers with it
CUresult answer();
// What this library was not written for has no answer here: a made-up one would make a test pass that tests nothing.
[[noreturn]] void never_asked(const std::string& what);
std::string visible();  // CUDA_VISIBLE_DEVICES
// FAKE_CUDA_TRACE: a file to which what the device does is appended, in order.
void trace(const std::string& what);

// --- work that is enqueued
// FAKE_CUDA_WAITS: it takes the time that the events tell.
bool waits();
// A clock that only work moves: a kernel takes 10 us, assay_spin a nanosecond for each cycle.
extern double now_ms;
// Does it at once, or keeps it for the graph while a stream is captured. A fault shows at the next synchronisation.
CUresult enqueue(CUgraphNodeType type, std::function<CUresult()> work);

// --- memory
void free_everything();

struct FakeArray {
  CUDA_ARRAY3D_DESCRIPTOR description;
  std::vector<char> bytes;
};
struct FakeObject {
  CUDA_RESOURCE_DESC resource;
  CUDA_TEXTURE_DESC texture;
};

}  // namespace fake
#pragma GCC visibility pop
