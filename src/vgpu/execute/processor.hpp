// SPDX-License-Identifier: MIT
// What the host's processor can do. ASSAY_PLAIN=1 in the environment asks for the code that runs everywhere.
#pragma once

#define ASSAY_WIDE_VECTORS [[gnu::target("avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt")]]

namespace assay::vgpu {

bool has_wide_vectors();

}  // namespace assay::vgpu
