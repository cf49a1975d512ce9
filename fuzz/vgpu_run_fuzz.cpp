// SPDX-License-Identifier: MIT
// Kernels of any instructions with any operands run to an end, a fault or a limit, and what watches them changes
// nothing. ASSAY_FUZZ_PRINT=1 shows the kernel.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <span>
#include <string>

#include "instruction_writer.hpp"
#include "require.hpp"
#include "vgpu/decode/decode.hpp"
#include "vgpu/machine/gpu.hpp"
#include "vgpu/machine/tensor_map.hpp"
#include "vgpu/observe/counting.hpp"
#include "vgpu/observe/initialisation_check.hpp"
#include "vgpu/observe/memory_check.hpp"

using namespace assay;
using namespace assay::vgpu;
using fuzz::Choices;
using fuzz::InstructionWriter;
using fuzz::require;

namespace {

constexpr size_t kMostInstructions = 12;
constexpr uint32_t kBlocks = 2;
constexpr uint32_t kThreads = 128;
constexpr uint64_t kThreadBytes = 256;
constexpr uint64_t kBufferBytes = kBlocks * kThreads * kThreadBytes;
constexpr size_t kMapOffset = 64;  // among the parameters

// What a kernel runs on, and with.
struct Stage {
  const gpu::GpuModel& model;
  uint32_t cluster = 1;
  uint32_t threads = kThreads;
  TensorMap map{};
};

Stage draw_stage(Choices& choices) {
  Stage stage{.model = *gpu::find_model(choices.once_in(4) ? "l4" : "h100")};
  if (stage.model.compute_capability() >= 90 && choices.once_in(2)) stage.cluster = 2;
  if (choices.once_in(4)) stage.threads = 45;
  TensorMap& map = stage.map;
  map.rank = static_cast<uint8_t>(1 + choices.below(TensorMap::kMostDimensions));
  map.element_bytes = static_cast<uint8_t>(1 << choices.below(4));
  map.steps.fill(1);
  for (size_t i = 0; i < map.rank; ++i) {
    map.sizes[i] = static_cast<uint32_t>(1 + choices.below(20));
    map.strides[i] = 16 * (1 + choices.below(20));
    map.box[i] = static_cast<uint16_t>(1 + choices.below(8));
  }
  if (map.rank >= 3 && choices.once_in(2)) {  // im2col
    map.pixels = static_cast<uint16_t>(1 + choices.below(40));
    for (int16_t& at : map.lower) at = static_cast<int16_t>(choices.bits() >> 52);
    for (int16_t& at : map.upper) at = static_cast<int16_t>(choices.bits() >> 52);
  }
  return stage;
}

std::string kernel_of(const Stage& stage, const std::string& body) {
  return fmt::format(
      ".version 8.5\n.target sm_{}\n.address_size 64\n"
      ".global .align 128 .b8 in_global[4096];\n.const .align 16 .b8 in_const[512];\n"
      ".visible .entry k(.param .u64 buffer, .param .align 64 .b8 map[128])\n{{\n{}{}ret;\n}}\n",
      stage.model.compute_capability() >= 90 ? "90a" : "89", InstructionWriter::declarations(), body);
}

// Every thread leaves its registers in its part of the buffer.
std::string end_of_kernel() {
  std::string text = fmt::format(
      ".reg .b64 %end;\n.reg .b32 %number, %block;\nld.param.u64 %end, [buffer];\nmov.u32 %number, %tid.x;\n"
      "mov.u32 %block, %ctaid.x;\nmad.lo.u32 %number, %block, {}, %number;\nmad.wide.u32 %end, %number, {}, %end;\n",
      kThreads, kThreadBytes);
  for (int i = 0; i < 24; i += 4) {
    text += fmt::format("st.global.v4.b32 [%end+{}], {{%r{}, %r{}, %r{}, %r{}}};\n", 4 * i, i, i + 1, i + 2, i + 3);
  }
  for (int i = 0; i < 16; i += 2) {
    text += fmt::format("st.global.v2.b64 [%end+{}], {{%d{}, %d{}}};\n", 96 + 8 * i, i, i + 1);
  }
  return text;
}

// Addresses of every space, lanes and barriers to begin with, then bits of any value.
std::string start_of(Choices& choices) {
  std::string text =
      "ld.param.u64 %d0, [buffer];\nmov.b64 %d1, map;\ncvta.param.u64 %d1, %d1;\ncvta.shared.u64 %d2, in_shared;\n"
      "cvta.local.u64 %d3, in_local;\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, in_shared;\nmov.u32 %r2, %laneid;\n"
      "mad.lo.u32 %r3, %r0, 16, %r1;\nmov.u64 %d4, 0x4000004000010010;\nsetp.lt.u32 %p1, %r0, 17;\n"
      "mbarrier.init.shared.b64 [in_shared+128], 1;\n";
  const size_t values = choices.below(8);
  for (size_t i = 0; i < values; ++i) {
    text += fmt::format("mov.b64 %d{}, 0x{:x};\n", 5 + i, choices.bits());
    text += fmt::format("mov.b32 %r{}, 0x{:x};\n", 4 + i, choices.bits() >> 32);
  }
  return text;
}

bool can_run(Gpu& gpu, const std::string& text) {
  const auto program = load(gpu, text, "input.ptx");
  return program.ok() && !(*program)->entry("k")->undecodable;
}

struct Outcome {
  bool clean = false;  // no fault, and nothing that a watched kernel would have left out
  uint64_t instructions = 0;
  std::string buffer;
};

Outcome run(Stage stage, const std::string& text, bool watched) {
  Gpu gpu(stage.model);  // anew: the kernel's own variables begin as they were
  const auto program = load(gpu, text, "input.ptx");
  const auto buffer = gpu.memory().allocate(kBufferBytes, "buffer");
  if (!program.ok() || !buffer.ok()) return {};
  Launch launch;
  launch.program = *program;
  launch.kernel = (*program)->entry("k");
  if (launch.kernel == nullptr || launch.kernel->undecodable) return {};
  launch.cluster = Dim3{stage.cluster, 1, 1};
  launch.grid = Dim3{kBlocks, 1, 1};
  launch.block = Dim3{stage.threads, 1, 1};
  launch.host_threads = 1;
  launch.instruction_limit = 20'000;
  launch.parameters.resize(kMapOffset + TensorMap::kBytes);
  std::memcpy(launch.parameters.data(), &*buffer, sizeof *buffer);
  stage.map.address = *buffer;
  stage.map.pack(std::span(launch.parameters).subspan<kMapOffset, TensorMap::kBytes>());
  MemoryCheck memory_check;
  InitialisationCheck initialisation_check;
  Counting counting;
  if (watched) launch.observers = {&memory_check, &initialisation_check, &counting};
  const auto result = gpu.launch(launch);
  if (!result.ok() || result->fault) {
    require(!(result.ok() ? result->fault->message : result.error().message).empty());
    return {};
  }
  if (watched) (void)counting.counters();
  const auto* bytes = reinterpret_cast<const char*>(gpu.memory().host(*buffer));
  return {memory_check.found().occurrences() == 0, result->instructions, std::string(bytes, kBufferBytes)};
}

}  // namespace

// The engine keeps memory for the next launch. That is no leak, but makes libFuzzer look for leaks after every input,
// which takes longer than the input.
extern "C" const char* __asan_default_options() {  // NOLINT(bugprone-reserved-identifier)
  return "detect_leaks=0";
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Choices choices(data, size);
  static const bool print = std::getenv("ASSAY_FUZZ_PRINT") != nullptr;
  const Stage stage = draw_stage(choices);
  Gpu gpu(stage.model);
  const std::string start = start_of(choices);
  InstructionWriter writer(choices);
  std::string body;
  for (size_t i = 0; choices.left() && i < kMostInstructions; ++i) {
    if (i == 2) body += "middle:\n";
    const std::string instruction = writer.next();
    // What cannot be decoded is left out, or it would hide all others.
    if (can_run(gpu, kernel_of(stage, instruction + "middle:\n"))) body += instruction;
  }
  if (body.find("middle:") == std::string::npos) body += "middle:\n";
  const std::string text = kernel_of(stage, start + body + end_of_kernel());
  if (print) std::fputs(text.c_str(), stderr);
  const Outcome plain = run(stage, text, false);
  const Outcome watched = run(stage, text, true);
  const bool comparable = plain.clean && watched.clean;
  if (print) std::fputs(comparable ? "// ran to its end\n" : "// a fault or a finding\n", stderr);
  if (comparable) require(plain.buffer == watched.buffer && plain.instructions == watched.instructions);
  return 0;
}
