// SPDX-License-Identifier: MIT
#include "check/lost_process.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace assay::check {

Error lost_process(const std::string& how, std::string_view errors, ExitCode otherwise) {
  constexpr size_t kMostShown = 2000;
  const std::string_view said = trim(errors).substr(0, kMostShown);
  Error error{
      fmt::format("the process that ran the kernel {}{}{}", how, said.empty() ? "" : ": ", said), {}, "", otherwise};
  if (!how.ends_with("SIGKILL") && !how.ends_with("SIGXCPU")) return error;
  error.hint = "this machine had too little memory for it, or a limit (ulimit) or somebody ended it";
  error.exit_code = ExitCode::environment;
  return error;
}

}  // namespace assay::check
