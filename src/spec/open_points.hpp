// SPDX-License-Identifier: MIT
// What `assay new` left for a person to decide or to write: comments that begin with "open:", in the specification and
// in the files that it names.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "spec/kernel_spec.hpp"

namespace assay::spec {

struct Open {
  Place place;
  std::string text;  // behind "open:"
};

std::vector<Open> open_points(const KernelSpec& spec);

// One error that lists them, with their places; for commands that need an answer to all of them.
Error still_open(const std::vector<Open>& points);

}  // namespace assay::spec
