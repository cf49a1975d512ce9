// SPDX-License-Identifier: MIT
// A texture or surface with numbers in it: what it makes of its tensor, and what the hardware allows.
#pragma once

#include <string>

#include "base/result.hpp"
#include "spec/kernel_spec.hpp"
#include "spec/resolved_argument.hpp"

namespace assay::spec {

// `with` names the shape, for messages. `of` is left open.
Result<ResolvedTexture> resolve_texture(const TextureSpec& texture, const std::string& argument,
                                        const ResolvedTensor& tensor, const std::string& with);

// Whether `tensor` can be the mipmap's level behind `before`; `level` counts from 0, which is level 1.
Result<void> check_level(const TextureSpec& texture, const std::string& argument, size_t level,
                         const ResolvedTensor& before, const ResolvedTensor& tensor, const std::string& with);

}  // namespace assay::spec
