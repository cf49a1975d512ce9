// SPDX-License-Identifier: MIT
#include "build/builder.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <fmt/format.h>
#include <mutex>

#include "base/file.hpp"
#include "base/progress.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "build/cached_compile.hpp"
#include "build/cubin.hpp"
#include "build/entry_points.hpp"
#include "build/file_hashes.hpp"
#include "build/prebuilt_artifact.hpp"
#include "build/toolkit.hpp"
#include "spec/choice.hpp"
#include "spec/shape.hpp"

namespace assay::build {
namespace {

namespace fs = std::filesystem;

std::vector<BuildResult> plan(const spec::KernelSpec& spec, const std::vector<spec::Configuration>& configurations,
                              const BuildOptions& options) {
  const std::vector<std::string>& targets = options.targets.empty() ? spec.kernel.targets : options.targets;
  std::vector<BuildResult> results;
  for (const spec::Configuration& configuration : configurations) {
    for (const std::string& target : targets) {
      BuildResult result;
      result.configuration = configuration;
      result.target = target;
      results.push_back(std::move(result));
    }
  }
  return results;
}

CompileRequest request_for(const spec::KernelSpec& spec, const BuildResult& result) {
  const spec::KernelSection kernel = spec::kernel_of(spec, result.configuration);
  CompileRequest request{.source = spec.folder / kernel.source,
                         .target = result.target,
                         .defines = spec::defines(result.configuration),
                         .flags = kernel.flags,
                         .include_folders = {},
                         .further_sources = {},
                         .link = kernel.is_linked()};
  for (const fs::path& further : kernel.further_sources) request.further_sources.push_back(spec.folder / further);
  for (const fs::path& folder : spec.kernel.include_folders) request.include_folders.push_back(spec.folder / folder);
  return request;
}

void take_error(const Error& error, BuildStatus status, BuildResult& result) {
  result.status = status;
  result.reason = error.place.known() ? to_string(error.place) + ": " + error.message : error.message;
  result.hint = error.hint;
}

// One of the specification has its place there.
void take_mistake(const Error& error, BuildResult& result) {
  take_error(error, error.exit_code == ExitCode::environment ? BuildStatus::skipped : BuildStatus::failed, result);
  if (error.place.line > 0 && error.exit_code == ExitCode::usage) result.mistake = error;
}

// A compiler that the machine ended, for want of memory or by a limit: by itself, or a program that nvcc has started.
bool ended_by_machine(const Compilation& compilation) {
  const auto ends = [&](const char* signal) { return compilation.end.ends_with(signal); };
  return ends("SIGKILL") || ends("SIGXFSZ") || ends("SIGXCPU") ||
         compilation.output.find("died due to signal 9 ") != std::string::npos;
}

Result<void> take_compilation(const Compilation& compilation, BuildResult& result) {
  result.output = compilation.output;
  result.duration = compilation.duration;
  if (!compilation.succeeded) {
    result.reason = compilation.end;
    result.timed_out = compilation.timed_out;
    if (result.timed_out) result.hint = "raise the time limit of a compilation";
    if (!result.timed_out && ended_by_machine(compilation)) {
      result.status = BuildStatus::skipped;
      result.hint = "this machine had too little memory for it, or a limit (ulimit) or somebody ended it";
    }
    return {};
  }
  result.ptx = compilation.ptx;
  result.cubin = compilation.cubin;
  result.sources = compilation.sources;
  ASSAY_TRY(const std::string cubin, read_file(compilation.cubin));
  result.resources = resource_usage(cubin, compilation.ptxas_output);
  result.status = compilation.from_cache ? BuildStatus::cached : BuildStatus::built;
  return {};
}

// That the specification launches what was compiled: its entry, with the parameters that it takes.
void check_launchable(const spec::KernelSpec& spec, const std::vector<spec::Shape>& shapes, BuildResult& result) {
  if (!result.usable()) return;
  const auto check = [&]() -> Result<void> {
    if (result.ptx.empty()) {  // machine code alone
      std::vector<EntryPoint> entries;
      for (const ResourceUsage& usage : result.resources) entries.push_back({usage.entry, {}, false});
      return check_entry_points(spec, result.configuration, shapes, entries);
    }
    ASSAY_TRY(const std::string ptx, read_file(result.ptx));
    ASSAY_CHECK(check_entry_points(spec, result.configuration, shapes, entry_points(ptx)));
    if (!spec.has_globals()) return {};
    return check_variables(spec, result.configuration, shapes, module_variables(ptx));
  };
  const Result<void> checked = check();
  if (checked) return;
  take_mistake(checked.error(), result);
}

// Machine code for sm_80 runs on sm_86 too, and not the other way round.
bool runs_on(int made_for, std::string_view target) {
  int wanted = 0;
  target.remove_prefix(std::min<size_t>(target.size(), 3));  // "sm_90a"
  const auto [end, error] = std::from_chars(target.data(), target.data() + target.size(), wanted);
  return error != std::errc() || (made_for / 10 == wanted / 10 && made_for <= wanted);
}

// Machine code that the specification brings along takes the place of what ptxas would make.
Result<void> take_given_cubin(const spec::KernelSpec& spec, BuildResult& result) {
  const auto given = spec.kernel.cubins.find(result.target);
  const bool alone = spec.kernel.is_cubin();
  if (!alone && given == spec.kernel.cubins.end()) return {};
  result.cubin = alone ? spec.source_path() : spec.folder / given->second;
  ASSAY_TRY(const std::string bytes, read_file(result.cubin));
  const Place& place = alone ? spec.kernel.source_place : spec.kernel.cubin_places.at(result.target);
  if (auto read = read_cubin(bytes); !read) {
    return Error{fmt::format("\"{}\" is no cubin: {}", result.cubin.filename().string(), read.error().message), place,
                 "expected the machine code of one GPU, as ptxas or nvcc -cubin writes it"};
  }
  const int made_for = cubin_architecture(bytes);
  if (made_for != 0 && !runs_on(made_for, result.target)) {
    return Error{fmt::format("\"{}\" is machine code for sm_{}; expected that of {}", result.cubin.filename().string(),
                             made_for, result.target),
                 place, "name the file under its own target, and that under targets"};
  }
  result.resources = resource_usage(bytes, "");
  return {};
}

// A source that needs no compiler: PTX of another one, or machine code.
Result<void> take_ready(const spec::KernelSpec& spec, BuildResult& result) {
  result.status = BuildStatus::prebuilt;
  result.compiler = "none";
  const spec::KernelSection kernel = spec::kernel_of(spec, result.configuration);
  if (kernel.is_ptx()) result.ptx = spec.folder / kernel.source;
  return take_given_cubin(spec, result);
}

// What the threads of one build share.
struct Workshop {
  const spec::KernelSpec& spec;
  const std::vector<spec::Shape>& shapes;
  const BuildOptions& options;
  const Toolkit& toolkit;
  const ArtifactCache& cache;
  FileHashes hashes;
  Progress progress;
};

Result<void> compile_one(Workshop& shop, BuildResult& result) {
  if (shop.spec.kernel.is_cubin()) return take_ready(shop.spec, result);
  result.compiler = shop.toolkit.version;
  ASSAY_TRY(const Compilation compilation, compile_cached(shop.cache, shop.toolkit, shop.hashes,
                                                          request_for(shop.spec, result), shop.options.time_limit));
  ASSAY_CHECK(take_compilation(compilation, result));
  return result.usable() ? take_given_cubin(shop.spec, result) : Result<void>();
}

void build_one(Workshop& shop, BuildResult& result) {
  const Result<void> taken = compile_one(shop, result);
  if (shop.options.context.cancelled()) return;  // the compiler was stopped: nothing is known of the kernel
  if (!taken) take_mistake(taken.error(), result);
  check_launchable(shop.spec, shop.shapes, result);
  const std::string name = fmt::format("{} {}", result.configuration.id(), result.target);
  if (result.status == BuildStatus::failed) {
    shop.progress.note(fmt::format("failed: {}: {}", name, result.reason));
  }
  shop.progress.advance(name);
}

void build_parallel(Workshop& shop, std::vector<BuildResult>& results) {
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i = next.fetch_add(1); i < results.size() && !shop.options.context.cancelled(); i = next.fetch_add(1))
      build_one(shop, results[i]);
  };
  const size_t wanted = shop.options.jobs > 0 ? shop.options.jobs : core_count();
  on_threads(std::min<size_t>(wanted, results.size()), work);
}

// Without a compiler: the default configuration may be prebuilt; anything else is skipped.
void take_prebuilt(const spec::KernelSpec& spec, const std::optional<spec::Configuration>& prebuilt,
                   const Error& no_compiler, BuildResult& result) {
  if (!prebuilt || result.configuration != *prebuilt) {
    take_error(no_compiler, BuildStatus::skipped, result);
    return;
  }
  const Result<PrebuiltArtifact> artifact = load_prebuilt(spec, result.configuration, result.target);
  if (!artifact) {
    take_error(artifact.error(), BuildStatus::skipped, result);
    result.reason = no_compiler.message + "; " + result.reason;
    result.hint = no_compiler.hint;
    return;
  }
  result.status = BuildStatus::prebuilt;
  result.ptx = prebuilt_ptx(spec, result.target);
  result.resources = artifact->resources;
  result.sources = artifact->sources;
  result.compiler = artifact->compiler;
}

}  // namespace

std::string_view to_string(BuildStatus status) {
  switch (status) {
    case BuildStatus::built:
      return "built";
    case BuildStatus::cached:
      return "cached";
    case BuildStatus::prebuilt:
      return "prebuilt";
    case BuildStatus::failed:
      return "failed";
    case BuildStatus::skipped:
      return "skipped";
  }
  return "unknown";
}

size_t BuildReport::count(BuildStatus status) const {
  return static_cast<size_t>(std::ranges::count(results, status, &BuildResult::status));
}

const BuildResult* BuildReport::find(const spec::Configuration& configuration, std::string_view target) const {
  const auto found = std::ranges::find_if(results, [&](const BuildResult& result) {
    return result.target == target && result.configuration == configuration;
  });
  return found == results.end() ? nullptr : &*found;
}

std::vector<TargetUsage> BuildReport::usages(const spec::Configuration& configuration) const {
  std::vector<TargetUsage> usages;
  for (const BuildResult& result : results) {
    if (result.usable() && result.configuration == configuration) usages.push_back({result.target, result.resources});
  }
  return usages;
}

Result<BuildReport> build(const spec::KernelSpec& spec, const std::vector<spec::Configuration>& configurations,
                          const BuildOptions& options) {
  BuildReport report;
  report.results = plan(spec, configurations, options);
  ASSAY_TRY(const std::vector<spec::Shape> shapes, spec::all_shapes(spec));
  const Result<Toolkit> toolkit = find_toolkit(options.cache_folder / "compilers");
  if (!toolkit) {
    report.no_compiler = toolkit.error();
    const Result<spec::Configuration> prebuilt = spec::default_configuration(spec);
    const auto only = prebuilt ? std::optional<spec::Configuration>(*prebuilt) : std::nullopt;
    for (BuildResult& result : report.results) {
      const spec::KernelSection kernel = spec::kernel_of(spec, result.configuration);
      if (kernel.is_ptx() || kernel.is_cubin()) {
        if (const auto ready = take_ready(spec, result); !ready) take_mistake(ready.error(), result);
      } else {
        take_prebuilt(spec, only, toolkit.error(), result);
      }
      check_launchable(spec, shapes, result);
    }
    return report;
  }
  report.compiler = toolkit->version;
  ASSAY_TRY(const ArtifactCache cache, ArtifactCache::open(options.cache_folder));
  Workshop shop{.spec = spec,
                .shapes = shapes,
                .options = options,
                .toolkit = *toolkit,
                .cache = cache,
                .hashes = {},
                .progress = Progress(options.context, "building", report.results.size())};
  build_parallel(shop, report.results);
  ASSAY_CHECK(check_cancelled(options.context));
  return report;
}

Result<BuildReport> build_all(const spec::KernelSpec& spec, const BuildOptions& options) {
  ASSAY_TRY(const std::vector<spec::Configuration> configurations, spec::configurations(spec));
  return build(spec, configurations, options);
}

Result<void> regenerate_prebuilt(const spec::KernelSpec& spec, const std::string& target, const BuildOptions& options) {
  ASSAY_TRY(const spec::Configuration configuration, spec::default_configuration(spec));
  BuildOptions single = options;
  single.targets = {target};
  ASSAY_TRY(const BuildReport report, build(spec, {configuration}, single));
  if (report.no_compiler) return *report.no_compiler;
  const BuildResult& result = report.results.at(0);
  if (!result.usable()) {
    return Error{result.reason + "\n" + result.output, Place{spec.source_path().string()}, result.hint,
                 ExitCode::usage};
  }
  if (std::ranges::any_of(result.sources, [](const Dependency& source) { return source.hash.starts_with('-'); })) {
    return Error{"a source changed while it was compiled", Place{spec.source_path().string()}, "try again",
                 ExitCode::usage};
  }
  PrebuiltArtifact artifact{.configuration = configuration.id(),
                            .target = target,
                            .compiler = result.compiler,
                            .arguments = prebuilt_arguments(spec, configuration),
                            .sources = result.sources,
                            .resources = result.resources,
                            .ptx = {}};
  ASSAY_TRY(artifact.ptx, read_file(result.ptx));
  return write_prebuilt(spec, artifact);
}

}  // namespace assay::build
