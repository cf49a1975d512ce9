// SPDX-License-Identifier: MIT
// One case under several benchmarks' rules, as a table.
#pragma once

#include <string>
#include <vector>

#include "assay/cross.hpp"

namespace assay::cli {

class CrossText final : public work::CrossListener {
 public:
  void on_case(const work::CrossCase& measured) override;
};

}  // namespace assay::cli
