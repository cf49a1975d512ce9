// SPDX-License-Identifier: MIT
// Random shapes where kernels go wrong: one less, one more and exactly a multiple of a tile, powers of two, primes.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/random.hpp"
#include "base/result.hpp"
#include "check/domain.hpp"
#include "spec/shape.hpp"

namespace assay::check {

// Sizes at which the kernel changes from one tile to the next: the tunables' values and the block's extents.
Result<std::vector<int64_t>> tile_edges(const spec::KernelSpec& spec, const spec::Configuration& configuration);

class ShapeFuzzer {
 public:
  ShapeFuzzer(std::vector<Domain> domains, std::vector<int64_t> edges, uint64_t seed)
      : domains_(std::move(domains)), edges_(std::move(edges)), random_(seed) {}

  // While the shape is not affordable, the largest open dimension is drawn again from half its value; one of them,
  // taken in turn, only when all others are 1. Legality is the caller's business.
  spec::Shape next(const std::function<bool(const spec::Shape&)>& affordable);

 private:
  int64_t draw(int64_t limit);
  int64_t draw_edge(int64_t limit);
  std::vector<size_t> open_dimensions() const;

  std::vector<Domain> domains_;
  std::vector<int64_t> edges_;
  Random random_;
  size_t turn_ = 0;
};

}  // namespace assay::check
