// SPDX-License-Identifier: MIT
// Starts programs such that nothing of them outlives us. Between us and each program stands a supervisor: a copy of
// this process that does nothing but wait. It adopts whatever the program leaves behind, also what went into a session
// of its own (PR_SET_CHILD_SUBREAPER), and ends all of it when the program ends, when we say so, or when we are gone,
// however that came about: it does not depend on us to clean up. It ignores what the terminal sends. A program may kill or
// stop its supervisor, whose number it knows; a guard before it then does the work, and the supervisor does it where the
// guard is killed.
//
//   we --- guard --- supervisor --- program --- whatever the program starts
#pragma once

#include <optional>
#include <sys/types.h>

#include "base/command.hpp"
#include "base/result.hpp"

namespace assay {

// How a program ended by itself or was ended.
struct ProgramEnd {
  int exit_status = -1;  // meaningful without a signal
  int signal = 0;
};

struct SupervisedProgram {
  pid_t supervisor = -1;  // our child: the guard
  int control = -1;       // to the supervisor: the ProgramEnd arrives here; closes when nothing is left
  int input = -1;         // all three do not block
  int output = -1;
  int errors = -1;
};

// An error means that the program could not be started.
Result<SupervisedProgram> start_supervised(const Command& command);

// What the supervisor has said so far, waiting no longer than the limit. Empty: the program still runs.
std::optional<ProgramEnd> program_end(int control, std::chrono::milliseconds limit);

// Ends the program and whatever it started, and waits until they are gone; not longer than some seconds, as a process
// within a driver's call cannot be ended. Closes `control`. Returns how the program ended, if it is known.
std::optional<ProgramEnd> end_supervised(pid_t supervisor, int control);

}  // namespace assay
