// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace assay {

inline size_t core_count() {
  return std::max(1u, std::thread::hardware_concurrency());
}

// The same work on so many threads, the caller's among them; returns when all have done it. Who does what they settle
// between them, mostly by an atomic number of the next piece.
template <class Work>
void on_threads(size_t count, const Work& work) {
  std::vector<std::jthread> others;
  for (size_t i = 1; i < count; ++i) others.emplace_back(std::cref(work));
  work();
}

}  // namespace assay
