// SPDX-License-Identifier: MIT
// The configurations of a kernel as a space: those that cannot run on the device are left out before anything is built.
// Beyond a million nothing is listed. Then a search sees parts of the space, one after the other: what it evaluated,
// the neighbours of the best, and configurations drawn at random.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "gpu/gpu_model.hpp"
#include "spec/configuration.hpp"
#include "spec/configuration_sampler.hpp"
#include "spec/shape.hpp"
#include "tune/space.hpp"

namespace assay::work {

// All of them, or a part.
struct KernelSpace {
  const spec::KernelSpec* spec;
  tune::Space space;
  std::vector<std::pair<std::string, size_t>> left_out;  // why, and how many

  spec::Configuration configuration(size_t index) const;
  std::optional<size_t> find(const std::string& configuration) const;  // by its id
};

class KernelSpaces {
 public:
  struct Request {
    std::string restriction;        // "NAME=value,..."; empty: none
    std::vector<std::string> only;  // these whole configurations; empty: all that the restriction leaves
    std::vector<spec::Shape> shapes;
    uint64_t seed = 1;
    double most_listed = 1e6;  // combinations
  };
  static Result<KernelSpaces> open(const spec::KernelSpec& spec, Request request, const gpu::GpuModel& model);

  bool listed() const { return whole_.has_value(); }
  double combinations() const { return combinations_; }  // of the tunables
  double legal() const { return legal_; }                // of them, by the constraints
  double error() const { return error_; }                // of that: a relative standard error; 0: it is exact

  // Of a space that is not listed: whether this is one of its configurations, by its id.
  Result<bool> legal(const std::string& configuration) const;

  // The whole space once, if it is listed. Else a part of it, the same for the same seed and words.
  Result<KernelSpace> part(const std::vector<std::string>& evaluated, const std::vector<std::string>& best,
                           uint64_t round);

 private:
  KernelSpaces(const spec::KernelSpec& spec, Request request, const gpu::GpuModel& model)
      : spec_(&spec), request_(std::move(request)), model_(&model) {}

  const spec::KernelSpec* spec_;
  Request request_;
  const gpu::GpuModel* model_;
  std::optional<KernelSpace> whole_;
  std::unique_ptr<spec::ConfigurationSampler> sampler_;
  double combinations_ = 1;
  double legal_ = 1;
  double error_ = 0;
};

}  // namespace assay::work
