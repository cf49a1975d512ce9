// SPDX-License-Identifier: MIT
#include "assay/labour.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "cluster/labour.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/nvml.hpp"
#include "work/document.hpp"

namespace assay::work {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof(name) - 1) == 0 ? name : "unknown";
}

// The names of files: nothing that leads elsewhere.
std::string plain(std::string name) {
  std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '_'; }, '-');
  return name;
}

// Slurm says which GPU is ours by CUDA_VISIBLE_DEVICES, whose numbers mean something else on every machine; so the
// first visible one is known by its UUID.
cluster::Worker describe_worker(const std::string& name) {
  cluster::Worker worker;
  worker.host = variable("SLURMD_NODENAME");
  if (worker.host.empty()) worker.host = host_name();
  worker.job = variable("SLURM_JOB_ID");
  const std::string restarts = variable("SLURM_RESTART_COUNT");
  std::from_chars(restarts.data(), restarts.data() + restarts.size(), worker.restarts);
  worker.device = "virtual";
  if (device::cuda::device_count() > 0) {
    worker.device = worker.host + ":gpu";  // where nobody tells the UUID
    if (const auto state = device::cuda::read_state(0)) {
      worker.device = state->uuid;
      worker.gpu = state->name;
    }
  }
  worker.name = plain(!name.empty()        ? name
                      : worker.job.empty() ? fmt::format("{}-{}", worker.host, ::getpid())
                                           : fmt::format("{}-job{}-{}", worker.host, worker.job, worker.restarts));
  return worker;
}

}  // namespace

Result<LabourReport> labour(const LabourRequest& request, const Context& context) {
  ASSAY_TRY(cluster::WorkFolder folder, cluster::WorkFolder::open(request.folder));
  const cluster::Worker worker = describe_worker(request.name);
  cluster::LabourOptions options;
  options.unattended = std::chrono::milliseconds(static_cast<int64_t>(request.unattended_s * 1000));
  ASSAY_TRY(const cluster::LabourReport done, cluster::labour(folder, worker, options, context));
  LabourReport report;
  report.worker = worker.name;
  report.device = worker.device;
  report.finished = done.finished;
  report.given_back = done.given_back;
  report.overtaken = done.overtaken;
  return report;
}

std::string to_json(const LabourReport& report) {
  nlohmann::json document = document_head("work");
  document.update({{"worker", report.worker},
                   {"device", report.device},
                   {"finished", report.finished},
                   {"given_back", report.given_back},
                   {"overtaken", report.overtaken}});
  return document_text(document);
}

}  // namespace assay::work
