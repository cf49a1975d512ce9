// SPDX-License-Identifier: MIT
#include "work/kernel_sources.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"

namespace assay::work {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostFiles = 200;
constexpr size_t kMostBytes = size_t{1} << 20;

// Of a line such as   #include "tile.cuh"   the name; else "". Names in angle brackets are of the toolkit.
std::string_view included_name(std::string_view line) {
  line = trim(line);
  if (!line.starts_with('#')) return "";
  line = trim(line.substr(1));
  if (!line.starts_with("include")) return "";
  line = trim(line.substr(7));
  if (!line.starts_with('"')) return "";
  const size_t end = line.find('"', 1);
  return end == line.npos ? "" : line.substr(1, end - 1);
}

class Collector {
 public:
  explicit Collector(const fs::path& folder) : folder_(folder) {}

  void add(const fs::path& file) {
    const std::string path = file.lexically_normal().lexically_relative(folder_.lexically_normal()).generic_string();
    if (path.empty() || files_.contains(path) || files_.size() == kMostFiles) return;
    std::error_code problem;
    if (!fs::is_regular_file(file, problem) || fs::file_size(file, problem) > kMostBytes) return;
    auto content = read_file(file);
    if (!content) return;
    const std::string& text = files_.emplace(path, std::move(*content)).first->second;
    for (const std::string_view line : split(text, '\n')) {
      const std::string_view name = included_name(line);
      if (!name.empty()) add(file.parent_path() / name);
    }
  }

  std::vector<ledger::SourceFile> take() && {
    std::vector<ledger::SourceFile> sources;
    for (auto& [path, content] : files_) sources.push_back({path, std::move(content)});
    return sources;
  }

 private:
  fs::path folder_;
  std::map<std::string, std::string> files_;
};

}  // namespace

std::vector<ledger::SourceFile> kernel_sources(const spec::KernelSpec& spec) {
  const fs::path folder = fs::absolute(spec.folder.empty() ? fs::path(".") : spec.folder);
  Collector collector(folder);
  collector.add(fs::absolute(spec.file));
  for (const fs::path& file : spec.named_files()) collector.add(folder / file);
  return std::move(collector).take();
}

std::string sources_hash(const spec::KernelSpec& spec) {
  const fs::path folder = fs::absolute(spec.folder.empty() ? fs::path(".") : spec.folder);
  std::map<std::string, std::string> hashes;  // by path
  for (const ledger::SourceFile& source : kernel_sources(spec)) hashes[source.path] = content_hash(source.content);
  const auto add = [&](const fs::path& file) {
    constexpr size_t kMostOfAnInput = size_t{1} << 32;
    const auto content = read_file(file, kMostOfAnInput);
    hashes[file.lexically_relative(folder).generic_string()] = content ? content_hash(*content) : "";
  };
  for (const fs::path& file : spec.named_files()) {
    add(folder / file);
    if (file.extension() != ".py") continue;
    std::error_code failed;
    for (auto beside = fs::directory_iterator((folder / file).parent_path(), failed);
         !failed && beside != fs::directory_iterator(); beside.increment(failed)) {
      if (beside->path().extension() == ".py") add(beside->path());
    }
  }
  Hasher hasher;
  for (const auto& [path, hash] : hashes) hasher.add(path).add(hash);
  return hasher.hex();
}

}  // namespace assay::work
