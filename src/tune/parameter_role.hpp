// SPDX-License-Identifier: MIT
// What a parameter decides about a kernel, as far as its name tells: the names that Kernel Tuner's, CLBlast's, KTT's
// and Triton's users give them.
#pragma once

#include "tune/space.hpp"

namespace assay::tune {

enum class ParameterRole {
  other,
  threads,    // of a block, along one axis or all: block_size_x, MDIMC, WORK_GROUP_SIZE_X
  warps,      // of a block: NUM_WARPS
  of_thread,  // work of a thread: tile_size_x, WPTX, ITEMS
  of_block,   // work of a block: MWG, BLOCK_M
  vector,     // elements of one access: VWM, vector
};
inline constexpr size_t kParameterRoles = 6;

// `other` for whatever is not always a positive number.
ParameterRole role_of(const Parameter& parameter);

// It is the one along which threads are neighbours: block_size_x.
bool along_row(const Parameter& parameter);

}  // namespace assay::tune
