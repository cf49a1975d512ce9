// SPDX-License-Identifier: MIT
// Times of kernels/gemm_hopper on an NVIDIA H200 (2026-11-16, driver 580.159.04, CUDA 13.0), 174 configurations at 4096
// and 8192 cubed, f16: medians of 10 and 4 interleaved rounds.
#pragma once

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

#include "learn/trial.hpp"

namespace assay::learn {

inline std::vector<Trial> recorded(const std::string& size) {
  std::ifstream file(std::filesystem::path(ASSAY_SOURCE_DIR) / "tests/learn" / ("gemm_hopper_" + size + ".txt"));
  EXPECT_TRUE(file.good()) << size;
  std::string line, name;
  while (std::getline(file, line) && line.starts_with('#')) {
  }
  std::vector<std::string> names;
  for (std::istringstream words(line); words >> name;) names.push_back(name);
  names.pop_back();  // "us"
  std::vector<Trial> trials;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    Trial trial;
    trial.kernel = "gemm_hopper";
    trial.device = "cuda:0 NVIDIA H200";
    trial.shape = size;
    trial.source = "a";
    for (const std::string& each : names) words >> trial.values[each];
    words >> trial.time_us;
    trial.seconds = 1;
    trials.push_back(trial);
  }
  return trials;
}

}  // namespace assay::learn
