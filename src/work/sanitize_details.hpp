// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "assay/sanitize.hpp"
#include "check/sanitizer.hpp"
#include "spec/configuration.hpp"
#include "spec/kernel_spec.hpp"
#include "work/second_opinion.hpp"

namespace assay::work {

struct SanitizeDetails {
  spec::KernelSpec spec;
  spec::Configuration configuration;
  check::SanitizeReport report;
  std::optional<SecondOpinion> second;
  nlohmann::json document;  // without the head
};

}  // namespace assay::work
