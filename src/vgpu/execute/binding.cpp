// SPDX-License-Identifier: MIT
#include "vgpu/execute/binding.hpp"

#include <array>
#include <fmt/format.h>
#include <unordered_map>

#include "vgpu/execute/families.hpp"
#include "vgpu/execute/tensor_map_edit.hpp"

namespace assay::vgpu {

std::span<const std::span<const Binding>> all_bindings() {
  static const std::array kFamilies = {
      data_bindings(),    integer_bindings(),  bits_bindings(),       video_bindings(),       float_bindings(),
      half_bindings(),    compare_bindings(),  convert_bindings(),    memory_bindings(),      atomic_bindings(),
      async_bindings(),   mbarrier_bindings(), bulk_bindings(),       cluster_bindings(),     control_bindings(),
      barrier_bindings(), warp_bindings(),     tensor_bindings(),     warpgroup_bindings(),   wmma_bindings(),
      texture_bindings(), surface_bindings(),  tensor_map_bindings(), bulk_tensor_bindings(),
  };
  return kFamilies;
}

Result<void> need_hopper(const BindContext& context, std::string_view what) {
  constexpr int kHopper = 90;
  const gpu::GpuModel& model = *context.model;
  if (model.compute_capability() >= kHopper) return {};
  return context.error(fmt::format("{} need compute capability 9.0; {} has {}.{}", what, model.name,
                                   model.compute_major, model.compute_minor));
}

Error only_declared(const BindContext& context, const std::string& name) {
  Error error = context.error(fmt::format("the function '{}' is only declared: this module does not define it", name));
  error.exit_code = ExitCode::environment;
  error.hint = "compile its definition into the same file: the virtual GPU does not link modules";
  return error;
}

Binder binder_of(std::string_view row) {
  static const auto by_row = [] {
    std::unordered_map<std::string_view, Binder> map;
    for (const auto family : all_bindings()) {
      for (const Binding& binding : family) map.emplace(binding.row, binding.bind);
    }
    return map;
  }();
  const auto found = by_row.find(row);
  return found != by_row.end() ? found->second : nullptr;
}

}  // namespace assay::vgpu
