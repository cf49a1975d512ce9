// SPDX-License-Identifier: MIT
// setp, set, selp and slct.
#include <array>

#include "vgpu/execute/comparer.hpp"
#include "vgpu/execute/families.hpp"
#include "vgpu/execute/lanes.hpp"
#include "vgpu/execute/type_dispatch.hpp"
#include "vgpu/semantics/float_bits.hpp"

namespace assay::vgpu {
namespace {

// Instruction::immediate holds the comparison where the handler does not know it.
int64_t as_immediate(CompareRows rows) {
  return reinterpret_cast<int64_t>(rows);
}
LaneMask compare_rows(const Instruction& instruction, const void* a, const void* b) {
  return reinterpret_cast<CompareRows>(instruction.immediate)(a, b);
}

// The comparison of the lower and of the upper halves of two rows.
struct PairLanes {
  LaneMask lower = 0;
  LaneMask upper = 0;
};

PairLanes compare_pairs(const Instruction& instruction, const uint32_t* a, const uint32_t* b) {
  alignas(64) uint16_t halves[4][kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    halves[0][lane] = static_cast<uint16_t>(a[lane]);
    halves[1][lane] = static_cast<uint16_t>(b[lane]);
    halves[2][lane] = static_cast<uint16_t>(a[lane] >> 16);
    halves[3][lane] = static_cast<uint16_t>(b[lane] >> 16);
  }
  return {compare_rows(instruction, halves[0], halves[1]), compare_rows(instruction, halves[2], halves[3])};
}

// --- setp -----------------------------------------------------------------------------------------------------------

void setp_pairs(Warp& warp, const Instruction& instruction) {
  const auto* a = warp.row<uint32_t>(instruction.rows[2]);
  const auto* b = warp.row<uint32_t>(instruction.rows[3]);
  const PairLanes lanes = compare_pairs(instruction, a, b);
  store_comparison(warp, instruction, lanes.lower, lanes.upper);
}

Result<Handler> bind_setp(BindContext& context) {
  ASSAY_TRY(const Comparer comparer, comparer_of(context, context.type()));
  context.instruction->variant = join_of(context);
  return comparer.setp;
}

Result<Handler> bind_setp_pairs(BindContext& context) {
  ASSAY_TRY(const Comparer comparer, comparer_of(context, context.type()));
  context.instruction->variant = join_of(context);
  context.instruction->immediate = as_immediate(comparer.rows);
  return &setp_pairs;
}

// --- set ------------------------------------------------------------------------------------------------------------

// What "true" is in the destination: Instruction::detail.
uint32_t true_value(ptx::Type type) {
  switch (type) {
    case ptx::Type::f32:
      return 0x3f800000u;
    case ptx::Type::f16:
    case ptx::Type::f16x2:
      return 0x3c00u;
    case ptx::Type::bf16:
    case ptx::Type::bf16x2:
      return 0x3f80u;
    default:
      return 0xffffffffu;
  }
}

template <class D>
void set(Warp& warp, const Instruction& instruction) {
  LaneMask lanes =
      compare_rows(instruction, warp.row<std::byte>(instruction.rows[1]), warp.row<std::byte>(instruction.rows[2]));
  lanes = joined(warp, instruction, instruction.row_count > 3 ? instruction.rows[3] : kNoRow, lanes);
  D* d = warp.row<D>(instruction.rows[0]);
  const auto yes = static_cast<D>(instruction.detail);
  for_each_lane(warp.mask, [&](int lane) { d[lane] = (lanes >> lane & 1) != 0 ? yes : D{0}; });
}

void set_pairs(Warp& warp, const Instruction& instruction) {
  const auto* a = warp.row<uint32_t>(instruction.rows[1]);
  const auto* b = warp.row<uint32_t>(instruction.rows[2]);
  PairLanes lanes = compare_pairs(instruction, a, b);
  const uint32_t row = instruction.row_count > 3 ? instruction.rows[3] : kNoRow;
  lanes.lower = joined(warp, instruction, row, lanes.lower);
  lanes.upper = joined(warp, instruction, row, lanes.upper);
  uint32_t* d = warp.row<uint32_t>(instruction.rows[0]);
  const uint32_t yes = instruction.detail & 0xffffu;
  for_each_lane(warp.mask, [&](int lane) {
    d[lane] = ((lanes.lower >> lane & 1) != 0 ? yes : 0u) | ((lanes.upper >> lane & 1) != 0 ? yes << 16 : 0u);
  });
}

Result<void> prepare_set(BindContext& context) {
  ASSAY_TRY(const Comparer comparer, comparer_of(context, context.type(1)));
  context.instruction->variant = join_of(context);
  context.instruction->immediate = as_immediate(comparer.rows);
  context.instruction->detail = true_value(context.type(0));
  return {};
}

Result<Handler> bind_set(BindContext& context) {
  ASSAY_CHECK(prepare_set(context));
  if (context.bits(0) == 16) return &set<uint16_t>;
  return &set<uint32_t>;
}

Result<Handler> bind_set_pairs(BindContext& context) {
  ASSAY_CHECK(prepare_set(context));
  return &set_pairs;
}

// --- selp, slct -----------------------------------------------------------------------------------------------------

template <class T>
class Selection {
 public:
  static Handler handler() { return has_wide_vectors() ? &wide : &plain; }

 private:
  ASSAY_FORCE_INLINE static void run(Warp& warp, const Instruction& instruction) {
    T* d = warp.row<T>(instruction.rows[0]);
    const T* a = warp.row<T>(instruction.rows[1]);
    const T* b = warp.row<T>(instruction.rows[2]);
    const LaneMask first = *warp.row<LaneMask>(instruction.rows[3]);
    const LaneMask mask = warp.mask;
    for (int lane = 0; lane < kLanes; ++lane) {
      const T chosen = (first >> lane & 1) != 0 ? a[lane] : b[lane];
      d[lane] = (mask >> lane & 1) != 0 ? chosen : d[lane];
    }
  }
  static void plain(Warp& warp, const Instruction& instruction) { run(warp, instruction); }
  ASSAY_WIDE_VECTORS static void wide(Warp& warp, const Instruction& instruction) { run(warp, instruction); }
};

Result<Handler> bind_selp(BindContext& context) {
  return for_width(context, context.bits(0), [](auto zero) { return Selection<decltype(zero)>::handler(); });
}

template <class T>
constexpr T select_by_integer(T a, T b, int32_t c) {
  return c >= 0 ? a : b;
}

// -0 counts as not negative, NaN as negative.
template <bool Ftz, class T>
constexpr T select_by_float(T a, T b, float c) {
  return semantics::flush<Ftz>(c) >= 0.0f ? a : b;
}

Result<Handler> bind_slct_integer(BindContext& context) {
  return for_width(context, context.bits(0), [](auto zero) {
    using T = decltype(zero);
    return Lanes<select_by_integer<T>, T, T, T, int32_t>::handler();
  });
}

Result<Handler> bind_slct_float(BindContext& context) {
  const bool ftz = context.has("ftz");
  return for_width(context, context.bits(0), [ftz](auto zero) {
    using T = decltype(zero);
    return ftz ? Lanes<select_by_float<true, T>, T, T, T, float>::handler()
               : Lanes<select_by_float<false, T>, T, T, T, float>::handler();
  });
}

constexpr std::array kBindings = {
    Binding{"setp.int", bind_setp},
    Binding{"setp.int.join", bind_setp},
    Binding{"setp.float", bind_setp},
    Binding{"setp.float.join", bind_setp},
    Binding{"setp.bf16", bind_setp},
    Binding{"setp.bf16.join", bind_setp},
    Binding{"setp.f16x2", bind_setp_pairs},
    Binding{"setp.f16x2.join", bind_setp_pairs},
    Binding{"setp.bf16x2", bind_setp_pairs},
    Binding{"setp.bf16x2.join", bind_setp_pairs},
    Binding{"set.int", bind_set},
    Binding{"set.int.join", bind_set},
    Binding{"set.float", bind_set},
    Binding{"set.float.join", bind_set},
    Binding{"set.f16", bind_set},
    Binding{"set.f16.join", bind_set},
    Binding{"set.bf16", bind_set},
    Binding{"set.bf16.join", bind_set},
    Binding{"set.f16x2", bind_set_pairs},
    Binding{"set.f16x2.join", bind_set_pairs},
    Binding{"set.bf16x2", bind_set_pairs},
    Binding{"set.bf16x2.join", bind_set_pairs},
    Binding{"selp", bind_selp},
    Binding{"slct.s32", bind_slct_integer},
    Binding{"slct.f32", bind_slct_float},
};

}  // namespace

std::span<const Binding> compare_bindings() {
  return kBindings;
}

}  // namespace assay::vgpu
