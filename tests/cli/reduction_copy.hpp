// SPDX-License-Identifier: MIT
// A copy of kernels/reduction, as another checkout has it, whose prebuilt PTX can be changed.
#pragma once

#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "../support/temporary_folder.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"

namespace assay::cli {

class ReductionCopy {
 public:
  ReductionCopy() {
    const std::filesystem::path kernels = std::filesystem::path(ASSAY_SOURCE_DIR) / "kernels";
    for (const char* name : {"reduction", "primitives"})
      std::filesystem::copy(kernels / name, folder_.path() / name, std::filesystem::copy_options::recursive);
  }

  const TemporaryFolder& folder() const { return folder_; }
  std::filesystem::path kernel() const { return folder_.path() / "reduction"; }
  // assay run of it: no random shapes, few samples, and the report beside it.
  std::vector<std::string> run_words() const {
    return {"run",
            kernel().string(),
            "--fuzz",
            "0",
            "--most-samples",
            "100",
            "--report",
            (folder_.path() / "report.json").string()};
  }
  // A program that says it is nvcc and does this instead of compiling.
  std::filesystem::path compiler_that(const std::string& script) const {
    constexpr const char* kVersion =
        "case \"$*\" in *--version*) echo 'Cuda compilation tools, release 13.0, V13.0.88'; exit 0;; esac\n";
    return folder_.write_script("compiler/nvcc", kVersion + script + "\n");
  }
  // With what describes it, as make prebuilt would write it.
  void change_ptx(const std::string& target, const std::function<std::string(const std::string&)>& change) const {
    const std::filesystem::path file = kernel() / ("ptx/reduction." + target);
    const auto text = read_file(file.string() + ".ptx");
    ASSERT_TRUE(text.ok());
    const std::string changed = change(*text);
    ASSERT_TRUE(write_file_atomically(file.string() + ".ptx", changed).ok());
    auto document = nlohmann::json::parse(*read_file(file.string() + ".json"));
    ASSERT_TRUE(document.contains("ptx_hash"));
    document["ptx_hash"] = content_hash(changed);
    ASSERT_TRUE(write_file_atomically(file.string() + ".json", document.dump(2)).ok());
  }

  // Its prebuilt PTX is that of another default configuration from now on: 2 accumulators, 4 before.
  void change_configuration() const {
    const auto replaced = [&](const std::string& name,
                              std::initializer_list<std::pair<const char*, const char*>> words) {
      auto text = read_file(folder_.path() / name);
      ASSERT_TRUE(text.ok());
      for (const auto& [from, to] : words) {
        ASSERT_NE(text->find(from), std::string::npos) << from;
        *text = replace_all(*text, from, to);
      }
      folder_.write(name, *text);
    };
    replaced("reduction/kernel.toml", {{"ACCUMULATORS = 4", "ACCUMULATORS = 2"}});
    for (const char* target : {"sm_80", "sm_89", "sm_90"})
      replaced(std::string("reduction/ptx/reduction.") + target + ".json", {{"ACCUMULATORS=4", "ACCUMULATORS=2"}});
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace assay::cli
