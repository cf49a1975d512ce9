// SPDX-License-Identifier: MIT
#include "build/debug_compile.hpp"

#include <algorithm>

#include "base/file.hpp"
#include "base/process.hpp"
#include "base/scratch_folder.hpp"

namespace assay::build {

Result<std::string> compile_for_debugging(const Toolkit& toolkit, const CompileRequest& request,
                                          std::chrono::milliseconds time_limit) {
  namespace fs = std::filesystem;
  ASSAY_TRY(const ScratchFolder scratch, ScratchFolder::make());
  const fs::path source = fs::absolute(request.source).lexically_normal();
  const fs::path ptx = fs::absolute(scratch.path()) / kPtxName;
  Command command;
  command.arguments = {toolkit.nvcc.string(), "-G", "-ptx", "-arch=" + virtual_architecture(request.target)};
  const bool standard = std::ranges::any_of(
      request.flags, [](const std::string& flag) { return flag.starts_with("-std") || flag.starts_with("--std"); });
  if (!standard) command.arguments.emplace_back("-std=c++17");
  for (const fs::path& folder : request.include_folders)
    command.arguments.push_back("-I" + fs::absolute(folder).lexically_normal().string());
  command.arguments.insert(command.arguments.end(), request.defines.begin(), request.defines.end());
  command.arguments.insert(command.arguments.end(), request.flags.begin(), request.flags.end());
  command.arguments.insert(command.arguments.end(), {source.filename().string(), "-o", ptx.string()});
  command.folder = source.parent_path();
  command.environment["TMPDIR"] = scratch.path().string();
  command.time_limit = time_limit;
  command.output_limit_bytes = size_t{1} << 20;
  ASSAY_TRY(const ProcessOutcome process, run(command));
  if (!process.succeeded()) return Error{"nvcc -G " + describe_end(process), {}, process.errors};
  return read_file(ptx);
}

}  // namespace assay::build
