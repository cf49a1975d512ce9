// SPDX-License-Identifier: MIT
#include "vgpu/execute/comparer.hpp"

#include <array>

#include "vgpu/execute/lanes.hpp"
#include "vgpu/semantics/compare.hpp"
#include "vgpu/semantics/half.hpp"

namespace assay::vgpu {
namespace {

using semantics::bf16;
using semantics::Comparison;
using semantics::f16;
using semantics::Join;

// F: bool(T, T).
template <auto F, class T>
class ComparedRows {
 public:
  static Comparer comparer() {
    return has_wide_vectors() ? Comparer{&wide, &wide_rows} : Comparer{&plain, &plain_rows};
  }

 private:
  ASSAY_FORCE_INLINE static LaneMask evaluate(const void* a, const void* b) {
    const T* x = static_cast<const T*>(a);
    const T* y = static_cast<const T*>(b);
    LaneMask lanes = 0;
    for (int lane = 0; lane < kLanes; ++lane) lanes |= static_cast<LaneMask>(F(x[lane], y[lane]) ? 1u : 0u) << lane;
    return lanes;
  }
  ASSAY_FORCE_INLINE static void run(Warp& warp, const Instruction& instruction) {
    const LaneMask lanes = evaluate(warp.row<T>(instruction.rows[2]), warp.row<T>(instruction.rows[3]));
    store_comparison(warp, instruction, lanes, ~lanes);
  }
  [[gnu::flatten]] static void plain(Warp& warp, const Instruction& instruction) { run(warp, instruction); }
  ASSAY_WIDE_VECTORS [[gnu::flatten]] static void wide(Warp& warp, const Instruction& instruction) {
    run(warp, instruction);
  }
  [[gnu::flatten]] static LaneMask plain_rows(const void* a, const void* b) { return evaluate(a, b); }
  ASSAY_WIDE_VECTORS [[gnu::flatten]] static LaneMask wide_rows(const void* a, const void* b) { return evaluate(a, b); }
};

template <Comparison C, bool Ftz, class T>
constexpr bool compare_halves(T a, T b) {
  return semantics::compare<C, false, float>(to_float(semantics::flush<Ftz>(a)), to_float(semantics::flush<Ftz>(b)));
}

struct ComparisonName {
  std::string_view name;
  Comparison comparison;
};

using enum Comparison;
constexpr std::array kNames = {
    ComparisonName{"eq", eq},   ComparisonName{"ne", ne},   ComparisonName{"lt", lt},   ComparisonName{"le", le},
    ComparisonName{"gt", gt},   ComparisonName{"ge", ge},   ComparisonName{"equ", equ}, ComparisonName{"neu", neu},
    ComparisonName{"ltu", ltu}, ComparisonName{"leu", leu}, ComparisonName{"gtu", gtu}, ComparisonName{"geu", geu},
    ComparisonName{"num", num}, ComparisonName{"nan", nan}, ComparisonName{"lo", lo},   ComparisonName{"ls", ls},
    ComparisonName{"hi", hi},   ComparisonName{"hs", hs},
};

Comparison comparison_of(const BindContext& context) {
  for (const ComparisonName& entry : kNames) {
    if (context.has(entry.name)) return entry.comparison;
  }
  return eq;  // not reached: every row of setp and set demands a comparison
}

template <Comparison C, class T>
Comparer integers() {
  return ComparedRows<semantics::compare<C, false, T>, T>::comparer();
}

// lo, ls, hi and hs are for unsigned integers alone.
template <class T>
Result<Comparer> compare_order(const BindContext& context, Comparison comparison) {
  switch (comparison) {
    case lt:
      return integers<lt, T>();
    case le:
      return integers<le, T>();
    case gt:
      return integers<gt, T>();
    case ge:
      return integers<ge, T>();
    default:
      break;
  }
  if constexpr (std::is_unsigned_v<T>) {
    switch (comparison) {
      case lo:
        return integers<lt, T>();
      case ls:
        return integers<le, T>();
      case hi:
        return integers<gt, T>();
      case hs:
        return integers<ge, T>();
      default:
        break;
    }
  }
  return context.error("this comparison is not made for this type");
}

template <class T>
Result<Comparer> compare_integers(const BindContext& context, bool ordered) {
  using U = std::make_unsigned_t<T>;
  const Comparison comparison = comparison_of(context);
  if (comparison == eq) return integers<eq, U>();
  if (comparison == ne) return integers<ne, U>();
  if (!ordered) return context.error("plain bits are equal or not, but have no order");
  return compare_order<T>(context, comparison);
}

// pick<C>() for a comparison of floats.
template <class Pick>
Comparer for_comparison(Comparison comparison, Pick pick) {
  switch (comparison) {
    case eq:
      return pick.template operator()<eq>();
    case ne:
      return pick.template operator()<ne>();
    case lt:
      return pick.template operator()<lt>();
    case le:
      return pick.template operator()<le>();
    case gt:
      return pick.template operator()<gt>();
    case ge:
      return pick.template operator()<ge>();
    case equ:
      return pick.template operator()<equ>();
    case neu:
      return pick.template operator()<neu>();
    case ltu:
      return pick.template operator()<ltu>();
    case leu:
      return pick.template operator()<leu>();
    case gtu:
      return pick.template operator()<gtu>();
    case geu:
      return pick.template operator()<geu>();
    case num:
      return pick.template operator()<num>();
    default:
      return pick.template operator()<nan>();
  }
}

template <class T, bool Ftz>
Comparer compare_floats(const BindContext& context) {
  return for_comparison(comparison_of(context), []<Comparison C>() {
    if constexpr (semantics::kIsHalf<T>) {
      return ComparedRows<compare_halves<C, Ftz, T>, T>::comparer();
    } else {
      return ComparedRows<semantics::compare<C, Ftz, T>, T>::comparer();
    }
  });
}

}  // namespace

Result<Comparer> comparer_of(const BindContext& context, ptx::Type type) {
  using ptx::Type;
  const bool ftz = context.has("ftz");
  switch (type) {
    case Type::b16:
      return compare_integers<uint16_t>(context, false);
    case Type::b32:
      return compare_integers<uint32_t>(context, false);
    case Type::b64:
      return compare_integers<uint64_t>(context, false);
    case Type::u16:
      return compare_integers<uint16_t>(context, true);
    case Type::u32:
      return compare_integers<uint32_t>(context, true);
    case Type::u64:
      return compare_integers<uint64_t>(context, true);
    case Type::s16:
      return compare_integers<int16_t>(context, true);
    case Type::s32:
      return compare_integers<int32_t>(context, true);
    case Type::s64:
      return compare_integers<int64_t>(context, true);
    case Type::f32:
      return ftz ? compare_floats<float, true>(context) : compare_floats<float, false>(context);
    case Type::f64:
      return compare_floats<double, false>(context);
    case Type::f16:
    case Type::f16x2:
      return ftz ? compare_floats<f16, true>(context) : compare_floats<f16, false>(context);
    case Type::bf16:
    case Type::bf16x2:
      return compare_floats<bf16, false>(context);
    default:
      return context.error("values of this type cannot be compared");
  }
}

uint8_t join_of(const BindContext& context) {
  using enum Join;
  const Join join = context.has("and")   ? logical_and
                    : context.has("or")  ? logical_or
                    : context.has("xor") ? logical_xor
                                         : none;
  return static_cast<uint8_t>(join);
}

LaneMask joined(const Warp& warp, const Instruction& instruction, uint32_t row, LaneMask lanes) {
  switch (static_cast<Join>(instruction.variant)) {
    case Join::none:
      return lanes;
    case Join::logical_and:
      return lanes & *warp.row<LaneMask>(row);
    case Join::logical_or:
      return lanes | *warp.row<LaneMask>(row);
    case Join::logical_xor:
      return lanes ^ *warp.row<LaneMask>(row);
  }
  return lanes;
}

void store_comparison(Warp& warp, const Instruction& instruction, LaneMask first, LaneMask second) {
  if (static_cast<Join>(instruction.variant) != Join::none) {
    first = joined(warp, instruction, instruction.rows[4], first);
    second = joined(warp, instruction, instruction.rows[4], second);
  }
  store_predicate(warp, instruction.rows[0], first);
  if (instruction.rows[1] != kNoRow) store_predicate(warp, instruction.rows[1], second);
}

}  // namespace assay::vgpu
