// SPDX-License-Identifier: MIT
#include "work/kept_candidate.hpp"

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "build/cache_upkeep.hpp"

namespace assay::work {
namespace {

namespace fs = std::filesystem;

struct Parts {
  std::string specification;
  std::string configuration;  // "": the kernel has none to choose
  std::string ptx;
  std::string cubin;  // "": the driver compiles the PTX

  std::string hash() const { return Hasher().add(specification).add(configuration).add(ptx).add(cubin).hex(); }
};

constexpr const char* kSpecification = "kernel.toml";
constexpr const char* kConfiguration = "configuration";
constexpr const char* kPtx = "kernel.ptx";
constexpr const char* kCubin = "kernel.cubin";

fs::path folder_of(const std::string& hash, const fs::path& cache_folder) {
  return cache_folder / "kept" / hash;
}

// A specification is read only where the files that it names are there; nobody compiles these again.
Result<void> keep_named_files(const spec::KernelSpec& spec, const fs::path& folder) {
  for (const fs::path& name : spec.named_files()) {
    std::error_code failed;
    const fs::path relative = name.lexically_normal();
    if (name.empty() || !fs::is_regular_file(spec.folder / relative, failed)) continue;
    if (relative.is_absolute() || relative.begin()->string() == "..")
      return Error{fmt::format("'{}' lies outside of the kernel's folder", name.string())};
    ASSAY_TRY(const std::string content, read_file(spec.folder / relative));
    fs::create_directories((folder / relative).parent_path(), failed);
    ASSAY_CHECK(write_file_atomically(folder / relative, content));
  }
  return {};
}

}  // namespace

Result<std::string> keep_candidate(const spec::KernelSpec& spec, const build::BuildResult& built,
                                   const fs::path& cache_folder) {
  Parts parts;
  ASSAY_TRY(parts.specification, read_file(spec.file));
  if (!spec.tunable.tunables.empty()) parts.configuration = built.configuration.id();
  if (!built.ptx.empty()) {
    ASSAY_TRY(parts.ptx, read_file(built.ptx));
  }
  if (!built.cubin.empty()) {
    ASSAY_TRY(parts.cubin, read_file(built.cubin));
  }
  const std::string hash = parts.hash();
  const fs::path folder = folder_of(hash, cache_folder);
  std::error_code failed;
  if (fs::exists(folder / kSpecification, failed)) {
    build::touch_entry(folder);
    return hash;
  }
  fs::create_directories(folder, failed);
  ASSAY_CHECK(keep_named_files(spec, folder));
  ASSAY_CHECK(write_file_atomically(folder / kConfiguration, parts.configuration));
  ASSAY_CHECK(write_file_atomically(folder / kPtx, parts.ptx));
  ASSAY_CHECK(write_file_atomically(folder / kCubin, parts.cubin));
  // Last: where it is, all of it is.
  ASSAY_CHECK(write_file_atomically(folder / kSpecification, parts.specification));
  return hash;
}

std::optional<measure::Contender> kept_contender(const std::string& hash, const std::string& name,
                                                 const fs::path& cache_folder) {
  if (hash.empty()) return std::nullopt;
  const fs::path folder = folder_of(hash, cache_folder);
  Parts parts;
  for (const auto& [file, part] : {std::pair{kSpecification, &parts.specification},
                                   {kConfiguration, &parts.configuration},
                                   {kPtx, &parts.ptx},
                                   {kCubin, &parts.cubin}}) {
    auto content = read_file(folder / file);
    if (!content) return std::nullopt;
    *part = std::move(*content);
  }
  if (parts.hash() != hash) return std::nullopt;
  build::touch_entry(folder);
  measure::Contender contender{name, "kernel", {"/proc/self/exe", measure::kProviderCommand}, {}, false};
  contender.options["specification"] = (folder / kSpecification).string();
  contender.options["configuration"] = parts.configuration;
  contender.options["ptx"] = parts.ptx.empty() ? std::string() : (folder / kPtx).string();
  contender.options["cubin"] = parts.cubin.empty() ? std::string() : (folder / kCubin).string();
  return contender;
}

}  // namespace assay::work
