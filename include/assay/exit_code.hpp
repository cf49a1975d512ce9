// SPDX-License-Identifier: MIT
// See base/exit_code.hpp: an installed tree has it beside this file.
#pragma once

#include "base/exit_code.hpp"
