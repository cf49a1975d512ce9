// SPDX-License-Identifier: MIT
#include "vgpu/observe/async_roles.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace assay::vgpu {
namespace {

using enum AsyncRole;

// The first prefix that fits decides.
constexpr std::array kRoles = {
    std::pair{std::string_view("cp.async.bulk.commit_group"), bulk_commit},
    std::pair{std::string_view("cp.async.bulk.wait_group"), bulk_wait},
    std::pair{std::string_view("cp.async.bulk.prefetch"), none},
    std::pair{std::string_view("cp.async.commit_group"), copy_commit},
    std::pair{std::string_view("cp.async.wait_group"), copy_wait},
    std::pair{std::string_view("cp.async.wait_all"), copy_wait_all},
    std::pair{std::string_view("cp.async.mbarrier"), none},
    std::pair{std::string_view("cp.reduce.async.bulk.shared"), bulk_load},
    std::pair{std::string_view("cp.reduce.async.bulk"), bulk_store},
    std::pair{std::string_view("wgmma.mma_async"), product},
    std::pair{std::string_view("wgmma.fence"), product_fence},
    std::pair{std::string_view("wgmma.commit_group"), product_commit},
    std::pair{std::string_view("wgmma.wait_group"), product_wait},
    std::pair{std::string_view("fence.proxy.async"), proxy_fence},
};

AsyncRole role_of(std::string_view opcode) {
  const auto* const known =
      std::ranges::find_if(kRoles, [&](const auto& role) { return opcode.starts_with(role.first); });
  if (known != kRoles.end()) return known->second;
  if (opcode.starts_with("cp.async.bulk"))  // the target comes first: cp.async.bulk{.tensor.2d}.global.shared::cta
    return opcode.find(".global.shared::cta") != opcode.npos ? bulk_store : bulk_load;
  if (opcode.starts_with("cp.async.")) return copy;
  return opcode.starts_with("mov.") ? move : none;
}

}  // namespace

std::vector<AsyncRole> async_roles(const Program& program, const Function& function) {
  std::vector<AsyncRole> of_opcode;
  for (const std::string& opcode : program.opcodes) of_opcode.push_back(role_of(opcode));
  std::vector<AsyncRole> roles(function.code.size(), none);
  for (size_t i = 0; i < roles.size(); ++i) {
    const InstructionOrigin& origin = function.origins[i];
    if (origin.table_row == kNoTableRow) continue;
    roles[i] = of_opcode[static_cast<size_t>(origin.opcode)];
    if (roles[i] == move && function.code[i].row_count != 2) roles[i] = none;  // packs or unpacks
  }
  return roles;
}

}  // namespace assay::vgpu
