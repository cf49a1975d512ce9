// SPDX-License-Identifier: MIT
// The kinds of kernels that synthetic spaces are made of: parameters, restrictions, and what a block has to do.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tune/synthetic_gpu.hpp"

namespace assay::tune {

struct SyntheticKernel {
  using Values = std::map<std::string, double>;

  std::vector<std::pair<std::string, std::vector<double>>> parameters;
  std::function<bool(const Values&)> valid;
  std::function<BlockWork(const Values&)> work;
  double fails = 0;  // the share that does not compile, beside what does not fit
};

// Kinds that many people tune. `random` draws their sizes.
SyntheticKernel convolution(Random& random);
SyntheticKernel gemm(Random& random);
SyntheticKernel stencil(Random& random);
SyntheticKernel dedispersion(Random& random);
SyntheticKernel streaming(Random& random);
SyntheticKernel pipelined(Random& random);

// Kinds of which others published counters with every configuration.
SyntheticKernel filter(Random& random);
SyntheticKernel polygon(Random& random);
SyntheticKernel coulomb(Random& random);

std::vector<double> steps(double from, double to, double by);
double ceil_div(double a, double b);

}  // namespace assay::tune
