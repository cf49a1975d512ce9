// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "assay/sanitize.hpp"
#include "check/sanitizer.hpp"
#include "spec/configuration.hpp"
#include "spec/kernel_spec.hpp"
#include "work/resumption.hpp"
#include "work/second_opinion.hpp"

namespace assay::work {

struct SanitizeDetails {
  spec::KernelSpec spec;
  spec::Configuration configuration;
  check::SanitizeReport report;
  std::optional<SecondOpinion> second;
  nlohmann::json document;  // without the head
};

// sanitize(), as a part of longer work: what it remembers is kept until that has come to its end.
Result<SanitizeReport> sanitize_as_part(const SanitizeRequest& request, const Context& context, UnfinishedWork* longer);

}  // namespace assay::work
