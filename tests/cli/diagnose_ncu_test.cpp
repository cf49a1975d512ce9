// SPDX-License-Identifier: MIT
// assay diagnose --with ncu from end to end: libraries in the place of the driver, and a program in ncu's that starts
// what it is to watch and leaves reports of its own.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "../support/temporary_folder.hpp"
#include "assay_program.hpp"
#include "base/file.hpp"

namespace assay::cli {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

class DiagnoseWithNcu : public testing::Test {
 protected:
  // With --export it starts the program and writes who that was into the report; with --import it prints a table.
  // A baseline leaves one only if its provider came as far as preparing a case.
  void pretend(const std::string& instead_of_baseline = "") {
    const fs::path program = folder_.path() / "ncu";
    std::ofstream script(program);
    script << R"(#!/bin/sh
report= log= import=
while [ $# -gt 0 ]; do
  case "$1" in
    --export) report=$2; shift 2 ;;
    --log-file) log=$2; shift 2 ;;
    --import) import=$2; shift 2 ;;
    --clock-control | --target-processes | --kernel-name-base | --kernel-name | --launch-count | --metrics | --page | --print-units) shift 2 ;;
    --csv | --force-overwrite) shift ;;
    *) break ;;
  esac
done
if [ -n "$import" ]; then
  echo '"ID","Kernel Name","gpu__time_duration.sum","smsp__inst_executed.sum","launch__grid_size"'
  echo '"","","ns","inst","block"'
  if grep -q provider "$import"; then
    echo '"0","assay_flush","90000","1","1"'
    echo '"1","their_sum","4000","1000","132"'
  else
    echo '"0","row_sum","8000","3100","2"'
  fi
  exit 0
fi
case "$*" in
  *--provider*) )"
           << instead_of_baseline << R"(
    said=$("$@")
    echo "$said"
    case "$said" in
      *variant*) echo provider > "$report" ;;
      *) echo "==WARNING== No kernels were profiled." > "$log" ;;
    esac ;;
  *) echo worker > "$report"; "$@" ;;
esac
)";
    script.close();
    fs::permissions(program, fs::perms::owner_all);
  }

  ProcessOutcome diagnose(std::vector<std::string> more) {
    std::vector<std::string> words = {
        "diagnose", "kernels/reduction", "--shape", "ROWS=2,COLUMNS=16", "--with", "ncu", "--ledger", "none",
        "--keep",   kept().string()};
    words.insert(words.end(), more.begin(), more.end());
    Command command = assay_command(std::move(words));
    command.environment["ASSAY_CUDA_DRIVER"] = ASSAY_BINARY_DIR "/tests/fake/libfake_cuda.so";
    command.environment["ASSAY_NVML_LIBRARY"] = "none";
    command.environment["ASSAY_CUPTI_LIBRARY"] = "none";
    command.environment["ASSAY_NCU"] = (folder_.path() / "ncu").string();
    return run_command(command);
  }
  fs::path kept() const { return folder_.path() / "kept reports"; }

  TemporaryFolder folder_;
};

TEST_F(DiagnoseWithNcu, ProfilesTheBaselineTooAndKeepsBothReports) {
  pretend();
  const ProcessOutcome outcome = diagnose({"--baseline", "kernels/reduction", "--json"});
  ASSERT_EQ(outcome.exit_status, 0) << outcome.errors;
  const json document = parsed(outcome);
  for (const char* file : {"kernel.ncu-rep", "kernel.csv", "baseline.ncu-rep", "baseline.csv"})
    EXPECT_TRUE(fs::exists(kept() / file)) << file;
  EXPECT_EQ(document["kept"], kept().string());
  EXPECT_EQ(document["known"], "counted, estimated and profiled") << "16 numbers are too few to time";
  ASSERT_TRUE(document.contains("baseline")) << document.value("no_baseline", "");
  EXPECT_EQ(document["baseline"]["kernel"], "their_sum") << "not an instrument of ours";
  EXPECT_EQ(document["baseline"]["metrics"]["launch__grid_size"], 132);
  EXPECT_EQ(document["device_memory"]["baseline_bytes"], 4 * (2 * 16 + 2)) << "as its provider says under ncu";
  EXPECT_EQ(document["baseline"]["differences"][0]["sentence"],
            "the baseline has 66.0 times more blocks (132, here 2)");
  EXPECT_EQ(document["profile"]["measured"]["metrics"]["smsp__inst_executed.sum"]["value"], 3100);
  EXPECT_FALSE(document["profile"].contains("counters"));
  for (const json& finding : document["findings"]) {
    if (finding["rule"] == "not_enough_blocks") {
      ASSERT_TRUE(finding.contains("baseline"));
      EXPECT_EQ(finding["baseline"][0], "the baseline has 66.0 times more blocks (132, here 2)");
    }
    if (finding["rule"] == "barriers") {
      EXPECT_FALSE(finding.contains("baseline"));
    }
  }
  const ProcessOutcome text = diagnose({"--baseline", "kernels/reduction"});
  for (const char* part : {"under Nsight Compute (their_sum): what differs most",
                           "3.1 times fewer machine instructions", "reports of Nsight Compute: "})
    EXPECT_NE(text.output.find(part), std::string::npos) << part << "\n" << text.output;
}

TEST_F(DiagnoseWithNcu, WithoutABaselineThereIsNothingToCompare) {
  pretend();
  const json document = parsed(diagnose({"--json"}));
  EXPECT_FALSE(document.contains("baseline"));
  EXPECT_FALSE(document.contains("no_baseline"));
  EXPECT_TRUE(fs::exists(kept() / "kernel.ncu-rep"));
}

TEST_F(DiagnoseWithNcu, ABaselineThatFailsIsSaidAndTheRestStands) {
  pretend(R"(echo "==ERROR== out of luck" > "$log"; cat > /dev/null; exit 1)");
  const ProcessOutcome outcome = diagnose({"--baseline", "kernels/reduction", "--json"});
  ASSERT_EQ(outcome.exit_status, 0) << outcome.errors;
  const json document = parsed(outcome);
  EXPECT_NE(document["no_baseline"].get<std::string>().find("out of luck"), std::string::npos);
  EXPECT_FALSE(document["findings"].is_null());
  EXPECT_EQ(document["profile"]["measured"]["metrics"]["launch__grid_size"]["value"], 2);
}

// What the provider says of itself, and not only that nothing was profiled.
TEST_F(DiagnoseWithNcu, ABaselineThatRefusesIsHeard) {
  pretend(R"(cat > /dev/null
    echo '{"id": 2, "ok": false, "error": "this GPU is too old"}'
    echo "==WARNING== No kernels were profiled." > "$log"; exit 0)");
  const json document = parsed(diagnose({"--baseline", "kernels/reduction", "--json"}));
  EXPECT_NE(document["no_baseline"].get<std::string>().find("this GPU is too old"), std::string::npos)
      << document["no_baseline"];
}

}  // namespace
}  // namespace assay::cli
