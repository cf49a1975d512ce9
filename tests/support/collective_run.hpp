// SPDX-License-Identifier: MIT
// Runs a random program of collectives on the virtual GPU and compares with the model; see collective_program.hpp.
#pragma once

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "support/collective_program.hpp"
#include "vgpu/decode/decode.hpp"
#include "vgpu/machine/gpu.hpp"

namespace assay::test {

// How the two differ; nothing if they agree. The kind of outcome is added to `tally`.
struct CollectiveTally {
  uint64_t values = 0, undefined = 0, hangs = 0;
};

inline std::optional<std::string> compare_collectives(const uint8_t* bytes, size_t size, CollectiveTally& tally) {
  Decisions decisions(bytes, size);
  CollectiveProgram program = ProgramGenerator(decisions).generate();
  const ModelOutcome expected = CollectiveModel(program).run();
  const ProgramWriter writer(program);
  vgpu::Gpu machine(*gpu::find_model("h100"));
  const auto loaded = vgpu::load(machine, writer.text(), "collectives.ptx");
  if (!loaded.ok()) return "not decoded: " + to_string(loaded.error()) + "\n" + writer.text();
  std::vector<uint32_t> table = ProgramWriter::table(program);
  table.resize(table.size() + 1);  // never empty
  const auto tables = machine.memory().allocate(table.size() * sizeof(uint32_t), "table");
  const auto out = machine.memory().allocate(sizeof expected.values, "out");
  if (!tables.ok() || !out.ok()) return "no memory";
  std::memcpy(machine.memory().host(*tables), table.data(), table.size() * sizeof(uint32_t));
  vgpu::Launch launch;
  launch.program = *loaded;
  launch.kernel = (*loaded)->entry("k");
  launch.block = {program.threads, 1, 1};
  launch.host_threads = 1;
  launch.instruction_limit = 1'000'000;
  launch.parameters.resize(2 * sizeof(uint64_t));
  std::memcpy(launch.parameters.data(), &*tables, sizeof(uint64_t));
  std::memcpy(launch.parameters.data() + sizeof(uint64_t), &*out, sizeof(uint64_t));
  const auto result = machine.launch(launch);
  if (!result.ok()) return "not launched: " + to_string(result.error()) + "\n" + writer.text();
  const auto differ = [&](const std::string& what) {
    const std::string found = result->fault ? result->fault->message : "it ran to its end";
    return what + "; the virtual GPU: " + found + "\n" + writer.text();
  };
  switch (expected.kind) {
    case ModelOutcome::Kind::undefined:
      ++tally.undefined;
      if (!result->fault || result->fault->kind != gpu::FindingKind::illegal_instruction)
        return differ("the behaviour is undefined");
      return std::nullopt;
    case ModelOutcome::Kind::hangs:
      ++tally.hangs;
      if (!result->fault || result->fault->kind != gpu::FindingKind::deadlock) return differ("it hangs");
      return std::nullopt;
    case ModelOutcome::Kind::values:
      break;
  }
  ++tally.values;
  if (result->fault) return differ("it ends");
  const auto* values = reinterpret_cast<const uint32_t*>(machine.memory().host(*out));
  for (size_t lane = 0; lane < program.threads; ++lane) {
    if (values[lane] != expected.values[lane])
      return differ(fmt::format("lane {} has 0x{:x}, expected 0x{:x}", lane, values[lane], expected.values[lane]));
  }
  return std::nullopt;
}

}  // namespace assay::test
