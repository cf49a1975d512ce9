// SPDX-License-Identifier: MIT
// A shape at which mutants run on the virtual GPU, under the memory check: few blocks of it, if they say what many do
// and a block has much to do. Any thread may ask; each gets a process of its own.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "assay/kernel_choice.hpp"
#include "check/experiments.hpp"
#include "estimate/estimate.hpp"
#include "invert/mutation.hpp"
#include "spec/configuration.hpp"
#include "spec/kernel_spec.hpp"
#include "spec/shape.hpp"
#include "work/case_rates.hpp"
#include "work/invert_trial.hpp"

namespace assay::work {

// What one text did.
struct CountedImage {
  std::vector<gpu::InstructionCount> lines;
  double us = 0;                // estimated, of all launches
  estimate::Estimate estimate;  // of the first
  uint64_t blocks = 0;
  uint64_t blocks_run = 0;
  bool sampled = false;
};

class ProvingGround {
 public:
  struct Setup {
    const spec::KernelSpec* spec = nullptr;
    spec::Shape shape;
    std::string device;
    uint64_t seed = 1;
    uint64_t blocks = 0;  // run at most so many; 0: all
    CaseLimits limits;
    Context context;
    const invert::Facts* facts = nullptr;  // of the launch; the counts in it are not looked at
    const CaseRates* rates = nullptr;
  };
  // Runs the prepared kernel. `known`: the estimate of the same kernel from as many blocks as may be run, which few
  // blocks must agree with; null: they do.
  static Result<std::unique_ptr<ProvingGround>> open(Setup setup, const MutantImage& prepared,
                                                     const estimate::Estimate* known);

  const spec::Shape& shape() const { return setup_.shape; }
  const CountedImage& prepared() const { return prepared_; }
  Result<CountedImage> count(const MutantImage& image);

 private:
  explicit ProvingGround(Setup setup) : setup_(std::move(setup)) {}
  Result<CountedImage> count_blocks(const MutantImage& image, uint64_t blocks, std::optional<bool> sampled);
  std::unique_ptr<check::Experiments> take_worker(const std::string& key, const std::string& configuration);

  Setup setup_;
  uint64_t blocks_ = 0;
  CountedImage prepared_;
  std::mutex mutex_;
  std::map<std::string, std::vector<std::unique_ptr<check::Experiments>>> idle_;  // by configuration and offset
};

// Of `most` blocks as many as a virtual GPU runs in seconds, by the specification's formula of the work; 0: all.
uint64_t affordable_blocks(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                           const spec::Shape& shape, uint64_t most);

// Whether experiments at `smaller` say what those at `wanted` do: the same lines run, the same part limits, and what
// takes about as long as that has about the same share.
bool stands_for(const CountedImage& smaller, const CountedImage& wanted);

// Shapes with the same launch in which one dimension is a part of what it was, the smallest first.
std::vector<spec::Shape> smaller_along(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                       const spec::Shape& wanted, const std::string& dimension);

}  // namespace assay::work
