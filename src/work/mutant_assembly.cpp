// SPDX-License-Identifier: MIT
#include "work/mutant_assembly.hpp"

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "build/cached_compile.hpp"
#include "build/elf_view.hpp"
#include "build/fit.hpp"

namespace assay::work {
namespace {

std::optional<int64_t> code_bytes(const std::string& cubin, const std::string& entry) {
  const auto view = build::ElfView::open(cubin);
  if (!view) return std::nullopt;
  const build::ElfSection* section = view->find_section(".text." + entry);
  return section == nullptr ? std::nullopt : std::optional<int64_t>(static_cast<int64_t>(section->size));
}

}  // namespace

Result<MutantAssembly> MutantAssembly::open(const gpu::GpuModel& model, const std::string& target,
                                            std::vector<std::string> flags) {
  ASSAY_TRY(build::ArtifactCache cache, build::ArtifactCache::open());
  ASSAY_TRY(build::Toolkit toolkit, build::find_toolkit(cache.compilers_folder()));
  MutantAssembly assembly(std::move(toolkit), std::move(cache), model);
  assembly.target_ = target;
  assembly.flags_ = std::move(flags);
  return assembly;
}

Result<AssemblyResult> MutantAssembly::assemble(const AssemblyRequest& request) const {
  build::CompileRequest compile;
  compile.source = request.ptx;
  compile.target = target_;
  compile.flags = flags_;
  constexpr std::chrono::minutes kLimit{5};
  build::FileHashes hashes;
  ASSAY_TRY(const build::Compilation compiled, build::compile_cached(cache_, toolkit_, hashes, compile, kLimit));
  AssemblyResult result;
  if (!compiled.succeeded) {
    result.refused = fmt::format("{}{}{}", compiled.end, compiled.output.empty() ? "" : ": ",
                                 std::string(trim(compiled.output)).substr(0, 400));
    return result;
  }
  result.cubin = compiled.cubin;
  const auto cubin = read_file(compiled.cubin);
  if (!cubin) return result;
  const std::vector<build::ResourceUsage> usages = build::resource_usage(*cubin, compiled.ptxas_output);
  if (const build::ResourceUsage* usage = build::find_entry(usages, request.entry)) {
    result.figures.registers = usage->registers;
    if (usage->spill_load_bytes && usage->spill_store_bytes)
      result.figures.spill_bytes = *usage->spill_load_bytes + *usage->spill_store_bytes;
  }
  result.figures.code_bytes = code_bytes(*cubin, request.entry);
  const std::vector<build::TargetUsage> targets = {{target_, usages}};
  result.figures.blocks_per_sm =
      build::model_fit(*model_, targets, request.entry, request.threads, request.dynamic_shared_bytes)
          .occupancy.blocks_per_sm;
  return result;
}

}  // namespace assay::work
