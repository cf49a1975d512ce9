// SPDX-License-Identifier: MIT
// What a texture request means to the virtual GPU.
#pragma once

#include "base/result.hpp"
#include "device/device.hpp"
#include "vgpu/machine/texture.hpp"

namespace assay::device {

Result<vgpu::Texture> virtual_texture(const TextureRequest& request);

}  // namespace assay::device
