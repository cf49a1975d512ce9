// SPDX-License-Identifier: MIT
// SIMD video instructions: arithmetic on the halves or bytes of a register.
#include "vgpu/semantics/video.hpp"

#include <array>
#include <string_view>

#include "vgpu/execute/families.hpp"
#include "vgpu/execute/lanes.hpp"

namespace assay::vgpu {
namespace {

namespace s = semantics;

void compute(Warp& warp, const Instruction& instruction) {
  const auto& form = payload<s::VideoForm>(instruction);
  uint32_t* const d = warp.row<uint32_t>(instruction.rows[0]);
  const uint32_t* const a = warp.row<uint32_t>(instruction.rows[1]);
  const uint32_t* const b = warp.row<uint32_t>(instruction.rows[2]);
  const uint32_t* const c = warp.row<uint32_t>(instruction.rows[3]);
  for_each_lane(warp.mask, [&](int lane) { d[lane] = s::video(form, a[lane], b[lane], c[lane]); });
}

template <s::VideoOperation Operation, int Lanes>
Result<Handler> bind(BindContext& context) {
  const auto is_signed = [&](size_t type) { return context.type(type) == ptx::Type::s32; };
  context.keep(
      s::VideoForm{Operation, Lanes, is_signed(0), is_signed(1), is_signed(2), context.has("sat"), context.has("add")});
  return &compute;
}

using enum s::VideoOperation;

constexpr std::array kBindings = {
    Binding{"vadd2", bind<add, 2>},
    Binding{"vadd2.add", bind<add, 2>},
    Binding{"vsub2", bind<sub, 2>},
    Binding{"vsub2.add", bind<sub, 2>},
    Binding{"vavrg2", bind<average, 2>},
    Binding{"vavrg2.add", bind<average, 2>},
    Binding{"vabsdiff2", bind<absolute_difference, 2>},
    Binding{"vabsdiff2.add", bind<absolute_difference, 2>},
    Binding{"vmin2", bind<minimum, 2>},
    Binding{"vmin2.add", bind<minimum, 2>},
    Binding{"vmax2", bind<maximum, 2>},
    Binding{"vmax2.add", bind<maximum, 2>},
    Binding{"vadd4", bind<add, 4>},
    Binding{"vadd4.add", bind<add, 4>},
    Binding{"vsub4", bind<sub, 4>},
    Binding{"vsub4.add", bind<sub, 4>},
    Binding{"vavrg4", bind<average, 4>},
    Binding{"vavrg4.add", bind<average, 4>},
    Binding{"vabsdiff4", bind<absolute_difference, 4>},
    Binding{"vabsdiff4.add", bind<absolute_difference, 4>},
    Binding{"vmin4", bind<minimum, 4>},
    Binding{"vmin4.add", bind<minimum, 4>},
    Binding{"vmax4", bind<maximum, 4>},
    Binding{"vmax4.add", bind<maximum, 4>},
};

}  // namespace

std::span<const Binding> video_bindings() {
  return kBindings;
}

}  // namespace assay::vgpu
