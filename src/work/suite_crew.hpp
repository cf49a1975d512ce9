// SPDX-License-Identifier: MIT
// A suite's items, measured by workers: each is `assay suite FILE --item KEY` on some machine, where all contenders of
// the item are measured interleaved, on one GPU. Only this process judges and writes the ledger.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "assay/suite.hpp"
#include "suite/run.hpp"
#include "work/recording.hpp"
#include "work/task_crew.hpp"

namespace assay::work {

class SuiteCrew final : public suite::Runner {
 public:
  // `folder`: of this run's work. `recorded`: the ledger that all attempts go to.
  static Result<std::unique_ptr<SuiteCrew>> gather(const SuiteRequest& request, const std::string& device,
                                                   const RecordOptions& recorded, const std::filesystem::path& folder,
                                                   const Context& context);

  // The workers' GPU and driver, as the first of them says; and the model's name.
  Result<void> ask_for_device();
  const std::string& gpu_line() const { return line_; }
  const std::string& gpu() const { return model_; }

  Result<void> expect(const std::vector<suite::Pending>& items) override;
  Result<void> prepare(const suite::Group& group) override;
  Result<void> measure(const suite::Group& group, const std::vector<const suite::Item*>& items,
                       const OnFinished& on_finished) override;
  Result<std::optional<int64_t>> record_failure(const suite::Group& group, const suite::Item& item,
                                                const Error& error) override;

  const std::vector<WorkerDevice>& devices() const { return crew_->devices(); }
  size_t workers_started() const { return crew_->workers_started(); }

 private:
  SuiteCrew(const SuiteRequest& request, std::string device, RecordOptions recorded, const Context& context)
      : request_(request), device_(std::move(device)), recorded_(std::move(recorded)), context_(context) {}
  std::vector<std::string> words(const std::string& item) const;
  Result<suite::Row> row_of(const suite::Group& group, const suite::Item& item, const TaskAnswer& answer);

  const SuiteRequest& request_;
  const std::string device_;
  const RecordOptions recorded_;
  const Context& context_;
  std::unique_ptr<TaskCrew> crew_;
  std::string line_;
  std::string model_;
  std::optional<Recording> recording_;  // of the group that is measured
  std::optional<Error> fatal_;          // concerns more than one item
};

// Stores that an item could not be measured.
Result<std::optional<int64_t>> write_failure(Recording& recording, const suite::Group& group, const suite::Item& item,
                                             const Error& error);

}  // namespace assay::work
