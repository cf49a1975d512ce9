// SPDX-License-Identifier: MIT
#include "work/evolve_results.hpp"

#include <filesystem>

#include "base/file.hpp"
#include "evidence/unified_diff.hpp"
#include "evolve/candidate.hpp"

namespace assay::work {
namespace {

// Somebody may have edited the sources meanwhile: that is not ours to overwrite.
Result<void> check_untouched(const KernelSnapshot& snapshot, const evolve::Candidate& best) {
  for (const auto& [path, content] : best.files) {
    const auto now = read_file(snapshot.folder / path);
    const auto before = snapshot.files.find(path);
    const bool untouched = before == snapshot.files.end() ? !now : now && *now == before->second;
    if (!untouched && (!now || *now != content))
      return Error{"the file was changed meanwhile, and is left as it is", Place{(snapshot.folder / path).string()},
                   "apply the change with --diff FILE --resume, and patch"};
  }
  return {};
}

Result<void> apply(const KernelSnapshot& snapshot, const evolve::Candidate& best, std::vector<std::string>& written) {
  ASSAY_CHECK(check_untouched(snapshot, best));
  evolve::Files wanted = best.files;
  ASSAY_TRY(wanted[snapshot.specification_file], evolve::specification_of(best, snapshot.original));
  for (const auto& [path, content] : wanted) {
    const auto before = snapshot.files.find(path);
    if (before != snapshot.files.end() && before->second == content) continue;
    const std::filesystem::path file = snapshot.folder / path;
    std::error_code ignored;
    std::filesystem::create_directories(file.parent_path(), ignored);
    ASSAY_CHECK(write_file_atomically(file, content));
    written.push_back(file.string());
  }
  return {};
}

}  // namespace

Result<EvolveResults> write_results(const EvolveRequest& request, const KernelSnapshot& snapshot,
                                    const EvolveState& state) {
  EvolveResults results;
  results.diff = evidence::unified_diff(state.first().files, state.incumbent().files);
  if (!request.diff.empty()) {
    ASSAY_CHECK(write_file_atomically(request.diff, results.diff));
    results.written.push_back(request.diff);
  }
  if (request.apply && state.accepted() > 0) ASSAY_CHECK(apply(snapshot, state.incumbent(), results.written));
  return results;
}

}  // namespace assay::work
