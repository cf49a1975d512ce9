// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "assay/gate.hpp"
#include "judge/gate.hpp"
#include "spec/kernel_spec.hpp"

namespace assay::work {

struct GateDetails {
  spec::KernelSpec spec;
  std::optional<judge::GateResult> result;  // nothing where results were only saved
  std::string saved;                        // the name, there
  nlohmann::json document;
};

}  // namespace assay::work
