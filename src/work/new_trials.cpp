// SPDX-License-Identifier: MIT
#include "work/new_trials.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <map>
#include <memory>

#include "base/file.hpp"
#include "check/reaching.hpp"
#include "describe/strided_geometry.hpp"
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
  describe::StrideQuestion question;
  std::vector<std::string> tensors;  // in the order of the question
};

Asked question_of(const KernelSignature& signature, const NewText& text) {
  Asked asked;
  describe::Question& question = asked.question.question;
  const Guess guess(signature, text);
  for (const SignatureValue* value : all_values(signature)) {
    if (value->pointer) {
      asked.tensors.push_back(value->name);
      const std::optional<spec::DType> dtype = spec::dtype_from_name(value->dtype);
      asked.question.element_bytes.push_back(dtype ? spec::size_bytes(*dtype) : 1);
      asked.question.vectors.push_back(static_cast<int64_t>(value->vector));
    }
    if (guess.asks_stride(*value)) {
      asked.question.strides.push_back(dimension_name(value->name));
      continue;
    }
    if (!may_be_a_size(*value)) continue;
    question.sizes.push_back(dimension_name(value->name));
    question.large.push_back(is_size(*value));
    question.groups.push_back(counts_groups(value->name));
  }
  question.tensors = asked.tensors.size();
  std::copy(std::begin(signature.block_index), std::end(signature.block_index), question.axes.begin());
  const std::vector<int64_t> threads = block_of(signature, text).threads;
  std::copy_n(threads.begin(), std::min<size_t>(3, threads.size()), question.block.begin());
  return asked;
}

std::string shape_text(const Asked& asked, const describe::Setting& setting) {
  const std::vector<std::string>& sizes = asked.question.question.sizes;
  const std::vector<std::string>& strides = asked.question.strides;
  std::string text;
  for (size_t i = 0; i < sizes.size(); ++i) text += fmt::format("{}={},", sizes[i], setting.sizes[i]);
  for (size_t i = 0; i < strides.size(); ++i) text += fmt::format("{}={},", strides[i], setting.strides[i]);
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
    const bool own = i >= asked.question.question.sizes.size();
    if (own || geometry.used[i]) found.sizes.push_back(geometry.sizes[i]);
  }
  for (size_t i = 0; i < asked.tensors.size(); ++i) {
    found.shapes[asked.tensors[i]] = geometry.shapes[i];
    if (geometry.border[i]) found.border.insert(asked.tensors[i]);
    found.complete = found.complete && !geometry.shapes[i].empty();
  }
  return found;
}

FoundGeometry by_name(const describe::StridedGeometry& strided, const Asked& asked) {
  FoundGeometry found = by_name(strided.geometry, asked);
  for (size_t i = 0; i < asked.tensors.size(); ++i) {
    if (!strided.strides[i].empty()) found.strides[asked.tensors[i]] = strided.strides[i];
  }
  for (size_t i = 0; i < strided.values.size(); ++i) {
    const describe::StrideValue& value = strided.values[i];
    if (!value.packed.empty()) found.values.push_back({asked.question.strides[i], value.packed, value.unit});
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
    ASSAY_TRY(const auto reach, reaching_.run(shape_text(asked, setting)));
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

// The search of one kind: with strides that are asked for, or as they are guessed.
class Search {
 public:
  Search(const fs::path& folder, const KernelSignature& signature, const NewText& text, Clock::time_point end,
         const Context& context)
      : folder_(folder), signature_(signature), text_(text), end_(end), context_(context) {}

  Result<std::optional<FoundGeometry>> run() {
    using Nothing = std::optional<FoundGeometry>;
    const Asked asked = question_of(signature_, text_);
    if (text_.asking_strides && asked.question.strides.empty()) return Nothing();
    ASSAY_TRY(const std::unique_ptr<Trial> trial, Trial::make(folder_, signature_, text_, 0, context_));
    const describe::Probe probe = [&](const describe::Setting& setting) -> Result<std::optional<describe::Reach>> {
      if (Clock::now() > end_) return std::optional<describe::Reach>();
      const std::string shape = shape_text(asked, setting);
      if (const auto before = known_.find(shape); before != known_.end()) return before->second;
      ASSAY_TRY(auto reach, trial->run(asked, setting));
      known_.emplace(shape, reach);
      if (reach && !first_) first_.emplace(setting, *reach);
      return reach;
    };
    std::optional<describe::StridedGeometry> strided;
    if (text_.asking_strides) {
      ASSAY_TRY(strided, describe::find_strided_geometry(asked.question, probe));
    } else {
      ASSAY_TRY(std::optional<describe::Geometry> dense, describe::find_geometry(asked.question.question, probe));
      if (dense) strided = describe::StridedGeometry{*std::move(dense), {}, {}};
    }
    if (!strided) return Nothing();
    strided->strides.resize(asked.tensors.size());
    const std::vector<const SignatureValue*> values = all_values(signature_);
    if (std::ranges::any_of(values, [](const SignatureValue* value) { return may_lead_elsewhere(*value); })) {
      ASSAY_TRY(const std::unique_ptr<Trial> other, Trial::make(folder_, signature_, text_, 1, context_));
      ASSAY_CHECK(forget_what_depends_on_data(strided->geometry, asked, first_->first, first_->second, *other));
    }
    return Nothing(by_name(*strided, asked));
  }

 private:
  const fs::path& folder_;
  const KernelSignature& signature_;
  const NewText& text_;
  const Clock::time_point end_;
  const Context& context_;
  std::optional<std::pair<describe::Setting, describe::Reach>> first_;
  std::map<std::string, std::optional<describe::Reach>> known_;  // what was tried already
};

ptrdiff_t shapes_of(const std::optional<FoundGeometry>& found) {
  return !found ? -1 : std::ranges::count_if(found->shapes, [](const auto& each) { return !each.second.empty(); });
}

}  // namespace

Result<std::optional<FoundGeometry>> try_sizes(const fs::path& folder, const KernelSignature& signature,
                                               const NewText& text, const Context& context) {
  std::optional<FoundGeometry> best;
  if (!can_be_tried(signature)) return best;
  const auto end = Clock::now() + kTimeOfAll;
  for (const bool strides : {true, false}) {
    NewText asking = text;
    asking.asking_strides = strides;
    ASSAY_TRY(std::optional<FoundGeometry> found, Search(folder, signature, asking, end, context).run());
    if (shapes_of(found) > shapes_of(best)) best = std::move(found);
    if (best && best->complete) break;
  }
  return best;
}

}  // namespace assay::work
