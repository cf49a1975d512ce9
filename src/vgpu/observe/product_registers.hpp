// SPDX-License-Identifier: MIT
// The registers of a warp's wgmma products. The manual forbids to touch accumulators and registers of A before
// wgmma.wait_group covers the product, and wants a wgmma.fence between other writes to such registers and the product.
// A plain move is no touch: nvcc's PTX moves accumulators around, ptxas makes one register of them. What is followed is
// the value, from register to register.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "vgpu/machine/path.hpp"
#include "vgpu/machine/program.hpp"
#include "vgpu/observe/async_roles.hpp"

namespace assay::vgpu {

// What an instruction does wrong.
enum class RegisterMisuse : uint8_t {
  none,
  reads_accumulator,     // of a product that nothing has waited for
  overwrites_result,     // likewise, and no other register holds it
  overwrites_a,          // which a product may still read
  no_fence,              // no wgmma.fence has come before the warp's first product
  written_behind_fence,  // a register of the product was written since the last wgmma.fence
};

struct RegisterFinding {
  RegisterMisuse misuse = RegisterMisuse::none;
  size_t operand = 0;
  const Instruction* product = nullptr;  // that is in flight, if it is about one
};

class ProductRegisters {
 public:
  // The executed instruction; nothing, if it is in another frame than the products.
  RegisterFinding execute(const Frame& frame, const Instruction& instruction, AsyncRole role);
  // Products that are not committed, or committed and not waited for.
  bool any_in_flight() const { return last_product_ >= done_ && last_product_ != kNoGroup; }

  uint32_t groups() const { return committed_; }  // committed until now
  uint32_t groups_done() const { return done_; }  // and waited for
  bool has_uncommitted() const { return last_product_ == committed_; }

 private:
  static constexpr uint32_t kLine = 64;  // rows of registers begin at multiples of it
  static constexpr uint32_t kNoGroup = ~uint32_t{0};

  struct Register {
    uint32_t group = kNoGroup;    // of the product that made the value, or is making it
    uint32_t value = 0;           // its number among values_
    uint32_t a_group = kNoGroup;  // of the last product that takes it for A
    uint32_t written = 0;         // the fence before its last write by other instructions; 0: a constant or a product
  };
  struct Value {
    uint32_t holders = 1;
    bool used = false;  // another product goes on with it
    const Instruction* product = nullptr;
  };

  bool is_pending(uint32_t group) const { return group != kNoGroup && group >= done_; }
  void start(const Frame& frame);
  RegisterFinding multiply(const Instruction& instruction);
  RegisterFinding move(const Instruction& instruction);
  RegisterFinding touch(const Instruction& instruction);
  bool drop(Register& target);  // what it holds; true: the result of a product is lost

  const Frame* frame_ = nullptr;
  std::vector<Register> registers_;
  std::vector<Value> values_;
  uint32_t fences_ = 0;
  uint32_t committed_ = 0;
  uint32_t done_ = 0;
  uint32_t last_product_ = kNoGroup;  // the group of the last one
};

}  // namespace assay::vgpu
