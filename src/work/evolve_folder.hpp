// SPDX-License-Identifier: MIT
// The folder of a kernel as it was when its evolution began, and the folders of candidates that are made from it. What
// a proposer does to the kernel's own folder meanwhile changes nothing that is judged.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "base/scratch_folder.hpp"
#include "build/builder.hpp"
#include "evolve/candidate.hpp"
#include "spec/kernel_spec.hpp"

namespace assay::work {

struct KernelSnapshot {
  std::filesystem::path folder;    // the kernel's own, absolute
  std::string specification_file;  // its name there
  evolve::OriginalSpecification original;
  evolve::Files files;                             // of the folder, up to a size
  std::map<std::string, std::string> large_files;  // path and hash: these are not copied
  std::map<std::string, std::string> outside;      // path from the folder and hash: what the sources include elsewhere
  evolve::FileRules rules;
};

// `built`: the kernel for one target, for what it is made of.
Result<KernelSnapshot> take_snapshot(const spec::KernelSpec& spec, const build::BuildResult& built);

// The first candidate: the kernel as it is.
evolve::Candidate first_candidate(const KernelSnapshot& snapshot, const std::string& configuration);

// What differs now from the snapshot among the files that no proposer may touch; "" if nothing does.
std::string tampered(const KernelSnapshot& snapshot);
// A hash of all of them, for the record.
std::string protected_hash(const KernelSnapshot& snapshot);

// A candidate's files in a folder of their own, removed with this object. What lies beside the kernel's folder is
// reached by the same relative names.
class CandidateFolder {
 public:
  static Result<CandidateFolder> make(const KernelSnapshot& snapshot, const evolve::Candidate& candidate);

  const std::filesystem::path& path() const { return path_; }
  const std::filesystem::path& specification() const { return specification_; }

 private:
  explicit CandidateFolder(ScratchFolder scratch) : scratch_(std::move(scratch)) {}

  ScratchFolder scratch_;
  std::filesystem::path path_;
  std::filesystem::path specification_;
};

}  // namespace assay::work
