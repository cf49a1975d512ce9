// SPDX-License-Identifier: MIT
// Instructions out of any bytes: rows of the opcode table with modifiers, operands and guards that the bytes choose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/opcode_pattern.hpp"

namespace assay::fuzz {

// Choices that the bytes make, one after the other; always the first where they are used up.
class Choices {
 public:
  Choices(const uint8_t* data, size_t size) : data_(data), size_(size) {}

  bool left() const { return used_ < size_; }
  size_t below(size_t count) {
    size_t value = byte();
    if (count > 256) value = value << 8 | byte();
    return value % count;
  }
  bool once_in(size_t count) { return below(count) == count - 1; }
  uint64_t bits() {
    uint64_t value = 0;
    for (int i = 0; i < 8; ++i) value = value << 8 | byte();
    return value;
  }

 private:
  uint8_t byte() { return left() ? data_[used_++] : 0; }

  const uint8_t* data_;
  size_t size_;
  size_t used_ = 0;
};

class InstructionWriter {
 public:
  // What a kernel declares for its instructions: registers of each width, and variables.
  static std::string declarations() {
    return fmt::format(
        ".reg .pred %p<{0}>;\n.reg .b16 %h<{0}>;\n.reg .b32 %r<{1}>;\n.reg .b64 %d<{0}>;\n"
        ".shared .align 128 .b8 in_shared[8192];\n.local .align 16 .b8 in_local[256];\n",
        kRegisters, kWordRegisters);
  }

  explicit InstructionWriter(Choices& choices) : choices_(choices) {}

  std::string next() {
    const auto& patterns = ptx::OpcodeMatcher::instance().patterns();
    const ptx::OpcodePattern& pattern = patterns[choices_.below(patterns.size())];
    types_.clear();
    shape_columns_ = 0;
    std::string text = guard() + pattern.opcode;
    for (const ptx::ModifierSlot& slot : pattern.slots) {
      if (!slot.optional || choices_.once_in(3)) text += modifier(slot);
    }
    if (pattern.raw_operands) return text + (pattern.opcode == "bra" ? " middle;\n" : " somewhere;\n");
    std::string separator = " ";
    for (const ptx::OperandPattern& operand_pattern : pattern.operands) {
      if (operand_pattern.optional && choices_.once_in(2)) break;
      text += separator + operand(operand_pattern);
      separator = ", ";
    }
    return text + ";\n";
  }

 private:
  static constexpr size_t kRegisters = 16;
  static constexpr size_t kWordRegisters = 160;  // the accumulators of a wgmma are up to 128

  std::string guard() { return choices_.once_in(8) ? fmt::format("@%p{} ", choices_.below(kRegisters)) : ""; }

  std::string modifier(const ptx::ModifierSlot& slot) {
    const std::string& name = slot.alternatives[choices_.below(slot.alternatives.size())];
    if (const auto type = ptx::type_named(name)) types_.push_back(*type);
    if (name.starts_with("m64n")) shape_columns_ = std::stoul(name.substr(4));
    return "." + name;
  }

  int bits_of(const ptx::OperandType& type) {
    using From = ptx::OperandType::From;
    if (type.from == From::fixed) return ptx::info(type.fixed).bits;
    if (type.from == From::any) return choices_.once_in(2) ? 64 : 32;
    const auto index = static_cast<size_t>(type.index);
    int bits = index < types_.size() ? ptx::info(types_[index]).bits : 32;
    if (type.from == From::wide) bits *= 2;
    if (type.or_wider && choices_.once_in(4)) bits *= 2;
    return bits;
  }

  std::string register_of(int bits) {
    if (bits == 1) return fmt::format("%p{}", choices_.below(kRegisters));
    if (bits <= 16) return fmt::format("%h{}", choices_.below(kRegisters));
    if (bits <= 32) return fmt::format("%r{}", choices_.below(kWordRegisters));
    return fmt::format("%d{}", choices_.below(kRegisters));
  }

  std::string value(const ptx::OperandType& type, bool written, bool immediate) {
    const int bits = bits_of(type);
    if (immediate) return choices_.once_in(2) ? "1" : choices_.once_in(2) ? "0" : "-1";
    if (written || !choices_.once_in(6)) return register_of(bits);
    switch (choices_.below(4)) {
      case 0:
        return fmt::format("{}", choices_.below(130));
      case 1:
        return fmt::format("0x{:x}", choices_.bits());
      case 2:
        return fmt::format("0f{:08X}", choices_.bits() >> 32);
      default:
        return fmt::format("-{}", choices_.below(1000));
    }
  }

  std::string base() {
    switch (choices_.below(8)) {
      case 0:
      case 1:
        return "in_shared";
      case 2:
        return "in_local";
      case 3:
        return "in_global";
      case 4:
        return "in_const";
      case 5:
        return fmt::format("{}", choices_.below(70000));
      case 6:
        return register_of(32);
      default:
        return register_of(64);
    }
  }
  std::string place() {
    const std::string_view offsets[] = {"", "+16", "+128", "+3", "-8", "+4096", "+8188", "+2147483647"};
    return base() + std::string(offsets[choices_.below(std::size(offsets))]);
  }

  static std::string vector_of(size_t count, const auto& element) {
    std::string text = "{";
    for (size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + element(i);
    return text + "}";
  }
  std::string registers(size_t count, int bits) {
    return vector_of(count, [&](size_t) { return register_of(bits); });
  }
  std::string vector(const ptx::OperandPattern& pattern, bool written) {
    const int bits = bits_of(pattern.type);
    if (shape_columns_ != 0 && written) {
      const bool halves = !types_.empty() && types_.front() == ptx::Type::f16;
      const size_t first = choices_.below(2);
      return vector_of(shape_columns_ / (halves ? 4 : 2), [&](size_t i) { return fmt::format("%r{}", first + i); });
    }
    if (shape_columns_ != 0) return bits == 64 ? register_of(bits) : registers(4, bits);  // a descriptor or a fragment
    const size_t counts[] = {4, 2, 1, 8, 4, 2, 4, 3, 16, 0};
    const size_t count = counts[choices_.below(std::size(counts))];
    return count == 0 ? register_of(bits) : registers(count, bits);
  }

  std::string operand(const ptx::OperandPattern& pattern) {
    using Form = ptx::OperandPattern::Form;
    const bool written = pattern.name.starts_with('d') || pattern.name.starts_with('p');
    switch (pattern.form) {
      case Form::address:
        return "[" + place() + "]";
      case Form::vector:
        return vector(pattern, written);
      case Form::tensor: {
        const std::string map = choices_.once_in(4) ? place() : "%d1";
        return "[" + map + ", " + registers(1 + choices_.below(5), 32) + "]";
      }
      case Form::pair: {
        const std::string first = value(pattern.type, true, false);
        return choices_.once_in(2) ? first : first + "|" + value(pattern.second_type, true, false);
      }
      case Form::value:
        break;
    }
    return value(pattern.type, written, pattern.name.starts_with("imm"));
  }

  Choices& choices_;
  std::vector<ptx::Type> types_;  // of the modifiers so far
  size_t shape_columns_ = 0;      // of a wgmma; 0: it is none
};

}  // namespace assay::fuzz
