// SPDX-License-Identifier: MIT
// The search of one kernel, from the space to the tie group: opened in tune.cpp, searched in tune_search.cpp, decided
// in tune_race.cpp.
#pragma once

#include <chrono>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "assay/tune.hpp"
#include "base/elapsed.hpp"
#include "base/progress.hpp"
#include "work/recording.hpp"
#include "work/tune_counting.hpp"
#include "work/tune_crew.hpp"
#include "work/tune_evaluation.hpp"
#include "work/tune_journal.hpp"
#include "work/tune_proposals.hpp"

namespace assay::work {

class KernelTuning {
 public:
  KernelTuning(const spec::KernelSpec& spec, const TuneRequest& request, const Context& context)
      : spec_(spec), request_(request), context_(context) {}

  Result<TuneReport> run(Recording& recording, const std::string& device);

 private:
  // Built and examined on the CPU, ready to be measured.
  struct Ready {
    build::BuildReport built;
    std::map<std::string, TunedConfiguration> examined;  // by configuration
    std::map<std::string, BlockCounts> counts;
  };
  struct Batch {
    std::vector<spec::Configuration> picks;
    std::future<Result<Ready>> ready;
  };

  Result<void> open(const std::string& device);
  Result<void> open_here(const std::string& device);
  Result<void> open_there(const std::string& device);
  Result<void> open_journal(const std::string& device);
  Result<void> search();
  Result<void> search_with_crew();
  Result<size_t> recall_measured(Progress& progress);  // how many
  Result<void> count_first();
  std::string why_not_counted() const;
  Result<void> count_built(const std::vector<spec::Configuration>& configurations);
  Result<void> expect();
  Result<Batch> propose(size_t count);
  void open_from(const Batch& batch, size_t first, const Ready& ready);
  Result<void> evaluate(Batch& batch, Progress& progress);
  void take(TunedConfiguration result, Progress& progress);
  std::vector<size_t> fastest() const;
  Result<void> race();
  Result<void> race_with_crew();
  void tie_by_value();
  void describe_run();
  Result<build::BuildReport> build(const std::vector<spec::Configuration>& configurations) const;
  Result<Ready> make_ready(const std::vector<spec::Configuration>& configurations,
                           const std::set<std::string>& to_count) const;
  bool out_of_time() const { return request_.seconds > 0 && seconds_since(start_) > request_.seconds; }
  size_t index_of(const std::string& configuration) const;
  std::string progress_text(const TunedConfiguration& last) const;

  const spec::KernelSpec& spec_;
  const TuneRequest& request_;
  const Context& context_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::optional<StoredRates> rates_;          // measured on such a GPU
  std::unique_ptr<TuneEvaluator> evaluator_;  // none if the devices are elsewhere
  std::unique_ptr<TuneCrew> crew_;            // none if this process evaluates
  const gpu::GpuModel* model_ = nullptr;
  bool measures_ = false;  // false: it counts
  std::string target_;
  std::vector<spec::Shape> shapes_;
  TuneDependencies depends_;
  std::unique_ptr<TuneProposals> proposals_;
  std::optional<TuneCounting> counting_;  // none: nothing is counted before it is evaluated
  std::string not_built_;                 // why the first could not be built that was to be counted
  std::optional<TuneJournal> journal_;
  std::vector<double> best_by_shape_;
  std::optional<double> best_;
  std::string best_id_;
  TuneReport report_;
};

}  // namespace assay::work
