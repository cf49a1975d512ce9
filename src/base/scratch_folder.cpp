// SPDX-License-Identifier: MIT
#include "base/scratch_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <vector>

namespace assay {
namespace fs = std::filesystem;

Result<ScratchFolder> ScratchFolder::make(uint64_t bytes) {
  std::error_code failed;
  const fs::space_info memory = fs::space("/dev/shm", failed);
  const bool fits = !failed && memory.available / 2 > bytes;
  fs::path parent = fits ? fs::path("/dev/shm") : fs::temp_directory_path(failed);
  if (failed) parent = "/tmp";
  auto folder = make_in(parent);
  if (folder) return folder;
  Error error = folder.error();
  error.hint = "make room there, or set TMPDIR to a folder that can be written";
  return error;
}

Result<ScratchFolder> ScratchFolder::make_in(const fs::path& parent) {
  std::string pattern = (parent / "assay-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr)
    return Error{fmt::format("cannot make a folder in {}: {}", parent.string(), std::strerror(errno)),
                 {},
                 "",
                 ExitCode::environment};
  return ScratchFolder(pattern);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace assay
