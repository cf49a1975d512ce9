// SPDX-License-Identifier: MIT
#include "work/new_trials.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <memory>

#include "base/file.hpp"
#include "check/reaching.hpp"
#include "describe/geometry.hpp"
#include "work/kernel.hpp"
#include "work/new_guess.hpp"

namespace assay::work {
namespace {

namespace fs = std::filesystem;
using build::KernelSignature;
using build::SignatureParameter;
using build::SignatureValue;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kTimeOfAll{120};
constexpr std::chrono::seconds kTimeOfOne{30};
constexpr uint64_t kInstructionLimit = 200'000'000;  // of a run

// A specification beside the one that is written, as long as the trials take.
class TrialFile {
 public:
  explicit TrialFile(fs::path path) : path_(std::move(path)) {}
  ~TrialFile() {
    std::error_code failed;
    fs::remove(path_, failed);
  }
  TrialFile(const TrialFile&) = delete;
  TrialFile& operator=(const TrialFile&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::vector<const SignatureValue*> all_values(const KernelSignature& signature) {
  std::vector<const SignatureValue*> values;
  for (const SignatureParameter& parameter : signature.parameters) {
    for (const SignatureValue& value : parameter.values) values.push_back(&value);
  }
  return values;
}

// Numbers and tensors are all that trials can give a kernel, elements that are not understood as bytes; and something
// must be written.
bool can_be_tried(const KernelSignature& signature) {
  const bool understood = std::ranges::none_of(signature.parameters, [](const SignatureParameter& parameter) {
    return parameter.values.empty() || !parameter.notes.empty();
  });
  const std::vector<const SignatureValue*> values = all_values(signature);
  const bool simple = std::ranges::all_of(values, [](const SignatureValue* value) {
    return value->object.empty() && std::ranges::count(value->type, '*') <= 1;
  });
  const bool writes =
      std::ranges::any_of(values, [](const SignatureValue* value) { return value->written || value->atomic; });
  const bool has_axis = std::ranges::any_of(signature.block_index, [](bool used) { return used; });
  return understood && simple && writes && has_axis && !signature.grid_barrier && signature.cluster.empty();
}

struct Asked {
  describe::Question question;
  std::vector<std::string> tensors;  // in the order of the question
};

Asked question_of(const KernelSignature& signature, const NewText& text) {
  Asked asked;
  for (const SignatureValue* value : all_values(signature)) {
    if (value->pointer) asked.tensors.push_back(value->name);
    if (!may_be_a_size(*value)) continue;
    asked.question.sizes.push_back(dimension_name(value->name));
    asked.question.large.push_back(is_size(*value));
    asked.question.groups.push_back(counts_groups(value->name));
  }
  asked.question.tensors = asked.tensors.size();
  std::copy(std::begin(signature.block_index), std::end(signature.block_index), asked.question.axes.begin());
  const std::vector<int64_t> threads = block_of(signature, text).threads;
  std::copy_n(threads.begin(), std::min<size_t>(3, threads.size()), asked.question.block.begin());
  return asked;
}

std::string shape_text(const describe::Question& question, const describe::Setting& setting) {
  std::string text;
  for (size_t i = 0; i < question.sizes.size(); ++i) text += fmt::format("{}={},", question.sizes[i], setting.sizes[i]);
  for (size_t axis = 0; axis < 3; ++axis)
    text += fmt::format("{}={}{}", kAskedGrid[axis], setting.grid[axis], axis < 2 ? "," : "");
  return text;
}

FoundGeometry by_name(const describe::Geometry& geometry, const Asked& asked) {
  FoundGeometry found;
  found.grid = geometry.grid;
  found.multiple = geometry.multiple;
  found.assumed = std::ranges::any_of(geometry.assumed, [](bool each) { return each; });
  found.complete = std::ranges::none_of(geometry.grid, &std::string::empty);
  for (size_t i = 0; i < geometry.sizes.size(); ++i) {
    const bool own = i >= asked.question.sizes.size();
    if (own || geometry.used[i]) found.sizes.push_back(geometry.sizes[i]);
  }
  for (size_t i = 0; i < asked.tensors.size(); ++i) {
    found.shapes[asked.tensors[i]] = geometry.shapes[i];
    found.complete = found.complete && !geometry.shapes[i].empty();
  }
  return found;
}

// Runs of the kernel with the sizes that it is asked for; every input holds one number.
class Trial {
 public:
  static Result<std::unique_ptr<Trial>> make(const fs::path& folder, const KernelSignature& signature,
                                             const NewText& text, int64_t number, const Context& context) {
    NewText asking = text;
    asking.asking = true;
    asking.asked_number = number;
    asking.found.reset();
    asking.growth.clear();
    auto file = std::make_unique<TrialFile>(folder / fmt::format("trial_{}.toml", number));
    ASSAY_CHECK(write_file_atomically(file->path(), specification_text(signature, asking)));
    ASSAY_TRY(const spec::KernelSpec spec, spec::load(file->path()));
    ASSAY_TRY(const spec::Configuration configuration, spec::default_configuration(spec));
    ASSAY_TRY(const std::string device, virtual_device_for(spec, ""));
    ASSAY_TRY(const Runnable runnable, make_runnable(spec, configuration, device, CaseLimits{}, context));
    const check::RunnerSetup& setup = runnable.worker.setup;
    const check::ReachSetup reach{file->path(), setup.ptx, device, setup.cache_folder, kInstructionLimit};
    return std::unique_ptr<Trial>(new Trial(std::move(file), reach, context));
  }

  Result<std::optional<describe::Reach>> run(const Asked& asked, const describe::Setting& setting) {
    ASSAY_TRY(const auto reach, reaching_.run(shape_text(asked.question, setting)));
    if (!reach) return std::optional<describe::Reach>();
    describe::Reach ordered;
    for (const std::string& name : asked.tensors) {
      const auto place = reach->find(name);
      ordered.push_back(place == reach->end() ? 0 : place->second);
    }
    return std::optional(std::move(ordered));
  }

 private:
  Trial(std::unique_ptr<TrialFile> file, check::ReachSetup setup, const Context& context)
      : file_(std::move(file)), reaching_(std::move(setup), kTimeOfOne, context) {}

  std::unique_ptr<TrialFile> file_;
  check::Reaching reaching_;
};

// An input of whole numbers may say where in another tensor the kernel reads or writes.
bool may_lead_elsewhere(const SignatureValue& value) {
  return value.pointer && value.read && !value.dtype.empty() && (value.dtype[0] == 'i' || value.dtype[0] == 'u');
}

// Where other numbers in the inputs make the kernel reach elsewhere, its reach says nothing of the tensor.
Result<void> forget_what_depends_on_data(describe::Geometry& geometry, const Asked& asked,
                                         const describe::Setting& setting, const describe::Reach& before,
                                         Trial& other) {
  ASSAY_TRY(const auto reach, other.run(asked, setting));
  for (size_t tensor = 0; tensor < asked.tensors.size(); ++tensor) {
    if (!reach || (*reach)[tensor] != before[tensor]) geometry.shapes[tensor].clear();
  }
  return {};
}

}  // namespace

Result<std::optional<FoundGeometry>> try_sizes(const fs::path& folder, const KernelSignature& signature,
                                               const NewText& text, const Context& context) {
  using Nothing = std::optional<FoundGeometry>;
  if (!can_be_tried(signature)) return Nothing();
  ASSAY_TRY(const std::unique_ptr<Trial> trial, Trial::make(folder, signature, text, 0, context));
  const Asked asked = question_of(signature, text);
  const auto end = Clock::now() + kTimeOfAll;
  std::optional<std::pair<describe::Setting, describe::Reach>> first;
  const describe::Probe probe = [&](const describe::Setting& setting) -> Result<std::optional<describe::Reach>> {
    if (Clock::now() > end) return std::optional<describe::Reach>();
    ASSAY_TRY(auto reach, trial->run(asked, setting));
    if (reach && !first) first.emplace(setting, *reach);
    return reach;
  };
  ASSAY_TRY(std::optional<describe::Geometry> geometry, describe::find_geometry(asked.question, probe));
  if (!geometry) return Nothing();
  const std::vector<const SignatureValue*> values = all_values(signature);
  if (std::ranges::any_of(values, [](const SignatureValue* value) { return may_lead_elsewhere(*value); })) {
    ASSAY_TRY(const std::unique_ptr<Trial> other, Trial::make(folder, signature, text, 1, context));
    ASSAY_CHECK(forget_what_depends_on_data(*geometry, asked, first->first, first->second, *other));
  }
  return Nothing(by_name(*geometry, asked));
}

}  // namespace assay::work
