// SPDX-License-Identifier: MIT
// What an instruction reads and writes, and which lines nobody needs: those that ptxas would throw away.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "invert/kernel_text.hpp"

namespace assay::invert {

struct Registers {
  std::vector<std::string> reads;   // its guard, addresses and sources
  std::vector<std::string> writes;  // in the order of the text
  bool known = false;               // false: no row of the opcode table fits, and every name counts as read
};
Registers registers_of(const ptx::Instruction& instruction);

// Whether it may go if nobody needs its results: no store, barrier, branch, collective or volatile access.
bool has_no_other_effect(const ptx::Instruction& instruction);

// Indices of lines whose results nobody needs, those that only such lines need included.
std::set<size_t> dead_lines(const std::vector<Line>& lines);

// As PTX writes it.
std::string operand_text(const ptx::Instruction& instruction, size_t at);

// The names of an operand: registers of vectors one by one.
void add_names(const ptx::Operand& operand, std::vector<std::string>& names);
// The register that an address begins with; "" if that is a variable or a number.
std::string address_register(const ptx::Operand& operand);

// Every operand that names `from` names `to` afterwards; how often.
int rename(ptx::Instruction& instruction, std::string_view from, const std::string& to);

}  // namespace assay::invert
