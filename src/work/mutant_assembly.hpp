// SPDX-License-Identifier: MIT
// Mutants through ptxas: the machine code that a GPU runs, and what it takes of one. Kept in the artifact cache.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "build/artifact_cache.hpp"
#include "build/toolkit.hpp"
#include "gpu/gpu_model.hpp"
#include "invert/proof.hpp"

namespace assay::work {

struct AssemblyRequest {
  std::filesystem::path ptx;
  std::string entry;
  int64_t threads = 0;  // of a block
  int64_t dynamic_shared_bytes = 0;
};

struct AssemblyResult {
  invert::Assembled figures;
  std::filesystem::path cubin;  // empty if ptxas refused it
  std::string refused;          // what it said
};

class MutantAssembly {
 public:
  // The error says why there is no ptxas here.
  static Result<MutantAssembly> open(const gpu::GpuModel& model, const std::string& target,
                                     std::vector<std::string> flags);

  // By any thread.
  Result<AssemblyResult> assemble(const AssemblyRequest& request) const;

 private:
  MutantAssembly(build::Toolkit toolkit, build::ArtifactCache cache, const gpu::GpuModel& model)
      : toolkit_(std::move(toolkit)), cache_(std::move(cache)), model_(&model) {}

  build::Toolkit toolkit_;
  build::ArtifactCache cache_;
  const gpu::GpuModel* model_;
  std::string target_;
  std::vector<std::string> flags_;
};

}  // namespace assay::work
