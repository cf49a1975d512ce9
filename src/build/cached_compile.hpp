// SPDX-License-Identifier: MIT
// A compilation that is done only if the cache does not hold its result.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "build/artifact_cache.hpp"
#include "build/compile.hpp"
#include "build/file_hashes.hpp"

namespace assay::build {

struct Compilation {
  bool succeeded = false;
  bool from_cache = false;
  bool timed_out = false;
  std::string end;     // how a failed one ended
  std::string output;  // of the compiler: errors, warnings
  std::string ptxas_output;
  std::vector<Dependency> sources;  // the project's own files that were read, relative to the source's folder
  std::filesystem::path ptx;        // in the cache, if it succeeded
  std::filesystem::path cubin;
  std::chrono::nanoseconds duration{0};  // of the compiler; 0 from the cache
};

// Of processes and threads that want the same one at the same time, one compiles and the others wait for it.
// Failures are not kept.
Result<Compilation> compile_cached(const ArtifactCache& cache, const Toolkit& toolkit, FileHashes& hashes,
                                   const CompileRequest& request, std::chrono::milliseconds time_limit);

}  // namespace assay::build
