// SPDX-License-Identifier: MIT
// One experiment on its way: the mutant, its control, and what became of it so far.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "assay/invert.hpp"
#include "gpu/launch_change.hpp"
#include "invert/mutation.hpp"
#include "work/mutant_assembly.hpp"

namespace assay::work {

// A text that runs: a mutant or a control.
struct MutantImage {
  invert::KernelText text{};
  invert::KernelText::Printed printed{};
  std::filesystem::path file{};
  gpu::LaunchChange launch{};
  std::string configuration{};  // id; "" without tunables
  AssemblyResult assembled{};
};

struct InvertTrial {
  const invert::Row* row = nullptr;
  int dose = 1;
  InvertedExperiment result;
  std::optional<invert::Mutant> mutant;
  std::optional<MutantImage> image;
  size_t control = 0;          // index into the images of controls
  bool as_at_smaller = false;  // the same text is made from the counts of the smaller shape
  bool proved = false;         // it has been through the virtual GPU
  bool done = false;           // recalled, or over
  bool vanished = false;
  bool out_of_time = false;  // of the GPU
};

}  // namespace assay::work
