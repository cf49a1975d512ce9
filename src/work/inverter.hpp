// SPDX-License-Identifier: MIT
// The experiments on one kernel: opened and reported in invert.cpp, made in invert_mutants.cpp, proved in
// invert_proofs.cpp, timed in invert_timing.cpp.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/invert.hpp"
#include "base/scratch_folder.hpp"
#include "invert/reading.hpp"
#include "measure/mutant_timing.hpp"
#include "work/diagnose_details.hpp"
#include "work/invert_details.hpp"
#include "work/invert_trial.hpp"
#include "work/mutant_assembly.hpp"
#include "work/proving_ground.hpp"
#include "work/recording.hpp"
#include "work/resumption.hpp"

namespace assay::work {

class Inverter {
 public:
  Inverter(const InvertRequest& request, const Context& context, std::shared_ptr<InvertDetails> details,
           std::string device, std::string gpu, Recording& recording)
      : request_(request),
        context_(context),
        details_(std::move(details)),
        spec_(details_->spec),
        device_(std::move(device)),
        gpu_(std::move(gpu)),
        recording_(recording) {}

  Result<InvertReport> run();

 private:
  using Image = MutantImage;
  using Trial = InvertTrial;

  // The counts, the estimate and the findings that are compared with.
  Result<void> diagnose();
  const EstimatedCase& estimated() const { return details_->diagnosis.details->estimated; }
  Result<void> open();
  Result<void> open_resumption();
  std::string worker_configuration(const spec::Configuration& configuration) const;
  Result<void> store(Image& image, const std::string& name);
  // The number of the control: 0 is the prepared kernel. The same text and launch are one.
  Result<size_t> control(invert::KernelText text, const gpu::LaunchChange& launch, const std::string& name,
                         const std::string& configuration);
  Result<void> prepare();
  // Proofs of long loops take long, and a few rounds of them show the same.
  Result<void> find_smaller(ProvingGround::Setup setup);
  static std::string key(const Trial& trial);
  bool recall(Trial& trial);
  // A row that did not come to its time, and why. It is over.
  void end(Trial& trial, invert::State state, std::string why);
  Result<void> remember(const Trial& trial);
  // First what tells of the findings of `diagnose`, then ablations, then first doses: what a short budget leaves undone
  // matters least.
  std::vector<Trial*> in_order_of_worth();
  // What there was no time for is named, and done by the same command.
  void collect();
  Result<void> write();

  // --- mutants
  Result<void> make_mutants();
  Result<void> make_mutant(Trial& trial);
  Result<void> take_mutant(Trial& trial, invert::Mutant mutant, const std::string& configuration);
  // The next lower value of a tunable.
  Result<void> other_configuration(Trial& trial);

  // --- proofs
  // Every mutant through ptxas and the virtual GPU, on all cores, the most telling first, as long as there is time.
  Result<void> prove();
  double proof_seconds() const;
  double budget() const;
  // Of the command's own clock: when no further proof begins, and when no further mutant is timed. Whatever went
  // before, a third of the time is left to either.
  double proofs_until(double now) const;
  double timing_until(double now) const;
  // Each has tensors of its own: not so many that memory ends.
  size_t threads_for_proofs() const;
  void open_assembly();
  Result<void> assemble(Image& image) const;
  // By any thread: the prepared kernel is only read, and any other control belongs to one trial alone.
  Result<void> prove_one(Trial& trial);
  // Where the machine code shows that one dose vanished, the smaller ones have too: they are only harder to see.
  void doubt_other_doses();
  static void describe_assembly(InvertedExperiment& result, const invert::Assembled& before,
                                const invert::Assembled& after);

  // --- times on the GPU
  Result<void> time_on_gpu();
  Result<void> measure();
  measure::TimedImage timed(const Image& image) const;

  const InvertRequest& request_;
  const Context& context_;
  const std::shared_ptr<InvertDetails> details_;
  const spec::KernelSpec& spec_;
  const std::string device_;
  const std::string gpu_;  // empty: nothing is measured
  Recording& recording_;
  spec::Configuration configuration_;
  spec::Shape shape_;
  uint64_t blocks_ = 0;  // run at most so many; 0: all
  std::optional<ScratchFolder> folder_;
  std::optional<Resumption> resumption_;
  std::string original_;  // its PTX
  invert::Facts facts_;
  std::optional<CaseRates> rates_;
  std::unique_ptr<ProvingGround> wanted_;
  std::unique_ptr<ProvingGround> smaller_;  // null: there is none, or it is not worth it
  invert::Facts smaller_facts_;
  std::optional<MutantAssembly> assembly_;
  std::vector<Image> controls_;  // the prepared kernel first
  std::vector<Trial> trials_;
  InvertReport report_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace assay::work
