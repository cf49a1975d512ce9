// SPDX-License-Identifier: MIT
#include "build/compile.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/file.hpp"
#include "base/process.hpp"
#include "base/scratch_folder.hpp"
#include "base/text.hpp"

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

Result<CompileOutcome> compile(const Toolkit& toolkit, const CompileRequest& request, const fs::path& folder,
                               std::chrono::milliseconds time_limit) {
  const fs::path source = fs::absolute(request.source).lexically_normal();
  const fs::path ptx = fs::absolute(folder) / kPtxName;
  const fs::path cubin = fs::absolute(folder) / kCubinName;
  const fs::path rule = fs::absolute(folder) / kDependencyName;
  CompileOutcome outcome;
  ASSAY_TRY(const ScratchFolder scratch, ScratchFolder::make_in(fs::absolute(folder)));

  // Run in the source's folder and name the source without it: then local dependencies come out relative.
  std::vector<std::string> to_ptx = shared_arguments(toolkit, request, source.parent_path());
  to_ptx.insert(to_ptx.end(), {"-ptx", "-arch=" + virtual_architecture(request.target), source.filename().string(),
                               "-o", ptx.string(), "-MD", "-MF", rule.string()});
  ASSAY_TRY(const bool have_ptx,
            step(to_ptx, source.parent_path(), scratch.path(), time_limit, ptx, outcome.output, outcome));
  if (!have_ptx) return outcome;
  ASSAY_TRY(const std::string raw, read_file(ptx));
  // nvcc resolves symbolic links, so the folder may appear by either name.
  std::error_code ignored;
  const fs::path real_folder = fs::weakly_canonical(source.parent_path(), ignored);
  const std::string half = relocate_file_names(raw, real_folder, toolkit.root());
  ASSAY_CHECK(write_file_atomically(ptx, relocate_file_names(half, source.parent_path(), toolkit.root())));
  ASSAY_TRY(const std::string rule_text, read_file(rule));
  outcome.dependencies = read_dependency_rule(rule_text);

  std::vector<std::string> to_cubin = shared_arguments(toolkit, request, source.parent_path());
  to_cubin.insert(to_cubin.end(),
                  {"-cubin", "-arch=" + request.target, "-Xptxas", "-v", ptx.string(), "-o", cubin.string()});
  ASSAY_TRY(const bool have_cubin,
            step(to_cubin, source.parent_path(), scratch.path(), time_limit, cubin, outcome.ptxas_output, outcome));
  if (!have_cubin) {
    append(outcome.output, outcome.ptxas_output);
    return outcome;
  }
  outcome.succeeded = true;
  return outcome;
}

}  // namespace assay::build
