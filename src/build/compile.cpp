// SPDX-License-Identifier: MIT
#include "build/compile.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>

#include "base/file.hpp"
#include "base/process.hpp"
#include "base/scratch_folder.hpp"
#include "base/text.hpp"
#include "build/link_ptx.hpp"

namespace assay::build {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDependencyName = "kernel.d";

bool has_flag(const std::vector<std::string>& flags, std::string_view prefix) {
  return std::ranges::any_of(flags, [&](const std::string& flag) { return flag.starts_with(prefix); });
}

// Folders near the source by their relative name: then the dependencies, too, are relative, and hold in a clone
// elsewhere.
std::string name_from(const fs::path& source_folder, const fs::path& folder) {
  const fs::path absolute = fs::absolute(folder).lexically_normal();
  const std::string relative = absolute.lexically_relative(source_folder).string();
  return relative.empty() || relative.starts_with("../../../") ? absolute.string() : relative;
}

std::vector<std::string> shared_arguments(const Toolkit& toolkit, const CompileRequest& request,
                                          const fs::path& source_folder) {
  std::vector<std::string> arguments{toolkit.nvcc.string(), "-lineinfo"};
  if (!has_flag(request.flags, "-std") && !has_flag(request.flags, "--std")) arguments.push_back("-std=c++17");
  for (const fs::path& include : request.include_folders) arguments.push_back("-I" + name_from(source_folder, include));
  arguments.insert(arguments.end(), request.defines.begin(), request.defines.end());
  arguments.insert(arguments.end(), request.flags.begin(), request.flags.end());
  return arguments;
}

void append(std::string& text, std::string_view more) {
  if (more.empty()) return;
  text += more;
  if (text.back() != '\n') text += '\n';
}

// Runs one step; false if the compilation is over because the step failed. What the compiler leaves behind when it is
// stopped (tmpxft_*) lies in `scratch`, not where everybody's temporary files are.
Result<bool> step(std::vector<std::string> arguments, const fs::path& folder, const fs::path& scratch,
                  std::chrono::milliseconds time_limit, const fs::path& product, std::string& errors,
                  CompileOutcome& outcome) {
  Command command;
  command.arguments = std::move(arguments);
  command.folder = folder;
  command.environment["TMPDIR"] = scratch.string();
  command.time_limit = time_limit;
  command.output_limit_bytes = size_t{4} << 20;
  ASSAY_TRY(const ProcessOutcome process, run(command));
  outcome.duration += process.duration;
  append(outcome.output, process.output);
  append(errors, process.errors);
  if (process.succeeded() && fs::exists(product)) return true;
  outcome.timed_out = process.timed_out;
  outcome.end = process.succeeded() ? "nvcc ended well but wrote nothing" : "nvcc " + describe_end(process);
  return false;
}

// Undoes make's escapes of blanks, '#' and '$'.
std::string unescape(std::string_view word) {
  std::string text;
  for (size_t i = 0; i < word.size(); ++i) {
    const bool escape = i + 1 < word.size() && ((word[i] == '\\' && (word[i + 1] == ' ' || word[i + 1] == '#')) ||
                                                (word[i] == '$' && word[i + 1] == '$'));
    if (escape) ++i;
    text += word[i];
  }
  return text;
}

std::string relocated(const std::string& name, const fs::path& source_folder, const fs::path& toolkit_root) {
  if (!name.starts_with('/')) return name;
  const fs::path path = fs::path(name).lexically_normal();
  std::error_code failed;
  const fs::path real_root = fs::weakly_canonical(toolkit_root, failed);
  for (const fs::path& root : {toolkit_root.lexically_normal(), real_root}) {
    const fs::path inside = path.lexically_relative(root);
    if (inside.empty() || *inside.begin() == "..") continue;
    const std::string text = inside.generic_string();
    const size_t headers = text.rfind("include/");  // include/ itself, or targets/x86_64-linux/include/
    return "cuda/" + (headers == std::string::npos ? text : text.substr(headers));
  }
  return name_from(source_folder, path);
}

}  // namespace

std::string virtual_architecture(std::string_view target) {
  return target.starts_with("sm_") ? "compute_" + std::string(target.substr(3)) : std::string(target);
}

std::string relocate_file_names(std::string_view ptx, const fs::path& source_folder, const fs::path& toolkit_root) {
  std::string text;
  text.reserve(ptx.size());
  while (!ptx.empty()) {
    const size_t end = std::min(ptx.find('\n'), ptx.size() - 1) + 1;
    const std::string_view line = ptx.substr(0, end);
    ptx.remove_prefix(end);
    const size_t open = line.find('"');
    const size_t close = open == std::string_view::npos ? open : line.find('"', open + 1);
    if (close == std::string_view::npos || !trim(line).starts_with(".file")) {
      text += line;
      continue;
    }
    text += line.substr(0, open + 1);
    text += relocated(std::string(line.substr(open + 1, close - open - 1)), source_folder, toolkit_root);
    text += line.substr(close);
  }
  return text;
}

std::vector<std::string> read_dependency_rule(std::string_view text) {
  const size_t colon = text.find(" :") != std::string_view::npos ? text.find(" :") + 1 : text.find(": ");
  if (colon == std::string_view::npos) return {};
  std::vector<std::string> names;
  std::string word;
  const auto finish = [&] {
    if (!word.empty()) names.push_back(unescape(word));
    word.clear();
  };
  for (size_t i = colon + 1; i < text.size(); ++i) {
    const char c = text[i];
    const char next = c == '\\' && i + 1 < text.size() ? text[i + 1] : '\0';
    if (next == ' ') {
      word += "\\ ";
      ++i;
    } else if (next == '\n' || next == '\r' || c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      finish();
    } else {
      word += c;
    }
  }
  finish();
  return names;
}

namespace {

// The steps of one compilation, in the source's folder: names of local files come out relative then.
class Steps {
 public:
  Steps(const Toolkit& toolkit, const CompileRequest& request, const fs::path& folder, const fs::path& scratch,
        std::chrono::milliseconds time_limit)
      : toolkit_(toolkit),
        request_(request),
        folder_(fs::absolute(folder)),
        scratch_(scratch),
        time_limit_(time_limit),
        source_folder_(fs::absolute(request.source).lexically_normal().parent_path()) {}

  // Each of these is false if the step failed, which the outcome says then.
  Result<bool> to_ptx(const fs::path& source, const fs::path& ptx, CompileOutcome& outcome) const {
    const fs::path rule = scratch_ / kDependencyName;
    std::vector<std::string> arguments = shared();
    arguments.insert(arguments.end(),
                     {"-ptx", "-arch=" + virtual_architecture(request_.target), name_from(source_folder_, source), "-o",
                      ptx.string(), "-MD", "-MF", rule.string()});
    ASSAY_TRY(const bool made, run_step(arguments, ptx, outcome.output, outcome));
    if (!made) return false;
    ASSAY_TRY(const std::string raw, read_file(ptx));
    // nvcc resolves symbolic links, so the folder may appear by either name.
    std::error_code ignored;
    const fs::path real_folder = fs::weakly_canonical(source_folder_, ignored);
    const std::string half = relocate_file_names(raw, real_folder, toolkit_.root());
    ASSAY_CHECK(write_file_atomically(ptx, relocate_file_names(half, source_folder_, toolkit_.root())));
    ASSAY_TRY(const std::string rule_text, read_file(rule));
    std::unordered_set<std::string> known(outcome.dependencies.begin(), outcome.dependencies.end());
    for (std::string& dependency : read_dependency_rule(rule_text)) {
      if (known.insert(dependency).second) outcome.dependencies.push_back(std::move(dependency));
    }
    return true;
  }

  Result<bool> to_cubin(const fs::path& ptx, const fs::path& cubin, CompileOutcome& outcome) const {
    std::vector<std::string> arguments = shared();
    arguments.insert(arguments.end(),
                     {"-cubin", "-arch=" + request_.target, "-Xptxas", "-v", ptx.string(), "-o", cubin.string()});
    ASSAY_TRY(const bool made, run_step(arguments, cubin, outcome.ptxas_output, outcome));
    if (!made) append(outcome.output, outcome.ptxas_output);
    return made;
  }

  Result<bool> link(const std::vector<fs::path>& cubins, const fs::path& cubin, CompileOutcome& outcome) const {
    std::vector<std::string> arguments{(toolkit_.nvcc.parent_path() / "nvlink").string(), "-arch=" + request_.target};
    for (const fs::path& part : cubins) arguments.push_back(part.string());
    arguments.insert(arguments.end(), {"-o", cubin.string()});
    return run_step(arguments, cubin, outcome.output, outcome);
  }

 private:
  std::vector<std::string> shared() const {
    std::vector<std::string> arguments = shared_arguments(toolkit_, request_, source_folder_);
    if (request_.link && !has_flag(arguments, "-rdc=true")) arguments.emplace_back("-rdc=true");
    return arguments;
  }

  Result<bool> run_step(std::vector<std::string> arguments, const fs::path& product, std::string& errors,
                        CompileOutcome& outcome) const {
    return step(std::move(arguments), source_folder_, scratch_, time_limit_, product, errors, outcome);
  }

  const Toolkit& toolkit_;
  const CompileRequest& request_;
  const fs::path folder_;
  const fs::path scratch_;
  const std::chrono::milliseconds time_limit_;
  const fs::path source_folder_;
};

// Each source to PTX and to a cubin of its own; then both are linked.
Result<bool> compile_parts(const Steps& steps, const CompileRequest& request, const fs::path& folder,
                           const fs::path& scratch, CompileOutcome& outcome) {
  std::vector<fs::path> sources{request.source};
  sources.insert(sources.end(), request.further_sources.begin(), request.further_sources.end());
  std::vector<PtxPart> parts;
  std::vector<fs::path> cubins;
  for (size_t i = 0; i < sources.size(); ++i) {
    const fs::path ptx = scratch / fmt::format("part{}.ptx", i);
    const fs::path cubin = scratch / fmt::format("part{}.cubin", i);
    ASSAY_TRY(const bool have_ptx, steps.to_ptx(sources[i], ptx, outcome));
    if (!have_ptx) return false;
    ASSAY_TRY(const bool have_cubin, steps.to_cubin(ptx, cubin, outcome));
    if (!have_cubin) return false;
    ASSAY_TRY(std::string text, read_file(ptx));
    parts.push_back({sources[i].filename().string(), std::move(text)});
    cubins.push_back(cubin);
  }
  const Result<std::string> linked = link_ptx(parts);
  if (!linked) {
    outcome.end = linked.error().message;
    append(outcome.output, linked.error().hint);
    return false;
  }
  ASSAY_CHECK(write_file_atomically(folder / kPtxName, *linked));
  return steps.link(cubins, folder / kCubinName, outcome);
}

}  // namespace

Result<CompileOutcome> compile(const Toolkit& toolkit, const CompileRequest& request, const fs::path& folder,
                               std::chrono::milliseconds time_limit) {
  const fs::path source = fs::absolute(request.source).lexically_normal();
  const fs::path ptx = fs::absolute(folder) / kPtxName;
  const fs::path cubin = fs::absolute(folder) / kCubinName;
  CompileOutcome outcome;
  ASSAY_TRY(const ScratchFolder scratch, ScratchFolder::make_in(fs::absolute(folder)));
  const Steps steps(toolkit, request, folder, scratch.path(), time_limit);
  if (request.link) {
    ASSAY_TRY(outcome.succeeded, compile_parts(steps, request, fs::absolute(folder), scratch.path(), outcome));
    return outcome;
  }
  if (source.extension() == ".ptx") {
    ASSAY_TRY(const std::string text, read_file(source));
    ASSAY_CHECK(write_file_atomically(ptx, text));
    outcome.dependencies.push_back(source.filename().string());
  } else {
    ASSAY_TRY(const bool have_ptx, steps.to_ptx(source, ptx, outcome));
    if (!have_ptx) return outcome;
  }
  ASSAY_TRY(outcome.succeeded, steps.to_cubin(ptx, cubin, outcome));
  // ptxas saw a copy, and its user knows the file by another name.
  if (source.extension() == ".ptx")
    outcome.output = replace_all(outcome.output, ptx.string(), source.filename().string());
  return outcome;
}

}  // namespace assay::build
