// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <mutex>
#include <thread>

#include "base/elapsed.hpp"
#include "base/progress.hpp"
#include "invert/proof.hpp"
#include "spec/choice.hpp"
#include "work/inverter.hpp"

namespace assay::work {

Result<void> Inverter::prove() {
  open_assembly();
  ASSAY_CHECK(assemble(controls_.front()));
  std::vector<Trial*> order = in_order_of_worth();
  Progress progress(context_, "experiments", order.size());
  const auto start = std::chrono::steady_clock::now();
  details_->before_s = seconds_since(began_);
  const double until = proofs_until(details_->before_s);
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  std::optional<Error> failed;
  const auto work = [&] {
    while (!context_.cancelled()) {
      const size_t i = next++;
      if (i >= order.size() || seconds_since(began_) > until) return;
      const auto proved = prove_one(*order[i]);
      const std::lock_guard lock(mutex);
      progress.advance(fmt::format("{} {}", order[i]->result.name, order[i]->dose));
      if (!proved) failed = proved.error();
      if (proved && order[i]->proved && (gpu_.empty() || order[i]->done)) {
        if (const auto kept = remember(*order[i]); !kept) failed = kept.error();
      }
      if (failed) return;
    }
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < std::min(order.size(), threads_for_proofs()); ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  ASSAY_CHECK(check_cancelled(context_));
  if (failed) return *failed;
  details_->proof_s = seconds_since(start);
  for (Trial* trial : order) {
    if (!trial->proved)
      end(*trial, invert::State::not_tried, fmt::format("{:.0f} s up to the last proof were over", proof_seconds()));
  }
  doubt_other_doses();
  return {};
}

double Inverter::proof_seconds() const {
  if (request_.seconds > 0 || gpu_.empty()) return request_.seconds;
  return request_.quick ? 15 : 60;  // a GPU is waiting
}

double Inverter::proofs_until(double now) const {
  if (proof_seconds() <= 0) return std::numeric_limits<double>::infinity();
  return std::max(proof_seconds(), now + proof_seconds() / 3);
}

size_t Inverter::threads_for_proofs() const {
  constexpr uint64_t kMemory = uint64_t{4} << 30;
  const uint64_t fit = kMemory / std::max<uint64_t>(1, 2 * facts_.all_buffers);
  return std::clamp<uint64_t>(fit, 1, std::max(1U, std::thread::hardware_concurrency()));
}

void Inverter::open_assembly() {
  if (!request_.assemble) {
    details_->no_ptxas = "not asked for";
    return;
  }
  auto assembly = MutantAssembly::open(*facts_.model, estimated().target, spec::kernel_of(spec_, configuration_).flags);
  if (!assembly) {
    details_->no_ptxas = assembly.error().message;
    return;
  }
  assembly_.emplace(std::move(*assembly));
}

Result<void> Inverter::assemble(Image& image) const {
  if (!assembly_) return {};
  const gpu::Dim3& block = image.launch.block ? *image.launch.block : facts_.block;
  ASSAY_TRY(image.assembled, assembly_->assemble({image.file, image.text.entry(), static_cast<int64_t>(block.volume()),
                                                  facts_.dynamic_shared_bytes + image.launch.more_shared_bytes}));
  return {};
}

Result<void> Inverter::prove_one(Trial& trial) {
  Image& image = *trial.image;
  InvertedExperiment& result = trial.result;
  trial.proved = true;
  ASSAY_CHECK(assemble(image));
  if (!image.assembled.refused.empty()) {
    end(trial, invert::State::failed, "ptxas: " + image.assembled.refused);
    return {};
  }
  ProvingGround& ground = trial.as_at_smaller ? *smaller_ : *wanted_;
  Image& own_control = controls_[trial.control];
  double control_us = ground.prepared().us;
  if (trial.control != 0) {
    ASSAY_CHECK(assemble(own_control));
    const auto known = ground.count(own_control);
    if (!known && known.error().exit_code == kInterrupted) return known.error();
    if (!known) {
      end(trial, invert::State::failed, "its control: " + known.error().message);
      return {};
    }
    control_us = known->us;
  }
  const auto own = ground.count(image);
  if (!own && own.error().exit_code == kInterrupted) return own.error();
  if (!own) {
    end(trial, invert::State::failed, own.error().message);
    return {};
  }
  const invert::CountedChange change = invert::counted_change(ground.prepared().lines, *trial.mutant, own->lines);
  result.counted_before = change.before;
  result.counted_added = change.added;
  result.counted_removed = change.removed;
  result.counts_foretold = change.exact;
  describe_assembly(result, own_control.assembled.figures, image.assembled.figures);
  if (trial.row->not_estimated.empty()) result.estimated_ratio = own->us / control_us;
  if (trial.mutant->foretold && !change.exact) {
    end(trial, invert::State::not_proved, change.why_not);
    return {};
  }
  const invert::TextChange text = invert::text_change(controls_.front().text, *trial.mutant);
  const invert::Judged judged =
      invert::judge(own_control.assembled.figures, image.assembled.figures, *trial.row, text.added, text.removed);
  if (judged.standing == invert::Standing::vanished) {
    end(trial, invert::State::not_proved, judged.why);
    trial.vanished = true;
  } else if (judged.standing == invert::Standing::confounded) {
    end(trial, invert::State::confounded, judged.why);
    trial.done = false;  // it is timed and shown
  } else if (!result.why.empty()) {
    end(trial, invert::State::confounded, result.why);
    trial.done = false;
  } else {
    result.why = trial.row->not_estimated;
    result.state = to_string(result.why.empty() ? invert::State::ranked : invert::State::not_timed);
  }
  return {};
}

void Inverter::doubt_other_doses() {
  std::map<std::string, std::string> vanished;
  for (const Trial& trial : trials_) {
    if (trial.vanished) vanished[trial.result.name] = trial.result.why;
  }
  for (Trial& trial : trials_) {
    const auto found = vanished.find(trial.result.name);
    if (found != vanished.end() && trial.image && trial.result.state == to_string(invert::State::ranked))
      end(trial, invert::State::not_proved, "another dose: " + found->second);
  }
}

void Inverter::describe_assembly(InvertedExperiment& result, const invert::Assembled& before,
                                 const invert::Assembled& after) {
  result.registers_before = before.registers;
  result.registers = after.registers;
  result.spill_bytes_before = before.spill_bytes;
  result.spill_bytes = after.spill_bytes;
  result.code_bytes_before = before.code_bytes;
  result.code_bytes = after.code_bytes;
  result.blocks_per_sm_before = before.blocks_per_sm;
  result.blocks_per_sm = after.blocks_per_sm;
}

}  // namespace assay::work
