// SPDX-License-Identifier: MIT
#include "work/gather_crew.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "device/cuda/nvml.hpp"

namespace assay::work {
namespace {

namespace fs = std::filesystem;

// GPUs by UUID: an index means another GPU on every machine and under every CUDA_VISIBLE_DEVICES.
std::vector<std::map<std::string, std::string>> gpu_environments() {
  std::vector<std::map<std::string, std::string>> environments;
  for (int gpu = 0; const auto state = device::cuda::read_state(gpu); ++gpu) {
    if (!state->uuid.empty()) environments.push_back({{"CUDA_VISIBLE_DEVICES", state->uuid}});
  }
  return environments;
}

}  // namespace

size_t worker_count(const ExecutorOptions& options) {
  if (options.workers > 0) return options.workers;
  return options.executor == "local" ? std::max<size_t>(1, gpu_environments().size()) : 1;
}

Result<std::unique_ptr<cluster::Crew>> gather_crew(const ExecutorOptions& options, const fs::path& folder,
                                                   const Context& context) {
  cluster::CrewOptions crew;
  crew.folder = folder;
  crew.workers = worker_count(options);
  crew.lease = std::chrono::milliseconds(static_cast<int64_t>(options.lease_s * 1000));
  if (options.executor == "local")
    return cluster::Crew::gather(crew, cluster::local_executor(gpu_environments()), context);
  if (options.executor != "slurm")
    return Error{fmt::format("there is no executor '{}'", options.executor), {}, "executors: local, slurm"};
  cluster::SlurmOptions slurm;
  slurm.partition = options.partition;
  slurm.gres = options.gres;
  slurm.time = options.time;
  slurm.options = options.options;
  ASSAY_TRY(std::unique_ptr<cluster::Executor> executor, cluster::slurm_executor(slurm, fs::absolute(folder) / "log"));
  return cluster::Crew::gather(crew, std::move(executor), context);
}

nlohmann::json devices_document(const std::vector<WorkerDevice>& devices) {
  nlohmann::json list = nlohmann::json::array();
  for (const WorkerDevice& each : devices)
    list.push_back({{"device", each.device}, {"gpu", each.gpu}, {"hosts", each.hosts}, {"answers", each.answers}});
  return list;
}

Result<fs::path> run_folder(const fs::path& place, bool resume) {
  std::error_code failed;
  fs::create_directories(place, failed);
  if (resume) {
    if (const auto name = read_file(place / "current", 100)) {
      const fs::path folder = place / fs::path(std::string(trim(*name))).filename();
      if (fs::is_directory(folder, failed)) return folder;
    }
  }
  const std::string name = fmt::format("run-{:016x}", system_random());
  ASSAY_CHECK(write_file_atomically(place / "current", name + "\n"));
  return place / name;
}

}  // namespace assay::work
