// SPDX-License-Identifier: MIT
// The stand-ins for NVIDIA's libraries (tests/device/fake), and a driver of which nothing is left over between tests.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>

#include "device/cuda/driver.hpp"

namespace assay::device::cuda {

inline const std::string kFakeFolder = ASSAY_BINARY_DIR "/tests/fake/";
inline const std::string kFakeDriver = kFakeFolder + "libfake_cuda.so";
inline const std::string kFakeOldDriver = kFakeFolder + "libfake_cuda_old.so";
inline const std::string kFakeNvml = kFakeFolder + "libfake_nvml.so";
inline const std::string kFakeCupti = kFakeFolder + "libfake_cupti.so";

inline bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A function of the fake driver that only tests know.
template <class Function>
Function* fake_symbol(const char* name) {
  void* library = ::dlopen(kFakeDriver.c_str(), RTLD_NOW | RTLD_LOCAL);
  return library != nullptr ? reinterpret_cast<Function*>(::dlsym(library, name)) : nullptr;
}

class FakeDriverTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = Driver::open(kFakeDriver);
    ASSERT_TRUE(opened.ok()) << to_string(opened.error());
    driver_ = std::move(*opened);
    fake_symbol<void()>("fake_reset")();
  }

  std::unique_ptr<Driver> driver_;
};

}  // namespace assay::device::cuda
