// SPDX-License-Identifier: MIT
#include "vgpu/observe/block_initialisation_check.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <utility>

#include "vgpu/machine/access_fault.hpp"
#include "vgpu/observe/each_lane.hpp"

namespace assay::vgpu {
namespace {

bool all_defined(std::span<const Code> codes) {
  size_t at = 0;
  for (; at + sizeof(uint64_t) <= codes.size(); at += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, codes.data() + at, sizeof word);
    if (word != 0) return false;
  }
  return std::all_of(codes.begin() + static_cast<std::ptrdiff_t>(at), codes.end(),
                     [](Code each) { return each == code::kDefined; });
}

Code worst(std::span<const Code> codes) {
  return codes.empty() ? code::kDefined : *std::max_element(codes.begin(), codes.end());
}

bool is_wanted(uint32_t used_bytes, size_t byte) {
  return byte >= 32 || (used_bytes >> byte & 1) != 0;
}

// From the lowest to the end of the highest.
std::pair<uint64_t, uint64_t> range_of(const Access& access) {
  uint64_t lowest = ~uint64_t{0};
  uint64_t highest = 0;
  for_each(access.lanes, [&](int lane) {
    lowest = std::min(lowest, access.addresses[lane]);
    highest = std::max(highest, access.addresses[lane]);
  });
  return {lowest, highest + access.bytes};
}

// Calls body(codes of a lane, 0 of the widest type that they are a multiple of): words instead of ranges whose length
// nobody knows, which would be a call of memset for every lane. `codes` are those from the address `first` on.
template <class CodePointer, class Body>
void for_each_word(const Access& access, CodePointer codes, uint64_t first, Body body) {
  const auto with = [&](auto word) {
    for_each(access.lanes, [&](int lane) {
      for (uint32_t byte = 0; byte < access.bytes; byte += sizeof word)
        body(codes + (access.addresses[lane] - first) + byte, word);
    });
  };
  static_assert(sizeof(Code) == 1);
  if (access.bytes % sizeof(uint64_t) == 0) return with(uint64_t{0});
  if (access.bytes % sizeof(uint32_t) == 0) return with(uint32_t{0});
  if (access.bytes % sizeof(uint16_t) == 0) return with(uint16_t{0});
  return with(uint8_t{0});
}

}  // namespace

BlockInitialisationCheck::BlockInitialisationCheck(InitialisationCheck& check, const Block& of)
    : block(of), check_(check), shared_(of.shared_bytes(), code::kUnwritten) {
  // What the system reserves is not for the kernel to write first: cooperative groups clear single bits of it.
  const Grid& grid = of.grid();
  if (grid.launch.kernel->reserved_shared)
    std::fill(shared_.begin() + grid.reserved_shared_begin(), shared_.end(), code::kDefined);
}

ExecutedStep BlockInitialisationCheck::executed(const Warp& warp, const Instruction& instruction,
                                                LaneMask lanes) const {
  const Function& function = *warp.frame().function;
  return {warp, function, instruction, step_of(function, instruction), lanes, operands_in_memory_};
}

// --- shadows

// Made when a frame is first seen. A called function begins with what its caller passes, and with fresh locals.
FrameShadow& BlockInitialisationCheck::shadow(const Warp& warp) {
  Frame& frame = warp.frame();
  if (frame.attachment) return *static_cast<FrameShadow*>(frame.attachment.get());
  const auto made = std::make_shared<FrameShadow>(*frame.function, check_.plan(*frame.function).predicates);
  frame.attachment = made;
  if (frame.caller == nullptr || !frame.caller->attachment) return *made;
  auto& caller = *static_cast<FrameShadow*>(frame.caller->attachment.get());
  const auto& parameters = frame.function->parameters;
  const auto& arguments = frame.call_site->arguments;
  std::vector<Code>& local = local_codes(warp);
  for_each(frame.lanes, [&](int lane) {
    for (size_t i = 0; i < parameters.size() && i < arguments.size(); ++i) {
      std::copy_n(caller.parameters(lane) + arguments[i].caller_offset,
                  std::min(parameters[i].bytes, arguments[i].bytes), made->parameters(lane) + parameters[i].offset);
    }
    Code* const first = local.data() + static_cast<size_t>(lane) * warp.local_stride();
    std::fill(first + frame.local_base, first + std::min(frame.local_top, warp.local_stride()), code::kUnwritten);
  });
  return *made;
}

std::vector<Code>& BlockInitialisationCheck::local_codes(const Warp& warp) {
  std::vector<Code>& codes = local_[&warp];
  const size_t bytes = size_t{warp.local_stride()} * kLanes;
  if (codes.size() < bytes) codes.resize(bytes, code::kUnwritten);
  return codes;
}

std::span<Code> BlockInitialisationCheck::memory_codes(const Access& access, int lane) {
  const uint64_t address = access.addresses[lane];
  if (access.space == Space::global) {
    return check_.global() == nullptr ? std::span<Code>() : check_.global()->codes(address, access.bytes);
  }
  std::vector<Code>* codes = nullptr;
  uint64_t first = 0;
  uint64_t size = 0;
  if (access.space == Space::local) {
    codes = &local_codes(access.warp);
    size = access.warp.local_stride();
    first = static_cast<uint64_t>(lane) * size;
  } else {
    BlockInitialisationCheck* const owner = access.owner == &block ? this : check_.of(*access.owner);
    if (owner == nullptr) return {};
    codes = &owner->shared_;
    size = codes->size();
  }
  if (address > size || access.bytes > size - address) return {};
  return std::span(*codes).subspan(first + address, access.bytes);
}

bool BlockInitialisationCheck::may_be_unwritten(const Access& access) const {
  if (access.space == Space::shared) return access.owner != nullptr;
  if (access.space == Space::local) return true;
  if (access.space != Space::global || check_.global() == nullptr || check_.global()->empty()) return false;
  const auto [first, end] = range_of(access);
  return check_.global()->touches(first, end);
}

// --- instructions

void BlockInitialisationCheck::before(const Warp& warp, const Instruction& instruction) {
  loaded_lanes_ = 0;
  operands_in_memory_ = code::kDefined;
  copy_owner_ = nullptr;
  met_elsewhere_ = false;
  if (instruction.guard != kNoRow) check_guard(warp, instruction);
  if (warp.mask == 0) return;
  const DefinednessStep& step = step_of(*warp.frame().function, instruction);
  if (step.has_address) check_addresses(executed(warp, instruction, warp.mask));
  if (step.rule == DefinednessRule::return_results) return_results(warp);
}

void BlockInitialisationCheck::after(const Warp& warp, const Instruction& instruction, LaneMask lanes) {
  const ExecutedStep step = executed(warp, instruction, lanes);
  switch (step.step.rule) {
    case DefinednessRule::load:
    case DefinednessRule::atomic:
      return write_loaded(step);
    case DefinednessRule::load_matrix:
      return write_matrix(step);
    case DefinednessRule::pass_parameter:
      return pass_parameter(step);
    case DefinednessRule::call:
      return define_call_results(step);
    case DefinednessRule::store:
    case DefinednessRule::return_results:
      return;
    default:
      break;
  }
  FrameShadow& codes = shadow(warp);
  bool suspect = operands_in_memory_ != code::kDefined;
  const size_t first = step.step.rule == DefinednessRule::group_product ? 0 : step.written();
  for (size_t i = first; i < instruction.row_count; ++i)
    suspect |= codes.may_be_undefined(instruction.rows[i], step.info()[i], lanes);
  if (!suspect || met_elsewhere_) return define_results(step);
  DefinednessTransfer(codes, &unwritten_register, this).apply(step);
}

// Operands of lanes at other places lie in other registers: what comes from there counts as defined.
void BlockInitialisationCheck::met(const Warp& warp, const Instruction& instruction, LaneMask lanes) {
  met_elsewhere_ = true;
  define_results(executed(warp, instruction, lanes));
}

void BlockInitialisationCheck::define_results(const ExecutedStep& step) {
  FrameShadow& codes = shadow(step.warp);
  for (size_t i = 0; i < step.written(); ++i)
    codes.define(step.instruction.rows[i], step.info()[i], step.lanes, step.existing());
}

void BlockInitialisationCheck::write_loaded(const ExecutedStep& step) {
  if (loaded_lanes_ == 0) return define_results(step);
  const size_t bytes = std::max<size_t>(step.step.memory_bytes, 1);
  for (size_t i = 0; i < step.written(); ++i) {
    OperandCodes codes;
    codes.bytes = step.info()[i].bytes;
    for_each(step.lanes & loaded_lanes_, [&](int lane) {
      const auto& from = loaded_[static_cast<size_t>(lane)];
      auto& to = codes.lanes[static_cast<size_t>(lane)];
      for (size_t byte = 0; byte < codes.width(); ++byte) {
        const size_t last = std::min((i + 1) * bytes, kMostLoaded) - 1;
        to[byte] = byte < bytes          ? from[std::min(i * bytes + byte, kMostLoaded - 1)]
                   : step.step.is_signed ? from[last]
                                         : code::kDefined;
      }
    });
    shadow(step.warp).write(step.instruction.rows[i], step.info()[i], codes, step.lanes, step.existing());
  }
}

// Lane 8i + j gave the address of row j of matrix i. Of each matrix lane l gets two neighbouring elements of 16 bits:
// of row l / 4, or of column l / 4 if it is transposed.
void BlockInitialisationCheck::write_matrix(const ExecutedStep& step) {
  if (loaded_lanes_ == 0) return define_results(step);
  constexpr size_t kSide = 8;
  const std::string_view opcode =
      block.grid().launch.program->opcodes[static_cast<size_t>(step.function.origin_of(step.instruction).opcode)];
  const bool transposed = opcode.find(".trans") != opcode.npos;
  for (size_t matrix = 0; matrix < step.written(); ++matrix) {
    OperandCodes codes;
    codes.bytes = step.info()[matrix].bytes;
    for (size_t lane = 0; lane < kLanes; ++lane) {
      for (size_t element = 0; element < 2; ++element) {
        const size_t row = transposed ? 2 * (lane % 4) + element : lane / 4;
        const size_t column = transposed ? lane / 4 : 2 * (lane % 4) + element;
        const size_t source = matrix * kSide + row;
        if ((loaded_lanes_ >> source & 1) == 0) continue;
        for (size_t byte = 0; byte < 2; ++byte)
          codes.lanes[lane][2 * element + byte] = loaded_[source][2 * column + byte];
      }
    }
    shadow(step.warp).write(step.instruction.rows[matrix], step.info()[matrix], codes, step.lanes, step.existing());
  }
}

void BlockInitialisationCheck::pass_parameter(const ExecutedStep& step) {
  FrameShadow& codes = shadow(step.warp);
  const bool loads = step.written() > 0;
  const size_t bytes = std::max<size_t>(step.step.memory_bytes, 1);
  const size_t first = loads ? 0 : 1;
  const size_t count = step.instruction.row_count - 1u;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t row = step.instruction.rows[first + i];
    const RowInfo info = step.info()[first + i];
    OperandCodes operand = codes.read(row, info);
    for_each(step.lanes, [&](int lane) {
      Code* const at = codes.parameters(lane) + step.instruction.immediate + static_cast<int64_t>(i * bytes);
      auto& lane_codes = operand.lanes[static_cast<size_t>(lane)];
      if (!loads) {
        std::copy_n(lane_codes.begin(), std::min(bytes, operand.width()), at);
        return;
      }
      for (size_t byte = 0; byte < operand.width(); ++byte)
        lane_codes[byte] = byte < bytes ? at[byte] : step.step.is_signed ? at[bytes - 1] : code::kDefined;
    });
    if (loads) codes.write(row, info, operand, step.lanes, step.existing());
  }
}

// What the runtime's own functions return.
void BlockInitialisationCheck::define_call_results(const ExecutedStep& step) {
  const CallSite& site = step.function.calls[step.instruction.detail];
  if (site.system == CallSite::System::none) return;
  FrameShadow& codes = shadow(step.warp);
  for (const CallSite::Copy& result : site.results)
    for_each(step.lanes, [&](int lane) {
      std::fill_n(codes.parameters(lane) + result.caller_offset, result.bytes, code::kDefined);
    });
}

void BlockInitialisationCheck::return_results(const Warp& warp) {
  const Frame& frame = warp.frame();
  if (frame.caller == nullptr || !frame.caller->attachment) return;
  FrameShadow& callee = shadow(warp);
  auto& caller = *static_cast<FrameShadow*>(frame.caller->attachment.get());
  const auto& returns = frame.function->returns;
  const auto& results = frame.call_site->results;
  for (size_t i = 0; i < returns.size() && i < results.size(); ++i) {
    for_each(warp.mask, [&](int lane) {
      std::copy_n(callee.parameters(lane) + returns[i].offset, std::min(returns[i].bytes, results[i].bytes),
                  caller.parameters(lane) + results[i].caller_offset);
    });
  }
}

// --- memory

LaneMask BlockInitialisationCheck::access(const Access& access) {
  // What goes to global memory is a result, whether or not anything is known of the memory.
  const bool result =
      access.space == Space::global && (access.kind == AccessKind::store || access.kind == AccessKind::atomic);
  if (result || may_be_unwritten(access)) {
    switch (access.kind) {
      case AccessKind::load:
        load(access);
        break;
      case AccessKind::store:
        store(access);
        break;
      case AccessKind::atomic:
        update(access);
        break;
      case AccessKind::async_read:
        read_for_copy(access);
        break;
      case AccessKind::async_write:
        issue_copy(access);
        break;
      case AccessKind::mbarrier:  // one that is used without being initialised is the machine's to report
        fill(access, code::kDefined);
        break;
      case AccessKind::none:
        break;
    }
  } else if (access.kind == AccessKind::async_write) {
    copy_owner_ = nullptr;
  }
  return access.lanes;
}

// What another check refused is reported as such. That its bytes are missing afterwards is no finding of its own.
void BlockInitialisationCheck::left_out(const Access& access) {
  const bool writes = access.kind == AccessKind::store || access.kind == AccessKind::atomic ||
                      access.kind == AccessKind::async_write || access.kind == AccessKind::mbarrier;
  if (writes && may_be_unwritten(access)) fill(access, code::kDefined);
}

// Lanes mostly access neighbouring bytes of shared memory: those between the lowest and the highest are looked at in
// one go. In global memory they mostly access one buffer, which is then looked up once for all.
bool BlockInitialisationCheck::is_defined(const Access& access) {
  const auto [first, end] = range_of(access);
  if (first >= end) return false;
  if (access.space == Space::global) {
    const std::span<const Code> codes = buffer_codes(first, end);
    if (codes.empty()) return false;
    static_assert(code::kDefined == 0);
    uint64_t any = 0;
    for_each_word(access, codes.data(), first, [&](const Code* at, auto word) {
      std::memcpy(&word, at, sizeof word);
      any |= word;
    });
    return any == 0;
  }
  if (access.space != Space::shared || access.owner != &block) return false;
  const uint64_t most = uint64_t{4} * kLanes * access.bytes;  // further apart than that, lane by lane is cheaper
  if (end > shared_.size() || end - first > most) return false;
  return all_defined(std::span(shared_).subspan(first, end - first));
}

// Empty if they do not lie in one buffer.
std::span<Code> BlockInitialisationCheck::buffer_codes(uint64_t first, uint64_t end) {
  return check_.global() == nullptr ? std::span<Code>() : check_.global()->codes(first, end - first);
}

void BlockInitialisationCheck::fill(const Access& access, Code value) {
  if (access.space == Space::global) {
    const auto [first, end] = range_of(access);
    if (const std::span<Code> codes = buffer_codes(first, end); first < end && !codes.empty()) {
      return for_each_word(access, codes.data(), first,
                           [&](Code* at, auto word) { std::memset(at, value, sizeof word); });
    }
  } else if (value == code::kDefined && is_defined(access)) {
    return;
  }
  for_each(access.lanes, [&](int lane) {
    const std::span<Code> codes = memory_codes(access, lane);
    std::fill(codes.begin(), codes.end(), value);
  });
}

// What a reader gets: bytes that nothing wrote become this instruction's.
std::vector<Code> BlockInitialisationCheck::read(const Access& access, int lane, std::span<const Code> codes) {
  std::vector<Code> result(codes.begin(), codes.end());
  const uint32_t used = access.warp.frame().function->origin_of(access.instruction).used_bytes;
  const bool foreign = access.space == Space::shared && access.owner != &block;
  for (size_t byte = 0; byte < result.size(); ++byte) {
    if (!is_wanted(used, byte)) result[byte] = code::kDefined;
    if (result[byte] == code::kDefined) continue;
    if (foreign && result[byte] >= code::kFirstOrigin) result[byte] = code::kUnwritten;  // an origin of another block
    if (result[byte] < code::kFirstOrigin) result[byte] = origin(access, lane, result[byte], byte);
  }
  return result;
}

void BlockInitialisationCheck::load(const Access& access) {
  if (is_defined(access)) return;
  for_each(access.lanes, [&](int lane) {
    const std::span<Code> codes = memory_codes(access, lane);
    if (all_defined(codes)) return;
    const std::vector<Code> found_codes = read(access, lane, codes);
    if (all_defined(found_codes)) return;
    operands_in_memory_ = code::join(operands_in_memory_, worst(found_codes));
    auto& into = loaded_[static_cast<size_t>(lane)];
    into.fill(code::kDefined);
    std::copy_n(found_codes.begin(), std::min(found_codes.size(), kMostLoaded), into.begin());
    loaded_lanes_ |= LaneMask{1} << lane;
  });
}

// The codes of what a store puts there. Stores that spread registers over lanes, as stmatrix, count as one.
std::vector<Code> BlockInitialisationCheck::stored(const Access& access, int lane) {
  const ExecutedStep step = executed(access.warp, access.instruction, access.lanes);
  FrameShadow& codes = shadow(access.warp);
  const size_t bytes = step.step.memory_bytes;
  // The values come last: behind the address, and behind the coordinates of a surface.
  const size_t rows = step.instruction.row_count;
  const size_t values = bytes > 0 ? std::min<size_t>(rows - 1, access.bytes / bytes) : rows - 1;
  const size_t first = rows - values;
  std::vector<Code> result(access.bytes, code::kDefined);
  if (bytes > 0 && values * bytes == access.bytes) {
    for (size_t i = 0; i < values; ++i) {
      const RowInfo info = step.info()[first + i];
      if (!codes.may_be_undefined(step.instruction.rows[first + i], info, LaneMask{1} << lane)) continue;
      const OperandCodes operand = codes.read(step.instruction.rows[first + i], info);
      std::copy_n(operand.lanes[static_cast<size_t>(lane)].begin(), std::min(bytes, operand.width()),
                  result.begin() + static_cast<std::ptrdiff_t>(i * bytes));
    }
    return result;
  }
  Code all = code::kDefined;
  for (size_t i = 1; i < step.instruction.row_count; ++i) {
    if (!codes.may_be_undefined(step.instruction.rows[i], step.info()[i], access.warp.active)) continue;
    for_each(access.warp.active,
             [&](int each) { all = code::join(all, codes.read_lane(step.instruction.rows[i], step.info()[i], each)); });
  }
  std::fill(result.begin(), result.end(), all);
  return result;
}

void BlockInitialisationCheck::put(const Access& access, int lane, std::span<const Code> codes) {
  const std::span<Code> memory = memory_codes(access, lane);
  // Origins are this block's: elsewhere the bytes are just unwritten ones.
  const bool own = access.space == Space::local || (access.space == Space::shared && access.owner == &block);
  for (size_t i = 0; i < memory.size(); ++i)
    memory[i] = own || codes[i] == code::kDefined ? codes[i] : code::kUnwritten;
}

void BlockInitialisationCheck::store(const Access& access) {
  const ExecutedStep step = executed(access.warp, access.instruction, access.lanes);
  FrameShadow& codes = shadow(access.warp);
  bool suspect = false;
  for (size_t i = 0; i < step.instruction.row_count; ++i) {
    if (!step.info()[i].address)
      suspect |= codes.may_be_undefined(step.instruction.rows[i], step.info()[i], access.warp.active);
  }
  if (!suspect) {
    if (may_be_unwritten(access)) fill(access, code::kDefined);
    return;
  }
  for_each(access.lanes, [&](int lane) {
    const std::vector<Code> values = stored(access, lane);
    check_result(access, lane, values);
    put(access, lane, values);
  });
}

void BlockInitialisationCheck::update(const Access& access) {
  const ExecutedStep step = executed(access.warp, access.instruction, access.lanes);
  FrameShadow& codes = shadow(access.warp);
  // Before anything is marked: an atomic of all lanes to one unwritten word is wrong in each of them.
  std::array<Code, kLanes> after{};
  for_each(access.lanes, [&](int lane) {
    const std::span<Code> memory = memory_codes(access, lane);
    Code joined = code::kDefined;
    if (!all_defined(memory)) {
      const std::vector<Code> before = read(access, lane, memory);
      auto& into = loaded_[static_cast<size_t>(lane)];
      into.fill(code::kDefined);
      std::copy_n(before.begin(), std::min(before.size(), kMostLoaded), into.begin());
      loaded_lanes_ |= LaneMask{1} << lane;
      joined = worst(before);
    }
    for (size_t i = step.written(); i < step.instruction.row_count; ++i) {
      if (step.info()[i].address) continue;
      if (!codes.may_be_undefined(step.instruction.rows[i], step.info()[i], LaneMask{1} << lane)) continue;
      Code operand = codes.read_lane(step.instruction.rows[i], step.info()[i], lane);
      if (operand == code::kUnwritten) operand = unwritten_register(this, step, i, lane);
      joined = code::join(joined, operand);
    }
    after[static_cast<size_t>(lane)] = code::computed(joined);
  });
  for_each(access.lanes, [&](int lane) {
    const std::vector<Code> values(access.bytes, after[static_cast<size_t>(lane)]);
    check_result(access, lane, values);
    // What was reported once is not reported by every later reader.
    put(access, lane, access.space == Space::global ? std::vector<Code>(access.bytes, code::kDefined) : values);
  });
}

void BlockInitialisationCheck::issue_copy(const Access& access) {
  if (access.space != Space::shared) return fill(access, code::kDefined);
  fill(access, code::kUnderWay);
  copy_owner_ = access.owner == &block ? this : check_.of(*access.owner);
  std::copy_n(access.addresses, kLanes, copy_targets_.begin());
}

// The source of a copy. To shared memory: what nothing wrote arrives as such. To global memory: it is a result.
void BlockInitialisationCheck::read_for_copy(const Access& access) {
  for_each(access.lanes, [&](int lane) {
    const std::span<Code> codes = memory_codes(access, lane);
    if (all_defined(codes)) return;
    const std::vector<Code> values = read(access, lane, codes);
    if (copy_owner_ != nullptr) {
      std::vector<Code> arriving = values;
      if (copy_owner_ != this)
        std::replace_if(arriving.begin(), arriving.end(), [](Code each) { return each != 0; }, code::kUnwritten);
      copy_owner_->undefined_arrivals_.push_back({copy_targets_[static_cast<size_t>(lane)], std::move(arriving)});
    } else {
      check_result(access, lane, values);
    }
  });
}

void BlockInitialisationCheck::arrived(uint64_t offset, uint64_t bytes) {
  if (offset > shared_.size() || bytes > shared_.size() - offset) return;
  const auto first = shared_.begin() + static_cast<std::ptrdiff_t>(offset);
  std::fill(first, first + static_cast<std::ptrdiff_t>(bytes), code::kDefined);
  std::erase_if(undefined_arrivals_, [&](const UndefinedArrival& undefined) {
    if (undefined.offset < offset || undefined.offset - offset >= bytes) return false;
    const auto count = std::min<uint64_t>(undefined.codes.size(), shared_.size() - undefined.offset);
    std::copy_n(undefined.codes.begin(), count, shared_.begin() + static_cast<std::ptrdiff_t>(undefined.offset));
    return true;
  });
}

// --- where it matters

void BlockInitialisationCheck::check_guard(const Warp& warp, const Instruction& instruction) {
  FrameShadow& codes = shadow(warp);
  const RowInfo predicate{};
  if (!codes.may_be_undefined(instruction.guard, predicate, warp.active)) return;
  for_each(codes.undefined_predicates(instruction.guard) & warp.active, [&](int lane) {
    Code value = codes.read_lane(instruction.guard, predicate, lane);
    if (value == code::kUnwritten) value = unwritten_register(this, executed(warp, instruction, warp.active), 0, lane);
    report(warp, instruction, lane, value, "the value decides what is executed");
  });
}

void BlockInitialisationCheck::check_addresses(const ExecutedStep& step) {
  FrameShadow& codes = shadow(step.warp);
  for (size_t i = 0; i < step.instruction.row_count; ++i) {
    const RowInfo info = step.info()[i];
    if (!info.address || !codes.may_be_undefined(step.instruction.rows[i], info, step.lanes)) continue;
    for_each(step.lanes, [&](int lane) {
      Code value = codes.read_lane(step.instruction.rows[i], info, lane);
      if (value == code::kDefined) return;
      if (value == code::kUnwritten) value = unwritten_register(this, step, i, lane);
      report(step.warp, step.instruction, lane, value, "the value is part of an address");
    });
  }
}

}  // namespace assay::vgpu
