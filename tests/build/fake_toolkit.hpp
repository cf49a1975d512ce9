// SPDX-License-Identifier: MIT
// A stand-in for nvcc: a shell script that writes what a compiler would write and keeps a diary, so that caching,
// failures and time limits are tested on machines without a CUDA toolkit.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "../support/temporary_folder.hpp"
#include "base/file.hpp"
#include "base/text.hpp"

namespace assay::build {

// Sets a variable for the life of the object.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = ::getenv(name)) old_ = old, had_ = true;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (had_)
      ::setenv(name_, old_.c_str(), 1);
    else
      ::unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::string old_;
  bool had_ = false;
};

// Steered by defines of the compilation: -DFAIL=1 makes it fail, -DSLEEP=0.5 makes it slow.
class FakeToolkit {
 public:
  FakeToolkit() : nvcc_(install()), assay_nvcc_("ASSAY_NVCC", nvcc_.string()), diary_("FAKE_DIARY", diary().string()) {}

  const std::filesystem::path& nvcc() const { return nvcc_; }
  std::filesystem::path diary() const { return folder_.path() / "diary"; }
  size_t runs_of(const std::string& kind) const {  // "ptx", "cubin", "version"
    const Result<std::string> text = read_file(diary());
    if (!text) return 0;
    const std::vector<std::string_view> lines = split(*text, '\n');
    return static_cast<size_t>(std::ranges::count(lines, kind));
  }

 private:
  std::filesystem::path install() const {
    const Result<std::string> script = read_file(ASSAY_SOURCE_DIR "/tests/build/fake_nvcc.sh");
    const std::filesystem::path file = folder_.write("bin/nvcc", script ? *script : "");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
  }

  TemporaryFolder folder_;
  std::filesystem::path nvcc_;
  Variable assay_nvcc_;
  Variable diary_;
};

}  // namespace assay::build
