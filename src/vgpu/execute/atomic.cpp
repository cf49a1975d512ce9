// SPDX-License-Identifier: MIT
// Atomic read-modify-write. Blocks with atomics on global memory are interleaved (see machine/grid.cpp), so lanes
// simply take their turn here, the lowest first.
#include <array>
#include <bit>

#include "vgpu/execute/families.hpp"
#include "vgpu/execute/lanes.hpp"
#include "vgpu/execute/memory_access.hpp"
#include "vgpu/execute/type_dispatch.hpp"
#include "vgpu/machine/block.hpp"
#include "vgpu/semantics/float_arithmetic.hpp"
#include "vgpu/semantics/half_arithmetic.hpp"

namespace assay::vgpu {
namespace {

namespace s = semantics;

// Instruction::variant is the space; bits of `detail`:
constexpr uint32_t kWideAddress = 1;
constexpr uint32_t kNoResult = 2;  // red

// Operands: d (not for red), [a], b, and for cas c; d and b are vectors where Elements says so, each element atomic by
// itself. F gives the new value from the old one, b and c.
template <class T, auto F, size_t Elements = 1>
void update(Warp& warp, const Instruction& instruction) {
  warp.note_poll();
  const bool has_result = (instruction.detail & kNoResult) == 0;
  const uint32_t* rows = instruction.rows + (has_result ? Elements : 0);
  std::array<uint64_t, kLanes> addresses;
  read_addresses(warp, rows[0], (instruction.detail & kWideAddress) != 0, instruction.immediate, addresses);
  const LanePointers at = resolve(warp, instruction, static_cast<Space>(instruction.variant), AccessKind::atomic,
                                  sizeof(T) * Elements, addresses);
  if (warp.block().stopped()) return;
  alignas(64) T b[Elements][kLanes];
  alignas(64) T c[kLanes];
  // d may be the same register
  for (size_t element = 0; element < Elements; ++element)
    std::memcpy(b[element], warp.row<T>(rows[1 + element]), sizeof b[element]);
  const bool has_third = instruction.row_count > (has_result ? Elements : 0) + 1 + Elements;
  std::memcpy(c, warp.row<T>(rows[has_third ? 2 : 1]), sizeof c);
  for (size_t element = 0; element < Elements; ++element) {
    T* d = has_result ? warp.row<T>(instruction.rows[element]) : nullptr;
    for_each_lane(at.lanes, [&](int lane) {
      std::byte* const place = at.at[static_cast<size_t>(lane)] + sizeof(T) * element;
      T old;
      std::memcpy(&old, place, sizeof old);
      const T fresh = F(old, b[element][lane], c[lane]);
      std::memcpy(place, &fresh, sizeof fresh);
      if (d != nullptr) d[lane] = old;
    });
  }
}

template <class T>
constexpr T add_integer(T old, T b, T) {
  return static_cast<T>(old + b);
}
inline uint32_t add_f32(uint32_t old, uint32_t b, uint32_t) {
  return std::bit_cast<uint32_t>(
      s::add<s::Rounding::rn, false, false>(std::bit_cast<float>(old), std::bit_cast<float>(b)));
}
inline uint64_t add_f64(uint64_t old, uint64_t b, uint64_t) {
  return std::bit_cast<uint64_t>(s::add<s::Rounding::rn>(std::bit_cast<double>(old), std::bit_cast<double>(b)));
}
template <class Half>
uint16_t add_half(uint16_t old, uint16_t b, uint16_t) {
  return s::half_add<Half>(Half{old}, Half{b}).bits;
}
template <class Half>
uint16_t smaller_half(uint16_t old, uint16_t b, uint16_t) {
  return s::half_min<Half>(Half{old}, Half{b}).bits;
}
template <class Half>
uint16_t larger_half(uint16_t old, uint16_t b, uint16_t) {
  return s::half_max<Half>(Half{old}, Half{b}).bits;
}
// F on both halves of a word.
template <uint16_t (*F)(uint16_t, uint16_t, uint16_t)>
uint32_t both_halves(uint32_t old, uint32_t b, uint32_t) {
  const uint16_t low = F(static_cast<uint16_t>(old), static_cast<uint16_t>(b), 0);
  const uint16_t high = F(static_cast<uint16_t>(old >> 16), static_cast<uint16_t>(b >> 16), 0);
  return low | static_cast<uint32_t>(high) << 16;
}
template <class T, class Compared>
T smaller(T old, T b, T) {
  return static_cast<Compared>(b) < static_cast<Compared>(old) ? b : old;
}
template <class T, class Compared>
T larger(T old, T b, T) {
  return static_cast<Compared>(b) > static_cast<Compared>(old) ? b : old;
}
constexpr uint32_t increment(uint32_t old, uint32_t b, uint32_t) {
  return old >= b ? 0 : old + 1;
}
constexpr uint32_t decrement(uint32_t old, uint32_t b, uint32_t) {
  return old == 0 || old > b ? b : old - 1;
}
template <class T>
constexpr T join_and(T old, T b, T) {
  return old & b;
}
template <class T>
constexpr T join_or(T old, T b, T) {
  return old | b;
}
template <class T>
constexpr T join_xor(T old, T b, T) {
  return old ^ b;
}
template <class T>
constexpr T exchange(T, T b, T) {
  return b;
}
template <class T>
constexpr T compare_and_swap(T old, T b, T c) {
  return old == b ? c : old;
}

Space space_of(const BindContext& context) {
  if (context.has("global")) return Space::global;
  if (context.has("shared") || context.has("shared::cta") || context.has("shared::cluster")) return Space::shared;
  return Space::generic;
}

void set_address(BindContext& context) {
  const bool has_result = context.syntax->opcode == "atom";
  const BoundOperand& address = context.operands[has_result ? static_cast<size_t>(context.group_sizes[0]) : 0];
  const Space space = space_of(context);
  context.instruction->variant = static_cast<uint8_t>(space);
  context.instruction->immediate = address.offset;
  context.instruction->detail = (address.bits == 64 ? kWideAddress : 0) | (has_result ? 0 : kNoResult);
  if (space != Space::shared) context.function->communicates = true;
}

bool is_64_bits(const BindContext& context) {
  return ptx::info(context.type()).bits == 64;
}

Result<Handler> bind_add_integer(BindContext& context) {
  set_address(context);
  return is_64_bits(context) ? &update<uint64_t, add_integer<uint64_t>> : &update<uint32_t, add_integer<uint32_t>>;
}
Result<Handler> bind_add_float(BindContext& context) {
  set_address(context);
  return is_64_bits(context) ? &update<uint64_t, add_f64> : &update<uint32_t, add_f32>;
}
Result<Handler> bind_add_half(BindContext& context) {
  set_address(context);
  switch (context.type()) {
    case ptx::Type::f16:
      return &update<uint16_t, add_half<s::f16>>;
    case ptx::Type::bf16:
      return &update<uint16_t, add_half<s::bf16>>;
    case ptx::Type::f16x2:
      return &update<uint32_t, both_halves<add_half<s::f16>>>;
    default:
      return &update<uint32_t, both_halves<add_half<s::bf16>>>;
  }
}
template <class T, class Compared>
Handler min_or_max(bool min) {
  return min ? &update<T, smaller<T, Compared>> : &update<T, larger<T, Compared>>;
}
Result<Handler> bind_min_max(BindContext& context) {
  set_address(context);
  const bool min = context.has("min");
  switch (context.type()) {
    case ptx::Type::u32:
      return min_or_max<uint32_t, uint32_t>(min);
    case ptx::Type::s32:
      return min_or_max<uint32_t, int32_t>(min);
    case ptx::Type::u64:
      return min_or_max<uint64_t, uint64_t>(min);
    default:
      return min_or_max<uint64_t, int64_t>(min);
  }
}
Result<Handler> bind_wrap(BindContext& context) {
  set_address(context);
  return context.has("inc") ? &update<uint32_t, increment> : &update<uint32_t, decrement>;
}
template <class T>
Handler logic(const BindContext& context) {
  if (context.has("and")) return &update<T, join_and<T>>;
  if (context.has("or")) return &update<T, join_or<T>>;
  return &update<T, join_xor<T>>;
}
Result<Handler> bind_logic(BindContext& context) {
  set_address(context);
  return is_64_bits(context) ? logic<uint64_t>(context) : logic<uint32_t>(context);
}
Result<Handler> bind_exchange(BindContext& context) {
  set_address(context);
  return for_any_width(context, ptx::info(context.type()).bits, [](auto zero) -> Handler {
    using T = decltype(zero);
    return &update<T, exchange<T>>;
  });
}
Result<Handler> bind_compare_and_swap(BindContext& context) {
  set_address(context);
  return for_any_width(context, ptx::info(context.type()).bits, [](auto zero) -> Handler {
    using T = decltype(zero);
    return &update<T, compare_and_swap<T>>;
  });
}

// --- vectors

Result<int> vector_elements(const BindContext& context) {
  ASSAY_CHECK(need_hopper(context, "atomics on vectors"));
  constexpr int kMostBytes = 16;
  const int elements = context.has("v2") ? 2 : context.has("v4") ? 4 : 8;
  if (elements * ptx::bytes_of(context.type()) > kMostBytes) return context.error("the vector has more than 16 bytes");
  for (size_t group = 0; group < context.group_sizes.size(); ++group) {
    const bool is_address = context.syntax->opcode == "atom" ? group == 1 : group == 0;
    if (!is_address && context.group_sizes[group] != elements)
      return context.error("the vector and its modifier differ in length");
  }
  return elements;
}

template <class T, auto F>
Handler by_elements(int elements) {
  if (elements == 2) return &update<T, F, 2>;
  if constexpr (sizeof(T) == 2) {
    if (elements == 8) return &update<T, F, 8>;
  }
  return &update<T, F, 4>;
}
Result<Handler> bind_vector_add_float(BindContext& context) {
  ASSAY_TRY(const int elements, vector_elements(context));
  set_address(context);
  return by_elements<uint32_t, add_f32>(elements);
}
template <uint16_t (*F)(uint16_t, uint16_t, uint16_t)>
Handler half_or_halves(const BindContext& context, int elements) {
  return ptx::info(context.type()).bits == 32 ? by_elements<uint32_t, both_halves<F>>(elements)
                                              : by_elements<uint16_t, F>(elements);
}
template <class Half>
Handler half_vector(const BindContext& context, int elements) {
  if (context.has("min")) return half_or_halves<smaller_half<Half>>(context, elements);
  if (context.has("max")) return half_or_halves<larger_half<Half>>(context, elements);
  return half_or_halves<add_half<Half>>(context, elements);
}
Result<Handler> bind_vector_half(BindContext& context) {
  ASSAY_TRY(const int elements, vector_elements(context));
  set_address(context);
  const bool is_bf16 = context.type() == ptx::Type::bf16 || context.type() == ptx::Type::bf16x2;
  return is_bf16 ? half_vector<s::bf16>(context, elements) : half_vector<s::f16>(context, elements);
}

constexpr std::array kBindings = {
    Binding{"atom.add.int", bind_add_integer},
    Binding{"atom.add.float", bind_add_float},
    Binding{"atom.add.half", bind_add_half},
    Binding{"atom.minmax", bind_min_max},
    Binding{"atom.wrap", bind_wrap},
    Binding{"atom.logic", bind_logic},
    Binding{"atom.exch", bind_exchange},
    Binding{"atom.cas", bind_compare_and_swap},
    Binding{"red.add.int", bind_add_integer},
    Binding{"red.add.float", bind_add_float},
    Binding{"red.add.half", bind_add_half},
    Binding{"red.minmax", bind_min_max},
    Binding{"red.wrap", bind_wrap},
    Binding{"red.logic", bind_logic},
    Binding{"atom.vector.float", bind_vector_add_float},
    Binding{"atom.vector.half", bind_vector_half},
    Binding{"red.vector.float", bind_vector_add_float},
    Binding{"red.vector.half", bind_vector_half},
};

}  // namespace

std::span<const Binding> atomic_bindings() {
  return kBindings;
}

}  // namespace assay::vgpu
