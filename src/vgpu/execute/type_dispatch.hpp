// SPDX-License-Identifier: MIT
// From a PTX type to the C++ type that holds it: `pick` is called with a value of that type.
#pragma once

#include <cstdint>

#include "vgpu/execute/binding.hpp"

namespace assay::vgpu {

// u16 ... s64.
template <class Pick>
Result<Handler> for_integer(BindContext& context, ptx::Type type, Pick pick) {
  switch (type) {
    case ptx::Type::u16:
      return pick(uint16_t{});
    case ptx::Type::u32:
      return pick(uint32_t{});
    case ptx::Type::u64:
      return pick(uint64_t{});
    case ptx::Type::s16:
      return pick(int16_t{});
    case ptx::Type::s32:
      return pick(int32_t{});
    case ptx::Type::s64:
      return pick(int64_t{});
    default:
      return context.error("this type is not an integer");
  }
}

// By width alone: 16, 32 or 64 bits.
template <class Pick>
Result<Handler> for_width(BindContext& context, int bits, Pick pick) {
  switch (bits) {
    case 16:
      return pick(uint16_t{});
    case 32:
      return pick(uint32_t{});
    case 64:
      return pick(uint64_t{});
    default:
      return context.error("no register has this width");
  }
}

// The same, and 128 bits, which are moved, exchanged and compared, and nothing else.
__extension__ using Bits128 = unsigned __int128;
template <class Pick>
Result<Handler> for_any_width(BindContext& context, int bits, Pick pick) {
  return bits == 128 ? Result<Handler>(pick(Bits128{})) : for_width(context, bits, pick);
}

}  // namespace assay::vgpu
