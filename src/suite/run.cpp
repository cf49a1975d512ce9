// SPDX-License-Identifier: MIT
#include "suite/run.hpp"

#include <map>

namespace assay::suite {
namespace {

// Rows of earlier runs, by key. What cannot be read back is measured again.
Result<std::map<std::string, Row>> finished_rows(const Plan& plan, const Work& work) {
  std::map<std::string, Row> rows;
  if (work.ledger == nullptr) return rows;
  std::map<std::string, int64_t> done;
  ASSAY_TRY(const std::vector<ledger::WorkItem> stored, work.ledger->work_items(work.suite));
  for (const ledger::WorkItem& each : stored) {
    if (each.done && each.attempt) done[each.key] = *each.attempt;
  }
  for (const Group& group : plan.groups) {
    for (const Item& item : group.items) {
      const auto found = done.find(item.key);
      if (found == done.end()) continue;
      const auto attempt = work.ledger->attempt(found->second);
      if (!attempt) continue;
      auto row = row_from_document(group, item, attempt->details);
      if (!row) continue;
      row->attempt = found->second;
      row->resumed = true;
      rows.emplace(item.key, std::move(*row));
    }
  }
  return rows;
}

Result<void> forget(const Work& work) {
  if (work.ledger == nullptr) return {};
  ASSAY_TRY(const std::vector<ledger::WorkItem> stored, work.ledger->work_items(work.suite));
  for (const ledger::WorkItem& each : stored) {
    if (each.done) ASSAY_CHECK(work.ledger->set_work_item(work.suite, {each.key, each.attempt, false}));
  }
  return {};
}

class Run {
 public:
  Run(const Plan& plan, const Work& work, Runner& runner, const RunOptions& options)
      : plan_(plan), work_(work), runner_(runner), options_(options) {}

  Result<std::vector<Row>> all() {
    if (options_.restart) ASSAY_CHECK(forget(work_));
    ASSAY_TRY(rows_, finished_rows(plan_, work_));
    options_.on_start(rows_.size(), plan_.runnable_count());
    ASSAY_CHECK(announce());
    for (const Group& group : plan_.groups) ASSAY_CHECK(measure(group));
    std::vector<Row> result;
    result.reserve(plan_.item_count());
    for (const Group& group : plan_.groups) {
      for (const Item& item : group.items) {
        result.push_back(item.skipped.empty() ? std::move(rows_.at(item.key)) : row_of(group, item));
      }
    }
    return result;
  }

 private:
  bool is_pending(const Item& item) const { return item.skipped.empty() && !rows_.contains(item.key); }

  Result<void> announce() {
    std::vector<Pending> all;
    for (const Group& group : plan_.groups) {
      for (const Item& item : group.items) {
        if (is_pending(item)) all.push_back({&group, &item});
      }
    }
    return runner_.expect(all);
  }

  Result<void> measure(const Group& group) {
    std::vector<const Item*> pending;
    for (const Item& item : group.items) {
      if (is_pending(item)) pending.push_back(&item);
    }
    if (pending.empty()) return {};
    if (const auto prepared = runner_.prepare(group); !prepared) {
      for (const Item* item : pending) ASSAY_CHECK(fail(group, *item, prepared.error()));
      return {};
    }
    // An error in mid-measurement belongs to the first item that is not finished; the rest goes on without it.
    while (!pending.empty()) {
      size_t finished = 0;
      std::optional<Error> ours;
      const auto measured = runner_.measure(group, pending, [&](Row row) -> Result<void> {
        if (finished == pending.size()) return Error{"more cases than items", {}, {}, ExitCode::internal};
        auto stored = finish(*pending[finished], std::move(row));
        if (!stored) {
          ours = stored.error();
          return stored;
        }
        ++finished;
        return {};
      });
      if (ours) return *ours;
      pending.erase(pending.begin(), pending.begin() + static_cast<std::ptrdiff_t>(finished));
      if (pending.empty()) break;
      const Error error = measured ? Error{"it was not measured", {}, {}, ExitCode::internal} : measured.error();
      ASSAY_CHECK(fail(group, *pending.front(), error));
      pending.erase(pending.begin());
    }
    return {};
  }

  Result<void> finish(const Item& item, Row row) {
    ASSAY_CHECK(remember(item, row));
    return add(item, std::move(row));
  }

  Result<void> fail(const Group& group, const Item& item, const Error& error) {
    Row row = failed_row(group, item, error);
    ASSAY_TRY(row.attempt, runner_.record_failure(group, item, error));
    ASSAY_CHECK(remember(item, row));
    return add(item, std::move(row));
  }

  Result<void> remember(const Item& item, const Row& row) {
    if (work_.ledger == nullptr || !row.attempt) return {};
    return work_.ledger->set_work_item(work_.suite, {item.key, row.attempt, row.status != Status::failed});
  }

  Result<void> add(const Item& item, Row row) {
    options_.on_row(rows_.insert_or_assign(item.key, std::move(row)).first->second);
    return {};
  }

  const Plan& plan_;
  const Work& work_;
  Runner& runner_;
  const RunOptions& options_;
  std::map<std::string, Row> rows_;
};

}  // namespace

Result<std::vector<Row>> run(const Plan& plan, const Work& work, Runner& runner, const RunOptions& options) {
  return Run(plan, work, runner, options).all();
}

}  // namespace assay::suite
