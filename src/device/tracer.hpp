// SPDX-License-Identifier: MIT
// What a device is beside a Device if it can say what a launch asks of each part of a GPU.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gpu/instruction_count.hpp"
#include "gpu/launch_work.hpp"

namespace assay::device {

class Tracer {
 public:
  virtual ~Tracer() = default;
  // The launches that follow are traced. At most so many blocks of each are run, if they can stand for the others
  // (0: all of them); then their results are incomplete.
  // `sampled`: whether they can, if that is known of the program that this one was made of.
  virtual void trace_launches(uint64_t blocks, std::optional<bool> sampled = std::nullopt) = 0;
  // Of the last launch, if it ran to its end.
  virtual const std::optional<gpu::LaunchWork>& traced() const = 0;
  // The same by instruction, of the blocks that were run.
  virtual const std::vector<gpu::InstructionCount>& instructions() const = 0;
};

}  // namespace assay::device
