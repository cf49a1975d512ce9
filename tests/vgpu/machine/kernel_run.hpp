// SPDX-License-Identifier: MIT
// A kernel from PTX text, its buffers and its launch, for tests of the machine.
#pragma once

#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "vgpu/decode/decode.hpp"
#include "vgpu/machine/gpu.hpp"
#include "vgpu/observe/memory_check.hpp"

namespace assay::vgpu {

class KernelRun {
 public:
  // `body` is the text of the module behind its header; its kernel is called "kernel".
  explicit KernelRun(const std::string& body, const char* model = "l4") : gpu_(*gpu::find_model(model)) {
    const auto loaded = load(gpu_, ".version 8.0\n.target sm_80\n.address_size 64\n" + body, "kernel.ptx");
    EXPECT_TRUE(loaded.ok()) << (loaded ? "" : to_string(loaded.error()));
    if (!loaded) return;
    launch_.program = *loaded;
    launch_.kernel = (*loaded)->entry("kernel");
    EXPECT_NE(launch_.kernel, nullptr);
  }

  Launch& launch() { return launch_; }
  GlobalMemory& memory() { return gpu_.memory(); }
  Gpu& gpu() { return gpu_; }

  // A buffer of words, which becomes the next parameter.
  uint64_t add_words(const std::vector<uint32_t>& words, const std::string& name) {
    const uint64_t address = *memory().allocate(words.size() * sizeof(uint32_t), name);
    std::memcpy(memory().host(address), words.data(), words.size() * sizeof(uint32_t));
    add_pointer(address);
    return address;
  }
  void add_pointer(uint64_t address) {
    const size_t at = launch_.parameters.size();
    launch_.parameters.resize(at + sizeof address);
    std::memcpy(launch_.parameters.data() + at, &address, sizeof address);
  }
  std::vector<uint32_t> words(uint64_t address, size_t count) {
    std::vector<uint32_t> result(count);
    std::memcpy(result.data(), memory().host(address), count * sizeof(uint32_t));
    return result;
  }

  LaunchResult run() {
    launch_.observers.clear();
    return start();
  }
  // With one of the checks; its findings are in `check`.
  LaunchResult run_checked(Observer& check) {
    launch_.observers = {&check};
    return start();
  }

 private:
  LaunchResult start() {
    auto result = gpu_.launch(launch_);
    EXPECT_TRUE(result.ok()) << (result ? "" : to_string(result.error()));
    return result ? std::move(*result) : LaunchResult{};
  }

  Gpu gpu_;
  Launch launch_;
};

}  // namespace assay::vgpu
