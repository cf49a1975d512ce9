// SPDX-License-Identifier: MIT
#include "assay/new.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/repository.hpp"
#include "base/scratch_folder.hpp"
#include "base/text.hpp"
#include "build/compile.hpp"
#include "build/debug_compile.hpp"
#include "build/entry_name.hpp"
#include "build/kernel_signature.hpp"
#include "build/prebuilt_artifact.hpp"
#include "build/toolkit.hpp"
#include "check/worker.hpp"
#include "spec/open_points.hpp"
#include "work/kernel.hpp"
#include "work/new_text.hpp"
#include "work/new_trials.hpp"

namespace assay::work {
namespace {

namespace fs = std::filesystem;

// What a source was compiled to, to look at it.
struct Compiled {
  std::string ptx;
  std::string debug_ptx;  // the same with debug information, in which nothing is optimised; empty if there is none
  std::string no_debug;   // why
  std::vector<std::string> targets;
  std::vector<std::string> flags;  // that the compiler asked for
};

// Flags that the language extensions of a source need, as the compiler's words name them.
std::vector<std::string> flags_asked_for(const std::string& output) {
  std::vector<std::string> flags;
  for (const auto& [word, flag] : {std::pair{"extended-lambda", "--expt-extended-lambda"},
                                   std::pair{"expt-relaxed-constexpr", "--expt-relaxed-constexpr"}}) {
    if (output.find(word) != std::string::npos) flags.emplace_back(flag);
  }
  return flags;
}

Error does_not_compile(const fs::path& source, const std::string& output) {
  return Error{fmt::format("the source does not compile\n{}", output), Place{source.string()},
               "assay new reads what the compiler makes of it; --target sm_90a for what only that GPU has",
               ExitCode::usage};
}

// For the oldest GPU that takes it: what needs a newer one says so by not compiling.
Result<Compiled> compile_source(const fs::path& source, const std::string& target) {
  ASSAY_TRY(const build::Toolkit toolkit, build::find_toolkit());
  std::string output;
  std::vector<std::string> candidates{"sm_80", "sm_90", "sm_90a"};
  if (!target.empty()) candidates = {target};
  for (const std::string& candidate : candidates) {
    ASSAY_TRY(const ScratchFolder scratch, ScratchFolder::make());
    build::CompileRequest request{
        .source = source, .target = candidate, .defines = {}, .flags = {}, .include_folders = {}};
    ASSAY_TRY(build::CompileOutcome outcome, build::compile(toolkit, request, scratch.path(), std::chrono::minutes(5)));
    request.flags = flags_asked_for(outcome.succeeded ? "" : outcome.output);
    if (!request.flags.empty()) {
      ASSAY_TRY(outcome, build::compile(toolkit, request, scratch.path(), std::chrono::minutes(5)));
    }
    if (!outcome.succeeded) {
      if (output.empty()) output = outcome.output;
      continue;
    }
    Compiled compiled;
    ASSAY_TRY(compiled.ptx, read_file(scratch.path() / build::kPtxName));
    auto described = build::compile_for_debugging(toolkit, request, std::chrono::minutes(5));
    if (described) {
      compiled.debug_ptx = *std::move(described);
    } else {
      compiled.no_debug = described.error().message;
    }
    compiled.flags = request.flags;
    compiled.targets = candidate == "sm_80" && target.empty() ? std::vector<std::string>{"sm_80", "sm_89", "sm_90"}
                                                              : std::vector<std::string>{candidate};
    return compiled;
  }
  return does_not_compile(source, output);
}

// PTX names its target itself.
Result<Compiled> read_ptx(const fs::path& source, const std::string& target) {
  Compiled compiled;
  ASSAY_TRY(compiled.ptx, read_file(source));
  const size_t at = compiled.ptx.find(".target");
  const size_t begin = at == std::string::npos ? at : compiled.ptx.find("sm_", at);
  if (begin == std::string::npos && target.empty())
    return Error{"the PTX names no target", Place{source.string()}, "--target sm_80 says which GPU it is for"};
  const size_t end = begin == std::string::npos ? begin : compiled.ptx.find_first_of(", \n\t\r/", begin);
  compiled.targets = {target.empty() ? compiled.ptx.substr(begin, end - begin) : target};
  return compiled;
}

// Names of folders and kernels: letters, digits, _ and -.
std::string plain_name(const std::string& text) {
  std::string name;
  for (const char c : text.substr(0, text.find('<'))) {
    const bool good =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    if (good) name += c;
    if (c == ':' && !name.empty() && name.back() != '_') name += '_';
  }
  return name.empty() ? "kernel" : name.substr(0, 60);
}

Error already_there(const fs::path& folder) {
  return Error{"this is there already", Place{folder.string()}, "--name gives the new kernel another name"};
}

// Writes the files of a kernel and reads them back: what was written must be a specification.
class Draft {
 public:
  Draft(fs::path folder, const build::KernelSignature& signature, NewText text, fs::path source)
      : folder_(std::move(folder)), signature_(signature), text_(std::move(text)), source_(std::move(source)) {}

  Result<void> write() const {
    std::error_code failed;
    fs::create_directories(folder_, failed);
    if (failed)
      return Error{fmt::format("cannot be made: {}", failed.message()), Place{folder_.string()}, "",
                   ExitCode::environment};
    ASSAY_TRY(const std::string content, read_file(source_));
    ASSAY_CHECK(write_file_atomically(folder_ / text_.source, content));
    ASSAY_CHECK(write_file_atomically(folder_ / reference_name(text_), reference_text(signature_, text_)));
    return write_file_atomically(folder_ / "kernel.toml", specification_text(signature_, text_));
  }

  std::vector<std::string> files() const {
    return {(folder_ / "kernel.toml").string(), (folder_ / reference_name(text_)).string(),
            (folder_ / text_.source).string()};
  }

  // Runs the kernel once on a virtual GPU. A pointer behind whose end it reads or writes gets more room, a few times.
  Result<check::CaseResult> try_out(const Context& context) {
    constexpr int kMostTrials = 8;
    std::optional<check::CaseResult> last;
    seconds_ = kSecondsOfGuess;
    for (int trial = 0; trial < kMostTrials; ++trial) {
      ASSAY_TRY(const spec::KernelSpec spec, spec::load(folder_));
      ASSAY_TRY(const check::CaseResult result, run_once(spec, context));
      const std::string short_one = too_short(result);
      last = result;
      if (short_one.empty()) break;
      int64_t& factor = text_.growth[short_one];
      factor = factor == 0 ? 2 : 2 * factor;
      ASSAY_CHECK(write());
    }
    if (depends_on_threads(*last)) ASSAY_CHECK(try_other_blocks(context, last));
    if (!last->passed() && !text_.growth.empty() && !too_short(*last).empty()) {  // more room did not help
      text_.growth.clear();
      ASSAY_CHECK(write());
    }
    seconds_ = kSecondsOfTrial;
    ASSAY_CHECK(find_geometry(context, *last));
    if (!text_.found && !last->passed() && last->findings.empty()) return run_written(context);
    return *last;
  }

 private:
  // What trial runs show of sizes and grid takes the place of what was guessed, if the kernel runs with it.
  Result<void> find_geometry(const Context& context, check::CaseResult& last) {
    auto found = try_sizes(folder_, signature_, text_, context);
    if (!found && found.error().exit_code == kInterrupted) return found.error();
    if (!found || !*found) return {};
    const NewText guessed = text_;
    text_.found = std::move(*found);
    text_.growth.clear();
    ASSAY_CHECK(write());
    const auto result = run_written(context);
    if (!result && result.error().exit_code == kInterrupted) return result.error();
    if (result && (result->passed() || !last.passed())) {
      last = *result;
      return find_gap(context);
    }
    text_ = guessed;
    return write();
  }

  // Rows need not follow one another where the kernel takes a stride; but vectors keep to whole ones.
  Result<void> find_gap(const Context& context) {
    constexpr std::array<int64_t, 2> kGaps{3, 8};
    if (text_.found->values.empty()) return {};
    text_.found->gap = "GAP";
    while (std::ranges::find(text_.found->sizes, text_.found->gap) != text_.found->sizes.end()) text_.found->gap += "_";
    for (const int64_t elements : kGaps) {
      text_.found->gap_elements = elements;
      ASSAY_CHECK(write());
      const auto result = run_written(context, "padded");
      if (!result && result.error().exit_code == kInterrupted) return result.error();
      if (result && result->passed()) return {};
    }
    text_.found->gap.clear();
    return write();
  }

  // With the smallest shape, or the first one of a set.
  Result<check::CaseResult> run_written(const Context& context, const std::string& set = "") const {
    ASSAY_TRY(const spec::KernelSpec spec, spec::load(folder_));
    return run_once(spec, context, set);
  }

  // Shared memory and masks are often made for one size of block, which nobody but the host's code tells.
  bool depends_on_threads(const check::CaseResult& result) const {
    const bool guessed = text_.block.empty() && signature_.required_threads.empty() && !signature_.thread_index[2];
    return guessed && std::ranges::any_of(result.findings, [](const gpu::Finding& finding) {
             return (finding.kind == gpu::FindingKind::out_of_bounds && finding.space == gpu::Space::shared) ||
                    finding.kind == gpu::FindingKind::warp_mask || finding.kind == gpu::FindingKind::barrier;
           });
  }

  Result<void> try_other_blocks(const Context& context, std::optional<check::CaseResult>& last) {
    std::vector<std::vector<int64_t>> blocks{{128}, {64}, {32}};
    if (signature_.thread_index[1]) blocks = {{32, 8}, {8, 8}, {32, 32}, {32, 4}};
    for (const std::vector<int64_t>& block : blocks) {
      text_.tried_block = block;
      ASSAY_CHECK(write());
      ASSAY_TRY(const spec::KernelSpec spec, spec::load(folder_));
      ASSAY_TRY(const check::CaseResult result, run_once(spec, context));
      // What else is wrong, as the grid, is found out next; a kernel that was ended early says nothing.
      if (depends_on_threads(result) || (!result.passed() && result.findings.empty())) continue;
      last = result;
      return {};
    }
    text_.tried_block.clear();
    return write();
  }

  Result<check::CaseResult> run_once(const spec::KernelSpec& spec, const Context& context,
                                     const std::string& set = "") const {
    ASSAY_TRY(const spec::Configuration configuration, spec::default_configuration(spec));
    ASSAY_TRY(const std::string device, virtual_device_for(spec, ""));
    CaseLimits limits;
    limits.time_s = seconds_;
    ASSAY_TRY(Runnable runnable, make_runnable(spec, configuration, device, limits, context));
    runnable.worker.setup.compare = false;
    ASSAY_TRY(const std::unique_ptr<check::Worker> worker, check::Worker::start(runnable.worker));
    check::Case test;
    ASSAY_TRY(const std::vector<spec::Shape> shapes,
              set.empty() ? spec::all_shapes(spec) : spec::shapes(spec, set));  // the smallest first
    test.shape = shapes.front();
    test.seed = 1;
    return worker->run(test);
  }

  // The tensor behind whose end the first finding lies.
  std::string too_short(const check::CaseResult& result) const {
    for (const gpu::Finding& finding : result.findings) {
      if (finding.kind != gpu::FindingKind::out_of_bounds || finding.space != gpu::Space::global) continue;
      for (const build::SignatureParameter& parameter : signature_.parameters) {
        for (const build::SignatureValue& value : parameter.values) {
          const bool named = finding.allocation.find("'" + value.name + "'") != std::string::npos ||
                             finding.allocation.find("\"" + value.name + "\"") != std::string::npos;
          if (value.pointer && named) return value.name;
        }
      }
    }
    return "";
  }

  fs::path folder_;
  // What is guessed of the sizes may make a kernel work for long, and is seldom the last word.
  static constexpr double kSecondsOfGuess = 8;
  static constexpr double kSecondsOfTrial = 30;

  const build::KernelSignature& signature_;
  NewText text_;
  fs::path source_;
  double seconds_ = kSecondsOfTrial;
};

void take_open(NewKernel& kernel) {
  const auto spec = spec::load(kernel.folder);
  if (!spec) return;
  for (const spec::Open& point : spec::open_points(*spec))
    kernel.open.push_back({point.place.file, point.place.line, point.text});
}

// In the order of the source; "all" without a choice.
Result<std::vector<build::KernelSignature>> chosen(std::vector<build::KernelSignature> all, const std::string& wanted,
                                                   const fs::path& source) {
  if (all.empty())
    return Error{"there is no kernel in it", Place{source.string()},
                 "a template needs an instantiation: template __global__ void kernel<float>(...);"};
  if (wanted.empty()) {
    // Kernels of the toolkit's libraries come along with those that use them.
    std::vector<build::KernelSignature> own = all;
    std::erase_if(own, [](const build::KernelSignature& signature) {
      return signature.readable.starts_with("cub::") || signature.readable.starts_with("thrust::");
    });
    return own.empty() ? all : own;
  }
  std::vector<std::string> names;
  for (const build::KernelSignature& signature : all) names.push_back(signature.entry);
  ASSAY_TRY(const std::string name, build::find_entry_name(wanted, names, {}, source.string()));
  std::erase_if(all, [&](const build::KernelSignature& signature) { return signature.entry != name; });
  return all;
}

// Where a source's own headers lie, as seen from the new folder; empty if it includes none of its folder.
std::string include_folder(const fs::path& source, std::string_view text, const fs::path& folder) {
  constexpr std::string_view kInclude = "#include \"";
  std::error_code failed;
  for (size_t at = text.find(kInclude); at != std::string_view::npos; at = text.find(kInclude, at)) {
    at += kInclude.size();
    const size_t end = text.find_first_of("\"\n", at);
    const std::string name(text.substr(at, end == std::string_view::npos ? end : end - at));
    if (!fs::is_regular_file(source.parent_path() / name, failed)) continue;
    const fs::path from = fs::absolute(folder, failed).lexically_normal();
    const fs::path to = fs::absolute(source, failed).lexically_normal().parent_path();
    return to.lexically_relative(from).string();
  }
  return "";
}

Result<NewReport> describe_source(const NewRequest& request, const Context& context) {
  const fs::path source = request.source;
  const bool is_ptx = source.extension() == ".ptx";
  std::error_code failed;
  if (fs::is_directory(source, failed))
    return Error{"this is a folder", Place{source.string()}, "expected a source of CUDA C++, or PTX"};
  if (!fs::is_regular_file(source, failed))
    return Error{"there is no such file", Place{source.string()}, "expected a source of CUDA C++, or PTX"};
  ASSAY_TRY(const Compiled compiled,
            is_ptx ? read_ptx(source, request.target) : compile_source(source, request.target));
  ASSAY_TRY(const std::string text, read_file(source));
  ASSAY_TRY(std::vector<build::KernelSignature> all,
            build::kernel_signatures(compiled.ptx, source.string(),
                                     is_ptx ? std::string_view() : std::string_view(text), compiled.debug_ptx));
  if (!compiled.no_debug.empty()) {
    for (build::KernelSignature& signature : all) signature.missing = {compiled.no_debug};
  }
  ASSAY_TRY(const std::vector<build::KernelSignature> signatures, chosen(std::move(all), request.kernel, source));
  const fs::path base = request.name.empty() ? source.stem() : fs::path(request.name);
  if (fs::exists(base, failed)) return already_there(base);
  NewReport report;
  for (const build::KernelSignature& signature : signatures) {
    NewKernel kernel;
    const std::string name = plain_name(signatures.size() == 1 ? base.filename().string() : signature.readable);
    fs::path folder = signatures.size() == 1 ? base : base / name;
    for (int copy = 2; signatures.size() > 1 && fs::exists(folder, failed); ++copy)
      folder = base / fmt::format("{}_{}", name, copy);
    NewText words;
    words.name = plain_name(folder.filename().string());
    words.source = source.filename().string();
    words.targets = compiled.targets;
    words.flags = compiled.flags;
    words.python = request.reference == "python";
    words.include_folder = include_folder(source, text, folder);
    const std::string plain = signature.readable.substr(0, signature.readable.find('<'));
    words.block = build::launched_block(text, plain);
    Draft draft(folder, signature, words, source);
    ASSAY_CHECK(draft.write());
    kernel.folder = folder.string();
    kernel.entry = signature.readable;
    kernel.verdict = "not run";
    kernel.signature = signature.from_debug_information ? "debug information" : is_ptx ? "PTX" : "source text";
    if (!signature.from_debug_information) kernel.missing = signature.missing;
    const auto tried =
        request.trial ? draft.try_out(context) : Result<check::CaseResult>(Error{"no trial was asked for"});
    if (tried) {
      kernel.verdict = tried->passed() ? "clean" : "finding";
      kernel.message = tried->message;
    } else {
      kernel.message = to_string(tried.error());
    }
    take_open(kernel);
    for (std::string& file : draft.files()) report.files.push_back(std::move(file));
    report.kernels.push_back(std::move(kernel));
  }
  return report;
}

// Where kernels are shipped: in this folder, in the repository around it, or with the program.
std::vector<fs::path> kernel_folders() {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed).parent_path();
  std::vector<fs::path> folders{"kernels"};
  if (const fs::path repository = repository_of(fs::current_path(failed)); !repository.empty())
    folders.push_back(repository / "kernels");
  folders.push_back(program / "../kernels");
  folders.push_back(program / "../share/assay/kernels");
  return folders;
}

// So that the copy runs where there is no compiler, until its source is changed.
Result<void> copy_prebuilt(const spec::KernelSpec& spec, const spec::KernelSpec& copied) {
  const auto usual = spec::default_configuration(spec);
  if (!usual) return {};
  std::error_code failed;
  for (const std::string& target : spec.kernel.targets) {
    auto artifact = build::load_prebuilt(spec, *usual, target);
    if (!artifact) continue;
    for (build::Dependency& source : artifact->sources) {
      if (*fs::path(source.path).begin() == "..")  // a header that stays where it is
        source.path =
            fs::relative(spec.source_path().parent_path() / source.path, copied.source_path().parent_path(), failed)
                .string();
    }
    ASSAY_CHECK(build::write_prebuilt(copied, *artifact));
  }
  return {};
}

// A kernel that is shipped, or a folder: copied under another name, with everything that its specification names.
Result<NewReport> copy_kernel(const NewRequest& request) {
  fs::path from = request.like;
  std::error_code failed;
  if (!fs::exists(from / "kernel.toml", failed)) {
    for (const fs::path& place : kernel_folders()) {
      if (!fs::exists(place / request.like / "kernel.toml", failed)) continue;
      from = place / request.like;
      break;
    }
  }
  ASSAY_TRY(const spec::KernelSpec spec, spec::load(from));
  const fs::path to = request.name;
  if (to.empty()) return Error{"the new kernel has no name", {}, "assay new --like softmax NAME"};
  if (fs::exists(to, failed)) return already_there(to);
  fs::create_directories(to, failed);
  NewReport report;
  ASSAY_TRY(std::string text, read_file(spec.file));
  const std::string name = plain_name(to.filename().string());
  if (const size_t at = text.find("\"" + spec.kernel.name + "\""); at != std::string::npos)
    text.replace(at, spec.kernel.name.size() + 2, "\"" + name + "\"");
  std::vector<fs::path> files = spec.named_files();
  for (const fs::path& file : files) {
    if (file.lexically_normal().begin()->string() == "..")
      return Error{fmt::format("'{}' lies outside of the kernel's folder and is not copied", file.string()),
                   Place{spec.file.string()}, ""};
    ASSAY_TRY(const std::string content, read_file(spec.folder / file));
    fs::create_directories((to / file).parent_path(), failed);
    ASSAY_CHECK(write_file_atomically(to / file, content));
    report.files.push_back((to / file).string());
  }
  // Headers that are shared stay where they are.
  for (const fs::path& folder : spec.kernel.include_folders) {
    const std::string old = "\"" + folder.string() + "\"";
    const std::string now = "\"" + fs::relative(spec.folder / folder, to, failed).string() + "\"";
    if (const size_t at = text.find(old); at != std::string::npos) text.replace(at, old.size(), now);
  }
  ASSAY_CHECK(write_file_atomically(to / "kernel.toml", text));
  report.files.insert(report.files.begin(), (to / "kernel.toml").string());
  ASSAY_TRY(const spec::KernelSpec copied, spec::load(to));
  ASSAY_CHECK(copy_prebuilt(spec, copied));
  NewKernel kernel;
  kernel.folder = to.string();
  kernel.entry = copied.stages.empty() ? "" : copied.stages.front().entry.text();
  kernel.verdict = "not run";
  report.kernels.push_back(std::move(kernel));
  return report;
}

}  // namespace

Result<NewReport> describe(const NewRequest& request, const Context& context) {
  return request.like.empty() ? describe_source(request, context) : copy_kernel(request);
}

std::string to_json(const NewReport& report) {
  nlohmann::ordered_json kernels = nlohmann::ordered_json::array();
  for (const NewKernel& kernel : report.kernels) {
    nlohmann::ordered_json open = nlohmann::ordered_json::array();
    for (const OpenPoint& point : kernel.open)
      open.push_back({{"file", point.file}, {"line", point.line}, {"text", point.text}});
    kernels.push_back({{"folder", kernel.folder},
                       {"entry", kernel.entry},
                       {"verdict", kernel.verdict},
                       {"message", kernel.message},
                       {"signature", kernel.signature},
                       {"missing", kernel.missing},
                       {"open", open}});
  }
  return nlohmann::ordered_json{{"command", "new"}, {"kernels", kernels}, {"files", report.files}}.dump(
      2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace assay::work
