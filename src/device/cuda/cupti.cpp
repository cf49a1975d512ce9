// SPDX-License-Identifier: MIT
#include "device/cuda/cupti.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <mutex>

#include "device/cuda/cupti_records.hpp"

namespace assay::device::cuda {
namespace {

namespace fs = std::filesystem;

constexpr int kCuptiSuccess = 0;
constexpr size_t kBufferBytes = size_t{4} << 20;
constexpr size_t kBufferAlignment = 8;
constexpr uint32_t kFlushForced = 1;
constexpr std::array kKinds = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                               CUPTI_ACTIVITY_KIND_MEMSET};

// CUPTI's callbacks carry no pointer of ours, and they come on a thread of CUPTI's.
std::mutex receiver_mutex;
ActivityTrace* receiver = nullptr;

void add_libraries_in(std::vector<std::string>& found, const fs::path& folder) {
  std::error_code failed;
  std::vector<std::string> here;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("libcupti.so")) here.push_back(entry.path().string());
  }
  std::ranges::sort(here, std::greater<>());  // the newest version first
  found.insert(found.end(), here.begin(), here.end());
}

void add_toolkit(std::vector<std::string>& found, const fs::path& root) {
  for (const char* place : {"extras/CUPTI/lib64", "lib64", "lib", "targets/x86_64-linux/lib"})
    add_libraries_in(found, root / place);
}

// Toolkits side by side, the newest first: cuda-13.0, cuda-12.8 ...
std::vector<fs::path> installed_toolkits() {
  std::vector<fs::path> roots;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator("/usr/local", failed)) {
    if (entry.path().filename().string().starts_with("cuda")) roots.push_back(entry.path());
  }
  std::ranges::sort(roots, std::greater<>());
  return roots;
}

// nvidia/cuda_cupti/lib and nvidia/cu13/lib inside the folders where Python keeps its packages.
void add_python_packages(std::vector<std::string>& found) {
  std::error_code failed;
  for (const char* root : {"/usr/local/lib", "/usr/lib", "/opt/conda/lib", "/opt/venv/lib"}) {
    for (const fs::directory_entry& python : fs::directory_iterator(root, failed)) {
      if (!python.path().filename().string().starts_with("python3")) continue;
      for (const char* packages : {"dist-packages", "site-packages"}) {
        const fs::path nvidia = python.path() / packages / "nvidia";
        add_libraries_in(found, nvidia / "cuda_cupti" / "lib");
        add_libraries_in(found, nvidia / "cu13" / "lib");
      }
    }
  }
}

}  // namespace

std::vector<std::string> cupti_candidates() {
  if (const char* given = std::getenv("ASSAY_CUPTI_LIBRARY"); given != nullptr && *given != '\0') return {given};
  std::vector<std::string> found;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* root = std::getenv(variable); root != nullptr && *root != '\0') add_toolkit(found, root);
  }
  for (const fs::path& root : installed_toolkits()) add_toolkit(found, root);
  add_python_packages(found);
  for (const char* name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so"}) found.emplace_back(name);
  return found;
}

struct ActivityTrace::Table {
  int (*cuptiActivityRegisterCallbacks)(void (*request)(uint8_t**, size_t*, size_t*),
                                        void (*complete)(void*, uint32_t, uint8_t*, size_t, size_t)) = nullptr;
  int (*cuptiActivityEnable)(uint32_t kind) = nullptr;
  int (*cuptiActivityDisable)(uint32_t kind) = nullptr;
  int (*cuptiActivityFlushAll)(uint32_t flag) = nullptr;
  int (*cuptiActivityGetNextRecord)(uint8_t* buffer, size_t bytes, void** record) = nullptr;
  int (*cuptiActivityGetNumDroppedRecords)(void* context, uint32_t stream, size_t* dropped) = nullptr;
  int (*cuptiGetVersion)(uint32_t* version) = nullptr;
  int (*cuptiGetResultString)(int code, const char** text) = nullptr;
};

ActivityTrace::ActivityTrace(SharedLibrary library) : library_(std::move(library)), table_(std::make_unique<Table>()) {}

ActivityTrace::~ActivityTrace() {
  const std::lock_guard lock(receiver_mutex);
  if (receiver == this) receiver = nullptr;
}

Result<ActivityTrace*> ActivityTrace::open() {
  static const Result<std::unique_ptr<ActivityTrace>> opened = open(cupti_candidates());
  if (!opened) return opened.error();
  return opened->get();
}

Result<std::unique_ptr<ActivityTrace>> ActivityTrace::open(const std::vector<std::string>& libraries) {
  auto library = SharedLibrary::open(libraries);
  if (!library) {
    return Error{"CUPTI was not found, so which kernels ran cannot be listed",
                 {},
                 "it comes with the CUDA toolkit (extras/CUPTI); ASSAY_CUPTI_LIBRARY names another",
                 ExitCode::environment};
  }
  std::unique_ptr<ActivityTrace> trace(new ActivityTrace(std::move(*library)));
  Table& table = *trace->table_;
  bool complete = true;
  const auto need = [&](auto& slot, const char* name) { complete &= bind_symbol(trace->library_, slot, name); };
  need(table.cuptiActivityRegisterCallbacks, "cuptiActivityRegisterCallbacks");
  need(table.cuptiActivityEnable, "cuptiActivityEnable");
  need(table.cuptiActivityDisable, "cuptiActivityDisable");
  need(table.cuptiActivityFlushAll, "cuptiActivityFlushAll");
  need(table.cuptiActivityGetNextRecord, "cuptiActivityGetNextRecord");
  need(table.cuptiActivityGetNumDroppedRecords, "cuptiActivityGetNumDroppedRecords");
  need(table.cuptiGetVersion, "cuptiGetVersion");
  need(table.cuptiGetResultString, "cuptiGetResultString");
  if (!complete)
    return Error{
        fmt::format("{} is not a CUPTI that Assay knows", trace->library_.path()), {}, "", ExitCode::environment};
  ASSAY_CHECK(trace->check(table.cuptiGetVersion(&trace->version_), "cuptiGetVersion"));
  ASSAY_CHECK(trace->check(table.cuptiActivityRegisterCallbacks(request_buffer, complete_buffer),
                           "cuptiActivityRegisterCallbacks"));
  const std::lock_guard lock(receiver_mutex);
  receiver = trace.get();
  return trace;
}

Result<void> ActivityTrace::check(int code, const char* what) const {
  if (code == kCuptiSuccess) return {};
  const char* text = nullptr;
  table_->cuptiGetResultString(code, &text);
  return Error{fmt::format("{}: {}", what, text != nullptr ? text : fmt::format("CUPTI error {}", code)),
               {},
               "another profiler in this process, or missing permission (NVreg_RestrictProfilingToAdminUsers), can be "
               "the reason",
               ExitCode::environment};
}

Result<void> ActivityTrace::start() {
  for (const uint32_t kind : kKinds) ASSAY_CHECK(check(table_->cuptiActivityEnable(kind), "cuptiActivityEnable"));
  // What was recorded before this point is not ours.
  ASSAY_CHECK(check(table_->cuptiActivityFlushAll(kFlushForced), "cuptiActivityFlushAll"));
  const std::lock_guard lock(receiver_mutex);
  found_.clear();
  running_ = true;
  return {};
}

Result<std::vector<Activity>> ActivityTrace::stop() {
  ASSAY_CHECK(check(table_->cuptiActivityFlushAll(kFlushForced), "cuptiActivityFlushAll"));
  for (const uint32_t kind : kKinds) ASSAY_CHECK(check(table_->cuptiActivityDisable(kind), "cuptiActivityDisable"));
  const std::lock_guard lock(receiver_mutex);
  running_ = false;
  std::vector<Activity> found = std::move(found_);
  found_.clear();
  std::ranges::stable_sort(found, {}, &Activity::start_ns);
  return found;
}

void ActivityTrace::request_buffer(uint8_t** buffer, size_t* bytes, size_t* most_records) {
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
  *bytes = *buffer != nullptr ? kBufferBytes : 0;
  *most_records = 0;  // as many as fit
}

void ActivityTrace::complete_buffer(void* context, uint32_t stream, uint8_t* buffer, size_t /*bytes*/, size_t used) {
  {
    const std::lock_guard lock(receiver_mutex);
    if (receiver != nullptr) {
      receiver->take(buffer, used);
      size_t dropped = 0;
      if (receiver->table_->cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == kCuptiSuccess)
        receiver->dropped_ += dropped;
    }
  }
  std::free(buffer);
}

void ActivityTrace::take(const uint8_t* buffer, size_t bytes) {
  if (!running_) return;
  void* at = nullptr;
  while (table_->cuptiActivityGetNextRecord(const_cast<uint8_t*>(buffer), bytes, &at) == kCuptiSuccess) {
    uint32_t kind = 0;
    std::memcpy(&kind, at, sizeof kind);
    Activity activity;
    if (kind == CUPTI_ACTIVITY_KIND_KERNEL || kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
      KernelRecord record{};
      std::memcpy(&record, at, sizeof record);
      activity = {.kind = ActivityKind::kernel,
                  .name = record.name != nullptr ? record.name : "",
                  .stream = record.stream,
                  .context = record.context,
                  .device = record.device,
                  .correlation = record.correlation,
                  .start_ns = record.start,
                  .end_ns = record.end,
                  .bytes = 0,
                  .grid_x = static_cast<uint32_t>(record.grid_x),
                  .grid_y = static_cast<uint32_t>(record.grid_y),
                  .grid_z = static_cast<uint32_t>(record.grid_z),
                  .block_x = static_cast<uint32_t>(record.block_x),
                  .block_y = static_cast<uint32_t>(record.block_y),
                  .block_z = static_cast<uint32_t>(record.block_z)};
    } else if (kind == CUPTI_ACTIVITY_KIND_MEMCPY || kind == CUPTI_ACTIVITY_KIND_MEMSET) {
      TransferRecord record{};
      std::memcpy(&record, at, sizeof record);
      activity.kind = kind == CUPTI_ACTIVITY_KIND_MEMCPY ? ActivityKind::copy : ActivityKind::fill;
      activity.stream = record.stream;
      activity.context = record.context;
      activity.device = record.device;
      activity.correlation = record.correlation;
      activity.start_ns = record.start;
      activity.end_ns = record.end;
      activity.bytes = record.bytes;
    } else {
      continue;
    }
    found_.push_back(std::move(activity));
  }
}

}  // namespace assay::device::cuda
