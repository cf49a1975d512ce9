// SPDX-License-Identifier: MIT
// A suite together with its kernels: every item that is to be measured, in order.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "spec/configuration.hpp"
#include "spec/kernel_spec.hpp"
#include "spec/shape.hpp"
#include "suite/suite.hpp"

namespace assay::suite {

// One shape of one configuration of one kernel, beside all of its baselines.
struct Item {
  spec::Shape shape;
  std::string key;      // of the work in the ledger: changes with everything that the figures depend on
  std::string skipped;  // why this configuration cannot run this shape; empty: it can

  std::string dtype() const;  // of the dimension "dtype"; "" if there is none
};

// What is measured together: the kernel is built once, and its providers live from shape to shape.
struct Group {
  std::shared_ptr<const spec::KernelSpec> spec;
  spec::Configuration configuration;
  std::string candidate;               // as --candidate takes it; empty: the kernel itself
  std::vector<std::string> baselines;  // as --baseline takes them; folders relative to the current one
  Measuring measuring;
  std::vector<Item> items;

  // Who is measured, for people.
  std::string kernel() const { return candidate.empty() ? spec->kernel.name : spec->kernel.name + ":" + candidate; }
};

struct Plan {
  std::string name;
  std::string description;
  std::string file;
  std::vector<Group> groups;
  // A hash of what is to be measured and how. Comments, order of keys and the kernels' sources do not count: the items'
  // keys hold the sources.
  std::string meaning;

  size_t item_count() const;
  size_t runnable_count() const;  // without those that are skipped
};

// Loads the kernels. What the suite says about them is checked here; an error has the place in the suite's file.
// An item that occurs twice is there once.
Result<Plan> make_plan(const Suite& suite);

}  // namespace assay::suite
