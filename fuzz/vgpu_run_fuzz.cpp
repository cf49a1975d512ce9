// SPDX-License-Identifier: MIT
// Kernels of any instructions with any operands: they run to an end, a fault or a limit, and never into ours.
// ASSAY_FUZZ_PRINT=1 shows the kernel.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <string>

#include "instruction_writer.hpp"
#include "vgpu/machine/gpu.hpp"
#include "vgpu/machine/tensor_map.hpp"
#include "vgpu/observe/counting.hpp"
#include "vgpu/observe/memory_check.hpp"

using namespace assay;
using namespace assay::vgpu;
using fuzz::Choices;
using fuzz::InstructionWriter;

namespace {

constexpr size_t kMostInstructions = 12;
constexpr uint64_t kBufferBytes = 1 << 16;

std::string kernel_of(const std::string& start, const std::string& body) {
  return fmt::format(
      ".version 8.5\n.target sm_90a\n.address_size 64\n"
      ".global .align 128 .b8 in_global[4096];\n.const .align 16 .b8 in_const[512];\n"
      ".visible .entry k(.param .u64 buffer, .param .align 64 .b8 map[128])\n{{\n{}{}{}ret;\n}}\n",
      InstructionWriter::declarations(), start, body);
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

const Function* loaded(Gpu& gpu, const std::string& text) {
  const auto program = gpu.load(text, "input.ptx");
  if (!program.ok()) return nullptr;
  const Function* kernel = (*program)->entry("k");
  return kernel != nullptr && !kernel->undecodable ? kernel : nullptr;
}

std::vector<std::byte> tensor_map_of(Choices& choices, uint64_t address) {
  TensorMap map;
  map.address = address;
  map.rank = static_cast<uint8_t>(1 + choices.below(5));
  map.element_bytes = static_cast<uint8_t>(1 << choices.below(4));
  map.steps.fill(1);
  for (size_t i = 0; i < map.rank; ++i) {
    map.sizes[i] = static_cast<uint32_t>(1 + choices.below(20));
    map.strides[i] = 16 * (1 + choices.below(20));
    map.box[i] = static_cast<uint16_t>(1 + choices.below(8));
  }
  std::vector<std::byte> bytes(TensorMap::kBytes);
  map.pack(std::span<std::byte, TensorMap::kBytes>(bytes));
  return bytes;
}

void run(Gpu& gpu, const std::string& text, Choices& choices) {
  const auto program = gpu.load(text, "input.ptx");
  if (!program.ok()) return;
  const auto buffer = gpu.memory().allocate(kBufferBytes, "buffer");
  if (!buffer.ok()) std::abort();
  Launch launch;
  launch.program = *program;
  launch.kernel = (*program)->entry("k");
  if (launch.kernel == nullptr || launch.kernel->undecodable) return;
  launch.cluster = Dim3{static_cast<uint32_t>(1 + choices.below(2)), 1, 1};
  launch.grid = Dim3{2, 1, 1};
  launch.block = Dim3{choices.once_in(4) ? 45u : 128u, 1, 1};
  launch.host_threads = 1;
  launch.instruction_limit = 20'000;
  launch.parameters.resize(64 + TensorMap::kBytes);
  std::memcpy(launch.parameters.data(), &*buffer, sizeof *buffer);
  const std::vector<std::byte> map = tensor_map_of(choices, *buffer);
  std::memcpy(launch.parameters.data() + 64, map.data(), map.size());
  MemoryCheck memory_check;
  Counting counting;
  if (choices.once_in(2)) launch.observers.push_back(&memory_check);
  if (choices.once_in(2)) launch.observers.push_back(&counting);
  const auto result = gpu.launch(launch);
  if (result.ok() && result->fault && result->fault->message.empty()) std::abort();
  if (result.ok() && !result->fault) (void)counting.counters();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Choices choices(data, size);
  static const bool print = std::getenv("ASSAY_FUZZ_PRINT") != nullptr;
  Gpu gpu(*find_model(choices.once_in(4) ? "l4" : "h100"));
  const std::string start = start_of(choices);
  InstructionWriter writer(choices);
  std::string body;
  for (size_t i = 0; choices.left() && i < kMostInstructions; ++i) {
    if (i == 2) body += "middle:\n";
    const std::string instruction = writer.next();
    // What cannot be decoded is left out, or it would hide all others.
    if (loaded(gpu, kernel_of("", instruction + "middle:\n")) != nullptr) body += instruction;
  }
  if (body.find("middle:") == std::string::npos) body += "middle:\n";
  const std::string text = kernel_of(start, body);
  if (print) std::fputs(text.c_str(), stderr);
  run(gpu, text, choices);
  return 0;
}
