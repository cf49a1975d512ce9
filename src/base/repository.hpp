// SPDX-License-Identifier: MIT
// The repository that a file belongs to: its names are short, the same on every machine, and known to code hosts.
#pragma once

#include <filesystem>
#include <string>

namespace assay {

// The nearest folder at or above this one that holds .git; empty: there is none.
std::filesystem::path repository_of(const std::filesystem::path& folder);

// The commit that is checked out, 40 hexadecimal digits or more; empty: none, or unknown.
std::string commit_of(const std::filesystem::path& repository);

// Whether a file lies in the folder, with all links followed.
bool lies_in(const std::filesystem::path& file, const std::filesystem::path& folder);

// Names of the files that a kernel was compiled from, which the compiler gives relative to the source's folder.
class SourceNames {
 public:
  explicit SourceNames(const std::filesystem::path& source_folder);

  // Relative to the repository if the file lies in it. The toolkit's own ("cuda/include/...") stay as they are.
  std::string shown(const std::string& file) const;

 private:
  std::filesystem::path folder_;
  std::filesystem::path repository_;
};

}  // namespace assay
