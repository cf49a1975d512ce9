// SPDX-License-Identifier: MIT
#include "measure/judged_case.hpp"

#include "judge/compare.hpp"

namespace assay::measure {

Result<JudgedCase> judge_case(CaseMeasurement measured, const judge::CompareOptions& options) {
  JudgedCase judged{std::move(measured), {}};
  const std::vector<ContenderResult>& contenders = judged.measured.contenders;
  judged.comparisons.resize(contenders.size());
  for (size_t i = 1; i < contenders.size(); ++i) {
    if (!contenders[0].good() || !contenders[i].good()) continue;
    ASSAY_TRY(judged.comparisons[i], judge::compare(contenders[0].batches, contenders[i].batches, options));
  }
  return judged;
}

}  // namespace assay::measure
