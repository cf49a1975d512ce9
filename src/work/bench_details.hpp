// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "assay/bench.hpp"
#include "report/bench_report.hpp"
#include "work/resumption.hpp"

namespace assay::work {

struct BenchCaseDetails {
  report::BenchCase judged;
  double memory_gb_per_s = 0;  // of the GPU
};

struct GoalEvidence;
GoalEvidence evidence_of(const std::vector<BenchCase>& cases);

nlohmann::json document_of(const KernelBench& kernel);

// A judged case as the API gives it.
BenchCase public_case(const std::string& kernel, report::BenchCase judged, std::optional<int64_t> attempt,
                      double memory_gb_per_s);

// bench(), as a part of longer work: what it remembers is kept until that has come to its end.
Result<BenchReport> bench_as_part(const BenchRequest& request, const Context& context, UnfinishedWork* longer,
                                  BenchListener* listener = nullptr);

}  // namespace assay::work
