// SPDX-License-Identifier: MIT
#include "vgpu/decode/contraction.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace assay::vgpu {
namespace {

using Uses = std::map<std::string, int, std::less<>>;

template <class Visit>
void for_each_name(const ptx::Operand& operand, Visit&& visit);

template <class Visit>
struct NameVisitor {
  Visit& visit;
  void operator()(const ptx::Identifier& name) { visit(name.name); }
  void operator()(const ptx::Negated& name) { visit(name.name); }
  void operator()(const ptx::VectorOperand& vector) {
    for (const ptx::Operand& element : vector.elements) for_each_name(element, visit);
  }
  void operator()(const ptx::PairOperand& pair) {
    for (const ptx::Operand& element : pair.elements) for_each_name(element, visit);
  }
  void operator()(const ptx::AddressOperand& address) {
    for (const ptx::Operand& element : address.base) for_each_name(element, visit);
    for (const ptx::Operand& element : address.coordinates) for_each_name(element, visit);
  }
  void operator()(const ptx::ListOperand& list) {
    for (const ptx::Operand& element : list.elements) for_each_name(element, visit);
  }
  void operator()(const ptx::OffsetSymbol& symbol) { visit(symbol.name); }
  void operator()(const ptx::IntegerLiteral&) {}
  void operator()(const ptx::FloatLiteral&) {}
  void operator()(const ptx::Sink&) {}
};

template <class Visit>
void for_each_name(const ptx::Operand& operand, Visit&& visit) {
  std::visit(NameVisitor<std::remove_reference_t<Visit>>{visit}, operand.value);
}

void count_uses(const ptx::CompoundStatement& compound, Uses& uses) {
  for (const ptx::Statement& statement : compound.statements) {
    if (const auto* inner = std::get_if<ptx::CompoundStatement>(&statement.value)) count_uses(*inner, uses);
    const auto* instruction = std::get_if<ptx::Instruction>(&statement.value);
    if (instruction == nullptr) continue;
    if (instruction->guard) ++uses[instruction->guard->predicate];
    for (const ptx::Operand& operand : instruction->operands)
      for_each_name(operand, [&](const std::string& name) { ++uses[name]; });
  }
}

const std::string* register_of(const ptx::Operand& operand) {
  const auto* name = std::get_if<ptx::Identifier>(&operand.value);
  return name != nullptr ? &name->name : nullptr;
}

bool has(const ptx::Instruction& instruction, std::string_view modifier) {
  return std::ranges::find(instruction.modifiers, modifier) != instruction.modifiers.end();
}

// "f32", "f64", "f16", "f16x2"; nothing if it is no such arithmetic, or rounds by its own rule.
std::optional<std::string> contractible_type(const ptx::Instruction& instruction) {
  constexpr std::string_view kRoundings[] = {"rn", "rz", "rm", "rp"};
  if (std::ranges::any_of(kRoundings, [&](std::string_view rounding) { return has(instruction, rounding); })) return {};
  if (instruction.operands.size() != 3 || instruction.modifiers.empty()) return {};
  const std::string& type = instruction.modifiers.back();
  constexpr std::string_view kTypes[] = {"f32", "f64", "f16", "f16x2"};
  if (std::ranges::find(kTypes, type) == std::end(kTypes)) return {};
  return type;
}

bool is_product(const ptx::Instruction& instruction) {
  return instruction.opcode == "mul" && !instruction.guard && contractible_type(instruction) &&
         !has(instruction, "sat");
}
bool is_sum(const ptx::Instruction& instruction) {
  return (instruction.opcode == "add" || instruction.opcode == "sub") && contractible_type(instruction).has_value();
}

// Which operand of the sum is the product; nothing: none, or both.
std::optional<size_t> place_in_sum(const ptx::Instruction& sum, const std::string& product) {
  const auto is = [&](size_t operand) {
    const std::string* name = register_of(sum.operands[operand]);
    return name != nullptr && *name == product;
  };
  if (is(1) == is(2)) return {};
  return is(1) ? 1 : 2;
}

bool writes(const ptx::Instruction& instruction, const ptx::Operand& operand) {
  const std::string* wanted = register_of(operand);
  if (wanted == nullptr || instruction.operands.empty()) return false;
  bool found = false;
  for_each_name(instruction.operands.front(), [&](const std::string& name) { found |= name == *wanted; });
  return found;
}

bool ends_straight_code(const ptx::Instruction& instruction) {
  constexpr std::string_view kJumps[] = {"bra", "brx", "call", "ret", "exit", "trap"};
  return std::ranges::find(kJumps, instruction.opcode) != std::end(kJumps);
}

class Contraction {
 public:
  Contraction(ptx::CompoundStatement& body, int32_t function, bool fuse) : function_(function), fuse_(fuse) {
    count_uses(body, uses_);
    walk(body);
  }
  std::vector<FusiblePair> pairs;

 private:
  void walk(ptx::CompoundStatement& compound) {
    for (size_t i = 0; i < compound.statements.size(); ++i) {
      if (auto* inner = std::get_if<ptx::CompoundStatement>(&compound.statements[i].value)) walk(*inner);
      const auto* product = std::get_if<ptx::Instruction>(&compound.statements[i].value);
      if (product == nullptr || !is_product(*product)) continue;
      if (const auto sum = find_sum(compound, i)) {
        pairs.push_back({std::get<ptx::Instruction>(compound.statements[*sum].value).position.line, function_});
        if (fuse_) rewrite(compound, i, *sum);
      }
    }
  }

  std::optional<size_t> find_sum(const ptx::CompoundStatement& compound, size_t at) const {
    const auto& product = std::get<ptx::Instruction>(compound.statements[at].value);
    const std::string* result = register_of(product.operands[0]);
    if (result == nullptr) return {};
    const auto uses = uses_.find(*result);
    if (uses == uses_.end() || uses->second != 2) return {};  // written here, read once
    for (size_t i = at + 1; i < compound.statements.size(); ++i) {
      const ptx::Statement& statement = compound.statements[i];
      if (std::holds_alternative<ptx::Label>(statement.value) ||
          std::holds_alternative<ptx::CompoundStatement>(statement.value))
        return {};
      const auto* next = std::get_if<ptx::Instruction>(&statement.value);
      if (next == nullptr) continue;
      if (is_sum(*next) && place_in_sum(*next, *result)) {
        const bool same =
            contractible_type(*next) == contractible_type(product) && has(*next, "ftz") == has(product, "ftz");
        return same ? std::optional(i) : std::nullopt;
      }
      if (ends_straight_code(*next) || writes(*next, product.operands[1]) || writes(*next, product.operands[2]))
        return {};
    }
    return {};
  }

  // a * b + c, a * b - c = a * b + -c, c - a * b = -a * b + c. What is negated goes through the product's register.
  static void rewrite(ptx::CompoundStatement& compound, size_t product_at, size_t sum_at) {
    ptx::Instruction product = std::get<ptx::Instruction>(compound.statements[product_at].value);
    auto& sum = std::get<ptx::Instruction>(compound.statements[sum_at].value);
    const size_t place = *place_in_sum(sum, *register_of(product.operands[0]));
    const ptx::Operand other = sum.operands[3 - place];
    std::vector<ptx::Operand> operands = {sum.operands[0], product.operands[1], product.operands[2], other};
    std::optional<ptx::Instruction> negation;
    if (sum.opcode == "sub") {
      negation = product;
      negation->opcode = "neg";
      negation->guard = sum.guard;
      negation->modifiers = {contractible_type(product).value()};
      const size_t negated = place == 1 ? 3 : 1;
      negation->operands = {product.operands[0], operands[negated]};
      operands[negated] = product.operands[0];
    }
    sum.opcode = "fma";
    sum.modifiers.insert(sum.modifiers.begin(), "rn");
    sum.operands = std::move(operands);
    // The product's place holds a line of no effect, so that nothing behind it moves.
    if (negation) {
      compound.statements.insert(compound.statements.begin() + static_cast<std::ptrdiff_t>(sum_at),
                                 ptx::Statement{*negation});
    }
    compound.statements[product_at].value = ptx::Pragma{};
  }

  const int32_t function_;
  const bool fuse_;
  Uses uses_;
};

}  // namespace

std::vector<FusiblePair> contract(ptx::Function& function, int32_t number, bool fuse) {
  if (!function.body) return {};
  return std::move(Contraction(*function.body, number, fuse).pairs);
}

}  // namespace assay::vgpu
