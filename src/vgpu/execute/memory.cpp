// SPDX-License-Identifier: MIT
// ld and st, in every space. A register may be wider than the value in memory: loads extend, stores cut.
#include <array>
#include <cstring>
#include <fmt/format.h>

#include "vgpu/execute/families.hpp"
#include "vgpu/execute/lanes.hpp"
#include "vgpu/execute/memory_access.hpp"
#include "vgpu/execute/type_dispatch.hpp"
#include "vgpu/machine/block.hpp"

namespace assay::vgpu {
namespace {

// Instruction::variant is the space; `wide` addresses have 64 bits.
constexpr uint32_t kWideAddress = 1;
constexpr uint32_t kOrdered = 2;  // volatile, relaxed or acquire: it may wait for other threads

template <class Memory, class Register, int Elements>
void load(Warp& warp, const Instruction& instruction) {
  std::array<uint64_t, kLanes> addresses;
  if ((instruction.detail & kOrdered) != 0) warp.note_poll();
  const uint32_t address_row = instruction.rows[Elements];
  read_addresses(warp, address_row, (instruction.detail & kWideAddress) != 0, instruction.immediate, addresses);
  const LanePointers from = resolve(warp, instruction, static_cast<Space>(instruction.variant), AccessKind::load,
                                    sizeof(Memory) * Elements, addresses);
  if (warp.block().stopped()) return;
  // Lanes that an observer refused read zero.
  for (int element = 0; element < Elements; ++element) {
    Register* d = warp.row<Register>(instruction.rows[element]);
    const auto read = [&](int lane) {
      Memory value;
      std::memcpy(&value, from.at[static_cast<size_t>(lane)] + sizeof(Memory) * static_cast<size_t>(element),
                  sizeof value);
      d[lane] = static_cast<Register>(value);
    };
    if (from.lanes == kAllLanes) {
      for (int lane = 0; lane < kLanes; ++lane) read(lane);
    } else {
      for_each_lane(from.lanes, read);
      for_each_lane(warp.mask & ~from.lanes, [&](int lane) { d[lane] = 0; });
    }
  }
}

template <class Memory, class Register, int Elements>
void store(Warp& warp, const Instruction& instruction) {
  std::array<uint64_t, kLanes> addresses;
  read_addresses(warp, instruction.rows[0], (instruction.detail & kWideAddress) != 0, instruction.immediate, addresses);
  const LanePointers to = resolve(warp, instruction, static_cast<Space>(instruction.variant), AccessKind::store,
                                  sizeof(Memory) * Elements, addresses);
  if (warp.block().stopped()) return;
  const Register* rows[Elements];
  for (int element = 0; element < Elements; ++element)
    rows[element] = warp.row<Register>(instruction.rows[1 + element]);
  // Lane by lane: where two lanes write to one place the higher one wins, whatever the vector width of the host.
  for_each_lane(to.lanes, [&](int lane) {
    Memory values[Elements];
    for (int element = 0; element < Elements; ++element) values[element] = static_cast<Memory>(rows[element][lane]);
    std::memcpy(to.at[static_cast<size_t>(lane)], values, sizeof values);
  });
}

// Parameters of kernels: the same for all lanes, in the launch.
template <class Memory, class Register, int Elements>
void load_kernel_parameter(Warp& warp, const Instruction& instruction) {
  const std::byte* from = warp.block().grid().launch.parameters.data() + instruction.immediate;
  for (int element = 0; element < Elements; ++element) {
    Memory value;
    std::memcpy(&value, from + sizeof(Memory) * static_cast<size_t>(element), sizeof value);
    Register* d = warp.row<Register>(instruction.rows[element]);
    for_each_lane(warp.mask, [&](int lane) { d[lane] = static_cast<Register>(value); });
  }
}

// Parameters and results of functions: each lane has its own.
template <class Memory, class Register, int Elements>
void load_lane_parameter(Warp& warp, const Instruction& instruction) {
  const Frame& frame = warp.frame();
  for_each_lane(warp.mask, [&](int lane) {
    const std::byte* from =
        frame.parameters.get() + static_cast<size_t>(lane) * frame.function->parameter_bytes + instruction.immediate;
    for (int element = 0; element < Elements; ++element) {
      Memory value;
      std::memcpy(&value, from + sizeof(Memory) * static_cast<size_t>(element), sizeof value);
      warp.row<Register>(instruction.rows[element])[lane] = static_cast<Register>(value);
    }
  });
}

template <class Memory, class Register, int Elements>
void store_lane_parameter(Warp& warp, const Instruction& instruction) {
  const Frame& frame = warp.frame();
  for_each_lane(warp.mask, [&](int lane) {
    std::byte* to =
        frame.parameters.get() + static_cast<size_t>(lane) * frame.function->parameter_bytes + instruction.immediate;
    for (int element = 0; element < Elements; ++element) {
      const auto value = static_cast<Memory>(warp.row<Register>(instruction.rows[1 + element])[lane]);
      std::memcpy(to + sizeof(Memory) * static_cast<size_t>(element), &value, sizeof value);
    }
  });
}

// --- picking the handler by memory type, register width and number of elements

enum class Shape { load, store, load_kernel_parameter, load_lane_parameter, store_lane_parameter };

template <Shape S, class Memory, class Register, int Elements>
constexpr Handler instance() {
  if constexpr (S == Shape::load) return &load<Memory, Register, Elements>;
  if constexpr (S == Shape::store) return &store<Memory, Register, Elements>;
  if constexpr (S == Shape::load_kernel_parameter) return &load_kernel_parameter<Memory, Register, Elements>;
  if constexpr (S == Shape::load_lane_parameter) return &load_lane_parameter<Memory, Register, Elements>;
  if constexpr (S == Shape::store_lane_parameter) return &store_lane_parameter<Memory, Register, Elements>;
}

template <Shape S, class Memory, class Register>
Result<Handler> by_elements(BindContext& context, int elements) {
  switch (elements) {
    case 1:
      return instance<S, Memory, Register, 1>();
    case 2:
      return instance<S, Memory, Register, 2>();
    case 4:
      return instance<S, Memory, Register, 4>();
    case 8:
      return instance<S, Memory, Register, 8>();
    default:
      return context.error("a vector has 2, 4 or 8 elements");
  }
}

template <Shape S, class Memory>
Result<Handler> by_register(BindContext& context, int register_bits, int elements) {
  if constexpr (sizeof(Memory) <= 2) {
    if (register_bits == 16)
      return by_elements<S, Memory, std::conditional_t<std::is_signed_v<Memory>, int16_t, uint16_t>>(context, elements);
  }
  if constexpr (sizeof(Memory) <= 4) {
    if (register_bits == 32)
      return by_elements<S, Memory, std::conditional_t<std::is_signed_v<Memory>, int32_t, uint32_t>>(context, elements);
  }
  if (register_bits == 64)
    return by_elements<S, Memory, std::conditional_t<std::is_signed_v<Memory>, int64_t, uint64_t>>(context, elements);
  return context.error("the register is narrower than the value in memory");
}

template <Shape S>
Result<Handler> by_memory(BindContext& context, int register_bits, int elements) {
  using ptx::Type;
  switch (context.type()) {
    case Type::b8:
    case Type::u8:
      return by_register<S, uint8_t>(context, register_bits, elements);
    case Type::s8:
      return by_register<S, int8_t>(context, register_bits, elements);
    case Type::b16:
    case Type::u16:
      return by_register<S, uint16_t>(context, register_bits, elements);
    case Type::s16:
      return by_register<S, int16_t>(context, register_bits, elements);
    case Type::b32:
    case Type::u32:
    case Type::f32:
      return by_register<S, uint32_t>(context, register_bits, elements);
    case Type::s32:
      return by_register<S, int32_t>(context, register_bits, elements);
    case Type::b64:
    case Type::u64:
    case Type::s64:
    case Type::f64:
      return by_register<S, uint64_t>(context, register_bits, elements);
    case Type::b128:
      if (elements != 1 || register_bits != 128) return context.error("a vector of this type is not possible");
      return instance<S, Bits128, Bits128, 1>();
    default:
      return context.error("loads and stores of this type are not supported");
  }
}

Result<int> element_count(const BindContext& context, size_t group) {
  const int expected = context.has("v2") ? 2 : context.has("v4") ? 4 : context.has("v8") ? 8 : 1;
  if (context.group_sizes[group] != expected) return context.error("the vector and its modifier differ in length");
  return expected;
}

Result<void> check_register_widths(const BindContext& context, size_t first, int count) {
  for (int i = 1; i < count; ++i) {
    if (context.bits(first + static_cast<size_t>(i)) != context.bits(first)) {
      return context.error("the registers of a vector differ in width");
    }
  }
  return {};
}

bool is_parameter_access(const BindContext& context) {
  return context.has("param") || context.has("param::entry") || context.has("param::func");
}

Space space_of(const BindContext& context) {
  if (context.has("global")) return Space::global;
  if (context.has("shared") || context.has("shared::cta") || context.has("shared::cluster")) return Space::shared;
  if (context.has("local")) return Space::local;
  if (context.has("const")) return Space::constant;
  if (is_parameter_access(context)) return Space::parameter;
  return Space::generic;
}

bool is_ordered(const BindContext& context) {
  return context.has("volatile") || context.has("acquire") || context.has("release") || context.has("relaxed");
}

// Accesses that other blocks may wait for make the launch interleave its blocks.
void note_communication(BindContext& context) {
  const Space space = space_of(context);
  const bool visible = space == Space::global || space == Space::generic;
  if (visible && is_ordered(context)) context.function->communicates = true;
}

void set_address(BindContext& context, const BoundOperand& address) {
  context.instruction->variant = static_cast<uint8_t>(space_of(context));
  context.instruction->immediate = address.offset;
  context.instruction->detail = (address.bits == 64 ? kWideAddress : 0u) | (is_ordered(context) ? kOrdered : 0u);
}

// Where a parameter lies is known now: the address becomes the immediate, after a look at its bounds.
Result<void> set_parameter_offset(BindContext& context, const BoundOperand& address, int bytes, uint64_t limit) {
  const int64_t offset = static_cast<int64_t>(address.value) + address.offset;
  if (offset < 0 || static_cast<uint64_t>(offset) + static_cast<uint64_t>(bytes) > limit) {
    return context.error("the access goes beyond the parameters");
  }
  context.instruction->immediate = offset;
  return {};
}

uint64_t kernel_parameter_bytes(const Function& function) {
  return function.parameters.empty() ? 0
                                     : uint64_t{function.parameters.back().offset} + function.parameters.back().bytes;
}

// Only what may lie in global memory is cached in L2.
Result<void> check_hint(const BindContext& context) {
  const Space space = space_of(context);
  if (!context.has("L2::cache_hint") || space == Space::global || space == Space::generic) return {};
  return context.error("a cache policy is for global memory");
}

Result<Handler> bind_load(BindContext& context) {
  ASSAY_CHECK(check_hint(context));
  ASSAY_TRY(const int elements, element_count(context, 0));
  ASSAY_CHECK(check_register_widths(context, 0, elements));
  note_communication(context);
  const BoundOperand& address = context.operands[static_cast<size_t>(elements)];
  const int bytes = ptx::bytes_of(context.type()) * elements;
  if (is_parameter_access(context) && address.is_immediate) {
    if (address.is_lane_parameter) {
      ASSAY_CHECK(set_parameter_offset(context, address, bytes, context.function->parameter_bytes));
      return by_memory<Shape::load_lane_parameter>(context, context.bits(0), elements);
    }
    ASSAY_CHECK(set_parameter_offset(context, address, bytes, kernel_parameter_bytes(*context.function)));
    return by_memory<Shape::load_kernel_parameter>(context, context.bits(0), elements);
  }
  set_address(context, address);
  return by_memory<Shape::load>(context, context.bits(0), elements);
}

Result<Handler> bind_store(BindContext& context) {
  ASSAY_CHECK(check_hint(context));
  ASSAY_TRY(const int elements, element_count(context, 1));
  ASSAY_CHECK(check_register_widths(context, 1, elements));
  note_communication(context);
  const BoundOperand& address = context.operands[0];
  const int bytes = ptx::bytes_of(context.type()) * elements;
  if (is_parameter_access(context)) {
    if (!address.is_lane_parameter) return context.error("a kernel's parameters cannot be written");
    ASSAY_CHECK(set_parameter_offset(context, address, bytes, context.function->parameter_bytes));
    return by_memory<Shape::store_lane_parameter>(context, context.bits(1), elements);
  }
  set_address(context, address);
  return by_memory<Shape::store>(context, context.bits(1), elements);
}

void prefetch(Warp&, const Instruction&) {}

Result<Handler> bind_prefetch(BindContext&) {
  return &prefetch;
}

// What the memory holds after a discard is open until it is written again; that it stays as it was is a legal choice.
Result<Handler> bind_cache_line(BindContext& context) {
  const BoundOperand& bytes = context.operands[1];
  if (!bytes.is_immediate || bytes.value != 128)
    return context.error(fmt::format("{} takes 128 bytes", context.syntax->opcode));
  return &prefetch;
}

void create_policy(Warp& warp, const Instruction& instruction) {
  auto* d = warp.row<uint64_t>(instruction.rows[0]);
  for_each_lane(warp.mask, [&](int lane) { d[lane] = 0; });
}

Result<Handler> bind_create_policy(BindContext&) {
  return &create_policy;
}

constexpr std::array kBindings = {
    Binding{"ld", bind_load},
    Binding{"ld.nc", bind_load},
    Binding{"ld.ordered", bind_load},
    Binding{"ldu", bind_load},
    Binding{"st", bind_store},
    Binding{"st.ordered", bind_store},
    Binding{"prefetch", bind_prefetch},
    Binding{"prefetchu", bind_prefetch},
    Binding{"discard", bind_cache_line},
    Binding{"applypriority", bind_cache_line},
    Binding{"createpolicy", bind_create_policy},
    Binding{"createpolicy.range", bind_create_policy},
    Binding{"createpolicy.cvt", bind_create_policy},
};

}  // namespace

std::span<const Binding> memory_bindings() {
  return kBindings;
}

}  // namespace assay::vgpu
