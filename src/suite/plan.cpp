// SPDX-License-Identifier: MIT
#include "suite/plan.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "base/allowed_folder.hpp"
#include "base/hash.hpp"
#include "measure/contender.hpp"
#include "spec/mistake.hpp"
#include "suite/choose_shapes.hpp"
#include "suite/source_state.hpp"

namespace assay::suite {
namespace {

namespace fs = std::filesystem;
using spec::mistake;

std::string text_of(const Measuring& measuring) {
  return fmt::format("{} {} sets={} samples={}..{} budget={} width={}", measuring.protocol, measuring.cache,
                     measuring.sets, measuring.samples, measuring.most_samples, measuring.budget_s, measuring.width);
}

// An error of a kernel's own file keeps its place and says who asked for it.
Error asked_for_by(Error error, const Word& word) {
  if (!error.place.known()) {
    error.place = word.place;
  } else {
    const std::string by = fmt::format("{} names this kernel", to_string(word.place));
    error.hint = error.hint.empty() ? by : fmt::format("{}; {}", error.hint, by);
  }
  return error;
}

Result<std::shared_ptr<const spec::KernelSpec>> load_kernel(const fs::path& folder, const Word& word) {
  if (!is_allowed(folder / word.text, folder)) {
    return mistake(word.place, fmt::format("\"{}\" lies outside of {}, which this command may not leave", word.text,
                                           allowed_folder().string()));
  }
  auto loaded = spec::load((folder / word.text).lexically_normal());
  if (!loaded) return asked_for_by(std::move(loaded).error(), word);
  return std::make_shared<const spec::KernelSpec>(std::move(*loaded));
}

Result<std::vector<spec::Configuration>> chosen_configurations(const spec::KernelSpec& spec, const KernelEntry& entry) {
  std::vector<spec::Configuration> result;
  std::set<spec::Bindings> seen;
  const auto take = [&](spec::Configuration configuration) {
    if (seen.insert(configuration.values).second) result.push_back(std::move(configuration));
  };
  for (const Word& word : entry.configurations) {
    if (word.text == "all") {
      auto all = spec::configurations(spec);
      if (!all) return asked_for_by(std::move(all).error(), word);
      for (spec::Configuration& each : *all) take(std::move(each));
      continue;
    }
    auto one = word.text == "default" ? spec::default_configuration(spec) : spec::parse_configuration(spec, word.text);
    if (!one) {
      Error error = std::move(one).error();
      error.place = word.place;
      return error;
    }
    take(std::move(*one));
  }
  return result;
}

struct Baselines {
  std::vector<std::string> names;    // as --baseline takes them
  std::vector<std::string> written;  // as the file has them: the same from every folder
  std::string state;                 // of the kernel folders among them
};

// What a [baseline.NAME] is made of outside the kernel's folder: another kernel, or a program.
Result<std::string> state_of(const spec::KernelSpec& spec, const spec::Baseline& baseline) {
  const auto option = [&](const char* name) -> const std::string* {
    const auto found = baseline.options.find(name);
    return found == baseline.options.end() ? nullptr : std::get_if<std::string>(&found->second);
  };
  if (const std::string* const folder = option("folder"); folder != nullptr && baseline.provider == "kernel") {
    ASSAY_TRY(const auto other, load_kernel(spec.folder, Word{*folder, baseline.place}));
    return source_state(*other);
  }
  const std::string* const file = option("file");
  return file != nullptr ? file_state(spec.folder / *file) : std::string();
}

// A folder that lies beside the suite's file comes before a name, as with --baseline.
Result<Baselines> chosen_baselines(const Suite& suite, const spec::KernelSpec& spec, const KernelEntry& entry) {
  Baselines result;
  Hasher hasher;
  for (const Word& word : entry.baselines) {
    result.written.push_back(word.text);
    const fs::path folder = (suite.folder / word.text).lexically_normal();
    std::error_code failed;
    if (fs::exists(folder / "kernel.toml", failed) || fs::is_regular_file(folder, failed)) {
      ASSAY_TRY(const auto other, load_kernel(suite.folder, word));
      result.names.push_back(folder.string());
      hasher.add(source_state(*other));
      continue;
    }
    auto named = measure::find_baseline(spec, word.text);
    if (!named) return mistake(word.place, named.error().message, named.error().hint);
    result.names.push_back(word.text);
    ASSAY_TRY(const std::string state, state_of(spec, *named));
    hasher.add(state);
  }
  result.state = hasher.hex();
  return result;
}

// Empty: the kernel itself is measured.
Result<std::string> state_of_candidate(const spec::KernelSpec& spec, const KernelEntry& entry) {
  if (!entry.candidate) return std::string();
  const auto named = measure::find_baseline(spec, entry.candidate->text);
  if (!named) return mistake(entry.candidate->place, named.error().message, named.error().hint);
  return state_of(spec, *named);
}

class Planner {
 public:
  explicit Planner(const Suite& suite) : suite_(suite) {}

  Result<Plan> make() {
    plan_.name = suite_.name;
    plan_.description = suite_.description;
    plan_.file = suite_.file.string();
    meaning_.add(suite_.name);
    for (const KernelEntry& entry : suite_.kernels) ASSAY_CHECK(add(entry));
    if (plan_.runnable_count() == 0)
      return mistake(Place{plan_.file}, "nothing of this suite can run: its configurations apply to none of its shapes",
                     "choose other configurations or shapes");
    plan_.meaning = meaning_.hex();
    return std::move(plan_);
  }

 private:
  Result<void> add(const KernelEntry& entry) {
    ASSAY_TRY(const auto spec, load_kernel(suite_.folder, entry.folder));
    ASSAY_TRY(const std::vector<spec::Configuration> configurations, chosen_configurations(*spec, entry));
    ASSAY_TRY(const std::vector<spec::Shape> shapes, choose_shapes(*spec, entry.shapes, entry.dtypes));
    ASSAY_TRY(const Baselines baselines, chosen_baselines(suite_, *spec, entry));
    ASSAY_TRY(const std::string candidate_state, state_of_candidate(*spec, entry));
    const std::string candidate = entry.candidate ? entry.candidate->text : "";
    if (configurations.size() * shapes.size() > kMaxItems - item_count_)
      return mistake(entry.place,
                     fmt::format("with this kernel the suite has more than {} items: {} configurations x {} "
                                 "shapes",
                                 kMaxItems, configurations.size(), shapes.size()),
                     "choose fewer configurations or shapes");
    Hasher dependencies;
    dependencies.add(source_state(*spec)).add(baselines.state).add(text_of(entry.measuring));
    dependencies.add(candidate).add(candidate_state);
    for (const std::string& name : baselines.written) dependencies.add(name);
    const std::string depends_on = dependencies.hex();
    for (const spec::Configuration& configuration : configurations) {
      Group group{spec, configuration, candidate, baselines.names, entry.measuring, {}};
      meaning_.add(spec->kernel.name).add(configuration.id()).add(candidate).add(text_of(entry.measuring));
      for (const std::string& name : baselines.written) meaning_.add(name);
      for (const spec::Shape& shape : shapes) {
        Item item{
            shape, fmt::format("{}|{}|{}|{}", spec->kernel.name, configuration.id(), shape.text(), depends_on), {}};
        meaning_.add(shape.text());
        ASSAY_TRY(item.skipped, spec::why_not_applicable(*spec, configuration, shape));
        if (keys_.insert(item.key).second) group.items.push_back(std::move(item));
      }
      item_count_ += group.items.size();
      if (!group.items.empty()) plan_.groups.push_back(std::move(group));
    }
    return {};
  }

  const Suite& suite_;
  Plan plan_;
  Hasher meaning_;
  std::set<std::string> keys_;
  size_t item_count_ = 0;
};

}  // namespace

std::string Item::dtype() const {
  const auto found = shape.values.find("dtype");
  return found == shape.values.end() ? "" : to_string(found->second);
}

size_t Plan::item_count() const {
  size_t count = 0;
  for (const Group& group : groups) count += group.items.size();
  return count;
}

size_t Plan::runnable_count() const {
  size_t count = 0;
  for (const Group& group : groups) {
    for (const Item& item : group.items) count += item.skipped.empty() ? 1 : 0;
  }
  return count;
}

Result<Plan> make_plan(const Suite& suite) {
  return Planner(suite).make();
}

}  // namespace assay::suite
