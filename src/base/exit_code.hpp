// SPDX-License-Identifier: MIT
// What a command's exit status says; the same for every command.
#pragma once

namespace assay {

enum class ExitCode : int {
  good = 0,
  internal = 1,      // a defect of ours
  usage = 2,         // the command line or a specification is wrong
  regression = 3,    // worse than before
  inconclusive = 4,  // not enough evidence
  incorrect = 5,     // wrong results, or a check failed
  environment = 6,   // this machine lacks something
};

}  // namespace assay
