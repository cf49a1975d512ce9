// SPDX-License-Identifier: MIT
// Runs the cases of tests/ptx on a real GPU: what they expect of the virtual GPU must be what the hardware does.
// Needs a C++20 compiler and the CUDA driver, nothing else. From the root of the repository:
//   g++ -std=c++20 -O1 -Isrc -Itests tests/gpu/ptx_truth.cpp tests/support/ptx_case.cpp src/base/text.cpp -ldl
//       -o ptx_truth
//   ./ptx_truth [--brief] [--seconds N] tests/ptx
// Cases run in a child process, one after the other. A fault ends the child (its context is lost) and the next case
// gets a fresh one; a case that hangs is killed after N seconds (10).
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <poll.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "gpu/cuda_driver.hpp"
#include "support/ptx_case.hpp"

namespace assay::test {
namespace {

constexpr int kHopper = 90;          // compute capability
constexpr int kMostDifferences = 6;  // shown of one parameter

struct Verdict {
  char letter = 'F';  // p: passed, F: failed, s: skipped
  std::string text;   // why
};

// What the driver says for a finding of ours. Findings that a GPU does not have are not here.
bool fault_fits(const std::string& kind, CuResult result) {
  constexpr int kIllegalAddress = 700, kAssert = 710, kIllegalInstruction = 715, kMisaligned = 716, kWrongSpace = 717,
                kLaunchFailed = 719;
  static const std::map<std::string, std::vector<int>> kExpected = {
      {"trap", {kIllegalInstruction, kLaunchFailed}},
      {"assert", {kAssert}},
      {"illegal_instruction", {kIllegalInstruction}},
      {"misaligned", {kMisaligned}},
      {"null", {kIllegalAddress}},
      {"illegal_address", {kIllegalAddress, kWrongSpace, kLaunchFailed}},
      {"out_of_bounds", {kIllegalAddress, kLaunchFailed}},
  };
  const auto found = kExpected.find(kind);
  return found != kExpected.end() && std::count(found->second.begin(), found->second.end(), result) > 0;
}

int target_of(const std::string& text) {
  const size_t at = text.find(".target sm_");
  return at == std::string::npos ? 0 : std::atoi(text.c_str() + at + std::strlen(".target sm_"));
}

std::string reason_to_skip(const PtxCase& test, int capability) {
  if (std::any_of(test.arguments.begin(), test.arguments.end(),
                  [](const CaseArgument& each) { return each.is_object(); }))
    return "texture_truth asks the GPU about textures";
  if (!test.gpu_skip.empty()) return test.gpu_skip;
  if (!test.error.empty()) return "tests a message of our own";
  // What is only on Hopper may be gone on its successors.
  if (test.device.starts_with('h') && capability != kHopper) return "needs a Hopper GPU";
  if (target_of(test.text) > capability) return "needs sm_" + std::to_string(target_of(test.text));
  return "";
}

constexpr size_t kMapBytes = 128;
struct alignas(64) TensorMapBytes {
  std::byte bytes[kMapBytes];
};

// CUtensorMapDataType.
int map_type(const std::string& type) {
  static const std::map<std::string, int> kTypes = {
      {"u8", 0},  {"s8", 0},  {"b8", 0},  {"u16", 1}, {"s16", 1}, {"b16", 1}, {"u32", 2}, {"b32", 2},
      {"s32", 3}, {"u64", 4}, {"b64", 4}, {"s64", 5}, {"f16", 6}, {"f32", 7}, {"f64", 8}, {"bf16", 9}};
  return kTypes.at(type);
}

// What the kernel prints arrives at the process's standard output, which the worker has put into a file.
class PrintedText {
 public:
  PrintedText() : file_(std::tmpfile()) {
    std::fflush(stdout);
    ::dup2(::fileno(file_), STDOUT_FILENO);
  }
  std::string take() {
    std::fflush(stdout);
    const off_t size = ::lseek(STDOUT_FILENO, 0, SEEK_END);
    std::string text(static_cast<size_t>(std::max<off_t>(0, size)), '\0');
    const ssize_t got = ::pread(STDOUT_FILENO, text.data(), text.size(), 0);
    text.resize(static_cast<size_t>(std::max<ssize_t>(0, got)));
    if (::ftruncate(STDOUT_FILENO, 0) == 0) ::lseek(STDOUT_FILENO, 0, SEEK_SET);
    return text;
  }

 private:
  std::FILE* file_;
};

class Worker {
 public:
  // "" or why there is no GPU.
  std::string start() {
    if (std::string missing = driver_.open(); !missing.empty()) return missing;
    CuDevice device = 0;
    CuContext context = nullptr;
    if (CuResult r = driver_.init(0); r != 0) return driver_.name_of(r);
    if (CuResult r = driver_.device(&device, 0); r != 0) return driver_.name_of(r);
    if (CuResult r = driver_.retain_context(&context, device); r != 0) return driver_.name_of(r);
    if (CuResult r = driver_.set_context(context); r != 0) return driver_.name_of(r);
    int major = 0, minor = 0;
    driver_.device_attribute(&major, kCapabilityMajor, device);
    driver_.device_attribute(&minor, kCapabilityMinor, device);
    capability_ = 10 * major + minor;
    char name[128] = "";
    int version = 0;
    driver_.device_name(name, sizeof name, device);
    driver_.driver_version(&version);
    description_ = std::string(name) + ", sm_" + std::to_string(capability_) + ", driver for CUDA " +
                   std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
    return "";
  }
  const std::string& description() const { return description_; }
  bool lost() const { return lost_; }  // the context, by a fault

  Verdict run(const std::string& file) {
    const auto test = read_ptx_case(file);
    if (!test) return {'F', test.error().message};
    if (const std::string reason = reason_to_skip(*test, capability_); !reason.empty()) return {'s', reason};
    CuModule module = nullptr;
    if (std::string problem = load(*test, module); !problem.empty()) return {'F', problem};
    Verdict verdict = launch(*test, module);
    if (!lost_) driver_.unload_module(module);
    return verdict;
  }

 private:
  std::string load(const PtxCase& test, CuModule& module) {
    char log[2048] = "";
    int options[] = {kErrorLogBuffer, kErrorLogBytes};
    void* values[] = {log, reinterpret_cast<void*>(static_cast<uintptr_t>(sizeof log))};
    const CuResult result = driver_.load_module(&module, test.text.c_str(), 2, options, values);
    return result == 0 ? "" : "the driver refused the module: " + driver_.name_of(result) + " " + log;
  }

  Verdict launch(const PtxCase& test, CuModule module) {
    CuFunction kernel = nullptr;
    if (CuResult r = driver_.function(&kernel, module, test.kernel.c_str()); r != 0)
      return {'F', "no kernel '" + test.kernel + "'"};
    const size_t count = test.arguments.size();
    std::vector<CuPointer> buffers(count, 0);
    std::vector<std::vector<std::byte>> scalars(count);
    std::vector<TensorMapBytes> maps(count);
    std::vector<void*> parameters(count);
    for (size_t i = 0; i < count; ++i) {
      const CaseArgument& argument = test.arguments[i];
      if (argument.kind == CaseArgument::Kind::scalar) {
        constexpr size_t kRoom = 256;  // the parameter may be wider than the value that was given
        scalars[i] = argument.initial;
        scalars[i].resize(argument.initial.size() + kRoom);
        parameters[i] = scalars[i].data();
        continue;
      }
      if (argument.kind == CaseArgument::Kind::map) {
        if (std::string problem = encode(argument, buffers[argument.map.buffer], maps[i]); !problem.empty())
          return {'F', problem};
        parameters[i] = &maps[i];
        continue;
      }
      std::vector<std::byte> content(std::max(argument.initial.size(), argument.expected.size()), std::byte{0xcd});
      std::copy(argument.initial.begin(), argument.initial.end(), content.begin());
      if (driver_.allocate(&buffers[i], content.size()) != 0) return {'F', "out of memory"};
      driver_.copy_to_device(buffers[i], content.data(), content.size());
      parameters[i] = &buffers[i];
    }
    printed_.take();
    CuResult result = driver_.launch(kernel, test.grid[0], test.grid[1], test.grid[2], test.block[0], test.block[1],
                                     test.block[2], test.shared_bytes, nullptr, parameters.data(), nullptr);
    if (result == 0) result = driver_.synchronize();
    const std::string printed = printed_.take();
    lost_ = result != 0;
    if (!test.fault.empty()) {
      if (fault_fits(test.fault, result)) return {'p', "stopped with " + driver_.name_of(result)};
      return {'F', "expected the fault " + test.fault + ", got " + (result == 0 ? "none" : driver_.name_of(result))};
    }
    if (lost_) return {'F', "stopped with " + driver_.name_of(result)};
    Verdict verdict = compare(test, buffers);
    if (test.printed && printed != *test.printed)
      verdict = {'F', verdict.text + " printed '" + printed + "', expected '" + *test.printed + "'"};
    for (const CuPointer buffer : buffers) {
      if (buffer != 0) driver_.free(buffer);
    }
    return verdict;
  }

  // "" or why there is no map.
  std::string encode(const CaseArgument& argument, CuPointer buffer, TensorMapBytes& into) {
    if (driver_.encode_tensor_map == nullptr || driver_.encode_im2col_map == nullptr)
      return "this driver has no tensor maps";
    const CaseMap& map = argument.map;
    const int type = map_type(argument.type);
    const auto rank = static_cast<uint32_t>(map.dims.size());
    const auto swizzle = static_cast<int>(map.swizzle);
    const int fill = map.fill_nan ? 1 : 0;
    auto* const memory = reinterpret_cast<void*>(buffer);
    const CuResult result =
        map.pixels == 0 ? driver_.encode_tensor_map(&into, type, rank, memory, map.dims.data(), map.strides.data() + 1,
                                                    map.box.data(), map.steps.data(), 0, swizzle, 0, fill)
                        : driver_.encode_im2col_map(&into, type, rank, memory, map.dims.data(), map.strides.data() + 1,
                                                    map.lower.data(), map.upper.data(), map.box[0], map.pixels,
                                                    map.steps.data(), 0, swizzle, 0, fill);
    return result == 0 ? "" : "the driver refused the tensor map: " + driver_.name_of(result);
  }

  Verdict compare(const PtxCase& test, const std::vector<CuPointer>& buffers) {
    Verdict verdict{'p', ""};
    for (size_t i = 0; i < test.arguments.size(); ++i) {
      const CaseArgument& argument = test.arguments[i];
      if (buffers[i] == 0 || argument.expected.empty()) continue;
      std::vector<std::byte> got(argument.expected.size());
      driver_.copy_to_host(got.data(), buffers[i], got.size());
      const std::string differs = compare_values(argument, got.data(), kMostDifferences);
      if (differs.empty()) continue;
      verdict.letter = 'F';
      verdict.text +=
          (verdict.text.empty() ? "parameter " : "\n       parameter ") + std::to_string(i) + ": " + differs;
    }
    return verdict;
  }

  CudaDriver driver_;
  PrintedText printed_;
  std::string description_;
  int capability_ = 0;
  bool lost_ = false;
};

// --- the child's side of the pipe: a letter, the length of the text, the text

void send(int pipe, char letter, const std::string& text) {
  std::string message(1, letter);
  const auto length = static_cast<uint32_t>(text.size());
  message.append(reinterpret_cast<const char*>(&length), sizeof length);
  message += text;
  if (::write(pipe, message.data(), message.size()) != static_cast<ssize_t>(message.size())) std::_Exit(3);
}

[[noreturn]] void work(const std::vector<std::string>& files, size_t first, int pipe) {
  Worker worker;
  if (const std::string problem = worker.start(); !problem.empty()) {
    send(pipe, 'x', problem);
    std::_Exit(3);
  }
  send(pipe, 'd', worker.description());
  for (size_t i = first; i < files.size() && !worker.lost(); ++i) {
    const Verdict verdict = worker.run(files[i]);
    send(pipe, verdict.letter, verdict.text);
  }
  std::_Exit(0);
}

// --- the parent's side

bool read_exactly(int pipe, void* into, size_t bytes, int seconds) {
  auto* at = static_cast<char*>(into);
  while (bytes > 0) {
    pollfd ready{pipe, POLLIN, 0};
    if (::poll(&ready, 1, seconds * 1000) <= 0) return false;
    const ssize_t got = ::read(pipe, at, bytes);
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<size_t>(got);
  }
  return true;
}

bool receive(int pipe, int seconds, Verdict& verdict) {
  uint32_t length = 0;
  if (!read_exactly(pipe, &verdict.letter, 1, seconds) || !read_exactly(pipe, &length, sizeof length, seconds))
    return false;
  verdict.text.assign(length, '\0');
  return read_exactly(pipe, verdict.text.data(), length, seconds);
}

struct Options {
  bool brief = false;
  int seconds = 10;
  std::vector<std::string> files;
};

struct Totals {
  int passed = 0, failed = 0, skipped = 0;
};

void show(const Options& options, const std::string& file, const Verdict& verdict, Totals& totals) {
  const char* word = verdict.letter == 'p' ? "pass" : verdict.letter == 's' ? "skip" : "FAIL";
  ++(verdict.letter == 'p' ? totals.passed : verdict.letter == 's' ? totals.skipped : totals.failed);
  if (options.brief && verdict.letter != 'F') return;
  const std::filesystem::path path(file);
  const std::string name = path.parent_path().filename().string() + "/" + path.stem().string();
  std::printf("%s  %-36s  %s\n", word, name.c_str(), verdict.text.c_str());
  std::fflush(stdout);
}

// One child, from file `next` on, until it ends. Returns false when there is no GPU at all.
bool run_child(const Options& options, size_t& next, Totals& totals, std::string& description) {
  constexpr int kSecondsToStart = 120;
  int ends[2];
  if (::pipe(ends) != 0) return false;
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    work(options.files, next, ends[1]);
  }
  ::close(ends[1]);
  Verdict verdict;
  bool good = receive(ends[0], kSecondsToStart, verdict) && verdict.letter == 'd';
  if (good) {
    description = verdict.text;
    while (next < options.files.size() && receive(ends[0], options.seconds, verdict))
      show(options, options.files[next++], verdict, totals);
  } else {
    std::fprintf(stderr, "%s\n", verdict.letter == 'x' ? verdict.text.c_str() : "the GPU did not answer");
  }
  const bool running = ::waitpid(child, nullptr, WNOHANG) == 0;
  // A child that has ended after a fault is as it should be; one that has not reported hangs in its case.
  if (good && next < options.files.size() && running) {
    pollfd ready{ends[0], POLLIN, 0};
    const bool ended = ::poll(&ready, 1, 1000) > 0 && (ready.revents & POLLHUP) != 0;
    if (!ended)
      show(options, options.files[next++], {'F', "did not end within " + std::to_string(options.seconds) + " s"},
           totals);
  }
  if (running) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  ::close(ends[0]);
  return good;
}

Options read_options(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--brief")
      options.brief = true;
    else if (word == "--seconds" && i + 1 < count)
      options.seconds = std::max(1, std::atoi(words[++i]));
    else if (std::filesystem::is_directory(word)) {
      for (const auto& entry : std::filesystem::recursive_directory_iterator(word)) {
        if (entry.path().extension() == ".ptx") options.files.push_back(entry.path().string());
      }
    } else
      options.files.push_back(word);
  }
  std::sort(options.files.begin(), options.files.end());
  return options;
}

}  // namespace
}  // namespace assay::test

int main(int count, char** words) {
  using namespace assay::test;
  const Options options = read_options(count, words);
  if (options.files.empty()) {
    std::fprintf(stderr, "usage: ptx_truth [--brief] [--seconds N] FOLDER_OR_CASE...\n");
    return 2;
  }
  Totals totals;
  std::string description;
  size_t next = 0;
  while (next < options.files.size()) {
    const size_t before = next;
    if (!run_child(options, next, totals, description)) return 6;
    if (next == before) show(options, options.files[next++], {'F', "the process ended without a result"}, totals);
  }
  std::printf("%d passed, %d failed, %d skipped on %s\n", totals.passed, totals.failed, totals.skipped,
              description.c_str());
  return totals.failed == 0 ? 0 : 5;
}
