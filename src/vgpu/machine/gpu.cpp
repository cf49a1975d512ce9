// SPDX-License-Identifier: MIT
#include "vgpu/machine/gpu.hpp"

#include <cstring>
#include <fmt/format.h>

namespace assay::vgpu {
namespace {

// The blocks of a cooperative launch meet at a counter behind %envreg1:%envreg2.
constexpr uint64_t kWorkspaceBytes = 64;

Error launch_error(const Launch& launch, std::string message, std::string hint = "") {
  return Error{
      fmt::format("cannot launch '{}': {}", launch.kernel->name, message), {}, std::move(hint), ExitCode::usage};
}

// The kernel is too large for this GPU: a verdict on the kernel, not a mistake in the launch.
Error does_not_fit(const Launch& launch, std::string message, std::string hint) {
  Error error = launch_error(launch, std::move(message), std::move(hint));
  error.exit_code = ExitCode::incorrect;
  return error;
}

// What the kernel does there cannot be known: no verdict on it.
Error cannot_be_run(const Launch& launch, const Finding& fault) {
  const SourceLine* const line = user_line(fault);
  return Error{fault.message,
               line != nullptr ? assay::Place{line->file, line->line, line->column}
                               : assay::Place{launch.program->file_name, fault.ptx_line, 1},
               std::string(gpu::info(fault.kind).hint), ExitCode::environment};
}

}  // namespace

const Program* Gpu::keep(std::unique_ptr<Program> program) {
  programs_.push_back(std::move(program));
  return programs_.back().get();
}

Result<void> Gpu::check_cluster(const Launch& launch) const {
  constexpr uint64_t kMost = 16;
  constexpr int kFirst = 90;  // compute capability
  const Dim3& cluster = launch.cluster;
  const Dim3& required = launch.kernel->required_cluster;
  if (required.x != 0 && required != cluster)
    return launch_error(launch, fmt::format("clusters of ({}, {}, {}), but the kernel was compiled for ({}, {}, {})",
                                            cluster.x, cluster.y, cluster.z, required.x, required.y, required.z));
  if (cluster.volume() == 1) return {};
  if (model_.compute_capability() < kFirst)
    return does_not_fit(launch, fmt::format("{} has no clusters of blocks", model_.name),
                        "they came with compute capability 9.0");
  if (cluster.volume() == 0 || cluster.volume() > kMost)
    return does_not_fit(launch, fmt::format("clusters of {} blocks; 1 to {} are possible", cluster.volume(), kMost),
                        "choose smaller clusters");
  if (launch.grid.x % cluster.x != 0 || launch.grid.y % cluster.y != 0 || launch.grid.z % cluster.z != 0)
    return launch_error(launch,
                        fmt::format("the grid ({}, {}, {}) is no multiple of the cluster ({}, {}, {})", launch.grid.x,
                                    launch.grid.y, launch.grid.z, cluster.x, cluster.y, cluster.z));
  return {};
}

Result<void> Gpu::check(const Launch& launch) const {
  const Function& kernel = *launch.kernel;
  if (kernel.undecodable) return *kernel.undecodable;
  if (launch.grid.volume() == 0 || launch.block.volume() == 0)
    return launch_error(launch, "the grid and the block need at least one thread");
  if (launch.grid.y > 65535 || launch.grid.z > 65535 || launch.grid.x > 0x7fffffff) {
    return launch_error(launch, fmt::format("the grid ({}, {}, {}) is beyond the limits (2147483647, 65535, 65535)",
                                            launch.grid.x, launch.grid.y, launch.grid.z));
  }
  const auto threads = launch.block.volume();
  if (launch.block.x > 1024 || launch.block.y > 1024 || launch.block.z > 64 ||
      threads > static_cast<uint64_t>(model_.max_threads_per_block)) {
    return does_not_fit(
        launch,
        fmt::format("{} threads per block ({}, {}, {}) are more than {} has ({})", threads, launch.block.x,
                    launch.block.y, launch.block.z, model_.name, model_.max_threads_per_block),
        "launch fewer threads");
  }
  if (kernel.max_threads != 0 && threads > kernel.max_threads) {
    return launch_error(launch,
                        fmt::format("{} threads per block, but the kernel was compiled for at most {} (.maxntid)",
                                    threads, kernel.max_threads),
                        "raise __launch_bounds__ or launch fewer threads");
  }
  if (kernel.required_threads.x != 0 && kernel.required_threads != launch.block) {
    return launch_error(launch, "the block differs from the one the kernel requires (.reqntid)");
  }
  ASSAY_CHECK(check_cluster(launch));
  const uint64_t shared = uint64_t{kernel.dynamic_shared_base} + launch.dynamic_shared_bytes;
  if (shared > static_cast<uint64_t>(model_.shared_bytes_per_block_optin)) {
    return does_not_fit(launch,
                        fmt::format("{} bytes of shared memory do not fit: {} allows {} per block", shared, model_.name,
                                    model_.shared_bytes_per_block_optin),
                        "use smaller tiles or fewer stages");
  }
  uint64_t parameter_bytes = 0;
  for (const Parameter& parameter : kernel.parameters) parameter_bytes = uint64_t{parameter.offset} + parameter.bytes;
  if (launch.parameters.size() != parameter_bytes) {
    return launch_error(launch, fmt::format("{} bytes of parameters given, the kernel takes {}",
                                            launch.parameters.size(), parameter_bytes));
  }
  return {};
}

Result<LaunchResult> Gpu::launch(const Launch& given) {
  Launch launch = given;
  // What the kernel was compiled for need not be said again.
  if (given.cluster.volume() == 1 && given.kernel->required_cluster.x != 0)
    launch.cluster = given.kernel->required_cluster;
  ASSAY_CHECK(check(launch));
  uint64_t workspace = 0;
  if (launch.kernel->communicates) {
    ASSAY_TRY(workspace, memory_.allocate(kWorkspaceBytes, "cooperative workspace"));
    std::memset(memory_.host(workspace), 0, kWorkspaceBytes);
    const uint32_t size = kWorkspaceBytes;
    std::memcpy(memory_.host(workspace), &size, sizeof size);
  }
  LaunchResult result = run_grid(Grid{launch, model_, memory_, textures_, workspace});
  if (workspace != 0) ASSAY_CHECK(memory_.free(workspace));
  if (result.fault && result.fault->kind == FindingKind::undefined_function)
    return cannot_be_run(launch, *result.fault);
  return result;
}

}  // namespace assay::vgpu
