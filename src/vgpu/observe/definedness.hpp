// SPDX-License-Identifier: MIT
// Which bytes of registers and memory hold something that the program wrote. A byte that nothing wrote has a code, and
// the code follows the byte through loads, stores, moves and arithmetic to where it matters: an address, a branch, a
// result. One byte of shadow for each byte of state.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "vgpu/machine/path.hpp"
#include "vgpu/machine/program.hpp"

namespace assay::vgpu {

using Code = uint8_t;

namespace code {
inline constexpr Code kDefined = 0;
inline constexpr Code kUnwritten = 1;  // in memory or in a register: nothing has written it, and nothing has read it
inline constexpr Code kUnderWay = 2;   // in shared memory: an asynchronous copy is to bring it
inline constexpr Code kFirstOrigin = 4;
inline constexpr Code kLastOrigin = 0x7f;
inline constexpr Code kComputed = 0x80;  // set beside an origin: the value went through arithmetic

constexpr Code origin(Code value) {
  return value & kLastOrigin;
}
constexpr bool is_computed(Code value) {
  return (value & kComputed) != 0;
}
// Of a result that depends on both. A computed one outweighs a copied one.
constexpr Code join(Code a, Code b) {
  return std::max(a, b);
}
constexpr Code computed(Code value) {
  return value == kDefined ? kDefined : static_cast<Code>(value | kComputed);
}
}  // namespace code

// The codes of one operand of all lanes, a register's byte by byte.
struct OperandCodes {
  static constexpr size_t kMostBytes = 16;
  std::array<std::array<Code, kMostBytes>, kLanes> lanes{};
  uint8_t bytes = 0;  // of the register; 0: a predicate, whose code is in byte 0

  size_t width() const { return bytes == 0 ? 1 : bytes; }
  Code of(int lane) const {
    const auto& codes = lanes[static_cast<size_t>(lane)];
    return *std::max_element(codes.begin(), codes.begin() + static_cast<std::ptrdiff_t>(width()));
  }
};

// The shadow of one activation of a function: its registers and the parameters that it passes on. Most rows are defined
// or unwritten as a whole; bytes are kept for the others alone.
class FrameShadow {
 public:
  // `predicates`: predicate_rows() of the function.
  FrameShadow(const Function& function, const std::vector<uint32_t>& predicates);
  static std::vector<uint32_t> predicate_rows(const Function& function);

  // A cheap answer for the usual case: false means that these lanes of the row are defined.
  bool may_be_undefined(uint32_t row, RowInfo info, LaneMask lanes) const {
    if ((row & kConstantRow) != 0) return false;  // and kNoRow
    return info.bytes == 0 ? (undefined_predicates(row) & lanes) != 0 : state_[row / kLine] != State::defined;
  }
  LaneMask undefined_predicates(uint32_t row) const {
    LaneMask mask = 0;
    std::memcpy(&mask, codes_.get() + row, sizeof mask);
    return mask;
  }
  OperandCodes read(uint32_t row, RowInfo info) const;
  Code read_lane(uint32_t row, RowInfo info, int lane) const;  // the worst of the lane's bytes
  void write(uint32_t row, RowInfo info, const OperandCodes& codes, LaneMask lanes, LaneMask existing);
  void define(uint32_t row, RowInfo info, LaneMask lanes, LaneMask existing);

  Code* parameters(int lane) { return parameters_.data() + static_cast<size_t>(lane) * parameter_bytes_; }

 private:
  enum class State : uint8_t { defined, unwritten, mixed };  // mixed: codes_ has it byte by byte

  bool is_defined(uint32_t row, uint32_t bytes, LaneMask lanes) const;
  Code* bytes_of(uint32_t row, uint32_t bytes);  // of a register, from now on kept byte by byte

  static constexpr uint32_t kLine = 64;  // rows of registers begin at multiples of it; predicates share one

  size_t parameter_bytes_;
  std::unique_ptr<Code[]> codes_;            // beside the frame's bytes; of a predicate: a mask of undefined lanes
  std::unique_ptr<Code[]> predicate_codes_;  // one for each word of the frame: of the predicate's undefined lanes
  std::vector<State> state_;                 // one for each line of registers
  std::vector<Code> parameters_;             // of each lane, lane after lane
};

}  // namespace assay::vgpu
