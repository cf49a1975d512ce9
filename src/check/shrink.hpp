// SPDX-License-Identifier: MIT
// From a failing shape to the smallest one that still fails: the one a person wants to debug.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "check/domain.hpp"
#include "spec/shape.hpp"

namespace assay::check {

struct ShrinkOptions {
  size_t max_evaluations = 80;  // of `fails`, which runs the kernel
};

struct Shrunk {
  spec::Shape shape;
  size_t evaluations = 0;
  bool minimal = false;  // the next smaller value of every dimension passes; false: the evaluations ran out first
};

// Dimension by dimension, the largest first: bisects between a value that passes and the one that fails, until no
// dimension gives way any more. `legal` is cheap and says whether a shape may be tried; `fails` decides. Deterministic
// if they are.
Shrunk shrink(const spec::Shape& failing, const std::vector<Domain>& domains,
              const std::function<bool(const spec::Shape&)>& legal,
              const std::function<bool(const spec::Shape&)>& fails, const ShrinkOptions& options = {});

}  // namespace assay::check
