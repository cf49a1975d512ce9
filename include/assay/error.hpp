// SPDX-License-Identifier: MIT
// See base/error.hpp: an installed tree has it beside this file.
#pragma once

#include "base/error.hpp"
