// SPDX-License-Identifier: MIT
// See base/result.hpp: an installed tree has it beside this file.
#pragma once

#include "base/result.hpp"
