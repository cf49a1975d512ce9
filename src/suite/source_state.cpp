// SPDX-License-Identifier: MIT
#include "suite/source_state.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string_view>

#include "base/file.hpp"
#include "base/hash.hpp"

namespace assay::suite {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxFiles = 10'000;  // a folder with more is no kernel's folder
constexpr size_t kMaxFileBytes = size_t{64} << 20;
constexpr std::array<std::string_view, 13> kExtensions{".cu",  ".cuh", ".h",   ".hpp", ".c",  ".cc",  ".cpp",
                                                       ".inl", ".inc", ".ipp", ".ptx", ".py", ".toml"};

void collect(const fs::path& folder, std::set<fs::path>& files) {
  std::error_code failed;
  size_t seen = 0;
  for (fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, failed), end;
       !failed && at != end; at.increment(failed)) {
    if (++seen > kMaxFiles) return;
    std::error_code unreadable;
    const std::string extension = at->path().extension().string();
    if (std::ranges::find(kExtensions, extension) == kExtensions.end()) continue;
    if (at->is_regular_file(unreadable)) files.insert(at->path().lexically_normal());
  }
}

}  // namespace

std::string source_state(const spec::KernelSpec& spec) {
  std::set<fs::path> files{spec.file.lexically_normal()};
  for (const fs::path& file : spec.named_files()) files.insert((spec.folder / file).lexically_normal());
  collect(spec.folder, files);
  for (const fs::path& folder : spec.kernel.include_folders) collect(spec.folder / folder, files);
  Hasher hasher;
  // By its place seen from the kernel, so that a checkout elsewhere has the same hash.
  for (const fs::path& file : files) hasher.add(file.lexically_relative(spec.folder).string()).add(file_state(file));
  return hasher.hex();
}

std::string file_state(const fs::path& file) {
  const auto content = read_file(file, kMaxFileBytes);
  return Hasher().add(content ? *content : "").hex();
}

}  // namespace assay::suite
