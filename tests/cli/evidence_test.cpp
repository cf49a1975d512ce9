// SPDX-License-Identifier: MIT
// assay evidence: an attempt as somebody who was not there gets it.
#include <filesystem>
#include <gtest/gtest.h>

#include "../support/temporary_folder.hpp"
#include "assay_program.hpp"
#include "base/file.hpp"
#include "ledger/ledger.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class EvidenceTest : public testing::Test {
 protected:
  std::string file() const { return (folder_.path() / "ledger.sqlite").string(); }
  ProcessOutcome assay(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--ledger", file()});
    return assay_program(std::move(arguments));
  }
  int64_t measured(const std::vector<ledger::SourceFile>& sources, std::vector<double> times_us) const {
    auto ledger = ledger::Ledger::open(file());
    EXPECT_TRUE(ledger.ok());
    ledger::Attempt attempt;
    attempt.kind = ledger::Kind::measure;
    attempt.time_us = 1'700'000'000'000'000;
    attempt.kernel = "softmax";
    attempt.specification = "/home/somebody/secret folder/kernels/softmax/kernel.toml";
    attempt.configuration = "BLOCK=128";
    attempt.device = "cuda:0 NVIDIA H200";
    attempt.assay = "1.2.3";
    attempt.verdict = "measured";
    attempt.contract = R"({"driver": "580.159.04"})";
    ledger::Samples samples;
    samples.contender = "softmax";
    samples.shape = "ROWS=8";
    samples.times_us = std::move(times_us);
    const auto id = ledger->append(attempt, std::vector{samples}, sources);
    EXPECT_TRUE(id.ok());
    return id ? *id : 0;
  }

  TemporaryFolder folder_;
};

TEST_F(EvidenceTest, a_stranger_finds_everything) {
  measured({{"kernel.toml", "[kernel]\n"}, {"softmax.cu", "one\ntwo\n"}, {"../primitives/row.cuh", "row\n"}},
           {3, 4, 5});
  measured({{"kernel.toml", "[kernel]\n"}, {"softmax.cu", "one\n2\n"}, {"../primitives/row.cuh", "row\n"}},
           {2, 2, 2.5});
  measured({{"kernel.toml", "[kernel]\n"}, {"softmax.cu", "one\n2\n"}, {"../primitives/row.cuh", "row\n"}},
           {2, 2, 2.25});
  ASSERT_EQ(assay({"log", "note", "3", "two as a number", "--as", "decision"}).exit_status, 0);
  const fs::path out = folder_.path() / "the evidence";
  const ProcessOutcome done = assay({"evidence", "3", "--out", out.string(), "--json"});
  ASSERT_EQ(done.exit_status, 0) << done.errors;
  EXPECT_EQ(parsed(done)["predecessor"], 1) << "attempt 2 had the same sources";
  const std::string readme = *read_file(out / "README.md");
  for (const char* part :
       {"Attempt 3", "softmax", "2.000", "two as a number", "580.159.04", "1 line added", "`2023-11-14T22:13:20Z`",
        "assay bench sources/softmax/kernel.toml --config BLOCK=128", "changes.diff", "samples.csv"})
    EXPECT_NE(readme.find(part), std::string::npos) << part << "\n" << readme;
  EXPECT_EQ(*read_file(out / "sources/softmax/softmax.cu"), "one\n2\n");
  EXPECT_EQ(*read_file(out / "sources/primitives/row.cuh"), "row\n");
  EXPECT_EQ(*read_file(out / "changes.diff"),
            "--- a/softmax/softmax.cu\n+++ b/softmax/softmax.cu\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n");
  EXPECT_NE(read_file(out / "samples.csv")->find("2.25"), std::string::npos);
  EXPECT_EQ(json::parse(*read_file(out / "attempt.json"))["notes"][0]["text"], "two as a number");
  EXPECT_FALSE(json::parse(*read_file(out / "machine.json")).contains("host"));
  for (const char* name : {"report.html", "report.md", "predecessor.json"}) EXPECT_TRUE(fs::exists(out / name)) << name;
  for (const auto& entry : fs::recursive_directory_iterator(out)) {
    if (!entry.is_regular_file()) continue;
    {
      const std::string text = *read_file(entry.path());
      const size_t at = text.find("secret folder");
      EXPECT_EQ(at, std::string::npos) << entry.path() << text.substr(at == text.npos ? 0 : at - 60, 120);
    }
  }
}

TEST_F(EvidenceTest, the_same_ledger_gives_the_same_archive) {
  measured({{"kernel.toml", "x"}}, {1, 2});
  for (const char* name : {"a.tar.gz", "b.tar.gz"})
    ASSERT_EQ(assay({"evidence", "1", "--out", (folder_.path() / name).string()}).exit_status, 0);
  EXPECT_EQ(*read_file(folder_.path() / "a.tar.gz"), *read_file(folder_.path() / "b.tar.gz"));
}

TEST_F(EvidenceTest, a_real_attempt_can_be_repeated_from_its_evidence) {
  ASSERT_EQ(assay({"check", "kernels/softmax", "--shape", "ROWS=3,COLUMNS=72,dtype=f16"}).exit_status, 0);
  const fs::path out = folder_.path() / "out";
  ASSERT_EQ(assay({"evidence", "1", "--out", out.string()}).exit_status, 0);
  const std::string readme = *read_file(out / "README.md");
  EXPECT_NE(readme.find("assay check sources/softmax/kernel.toml"), std::string::npos) << readme;
  EXPECT_NE(readme.find("No earlier attempt"), std::string::npos);
  EXPECT_NE(readme.find("--shape COLUMNS=72,ROWS=3,dtype=f16"), std::string::npos) << readme;
  Command verify;
  verify.arguments = {"sha256sum", "--quiet", "-c", "SHA256SUMS"};
  verify.folder = out;
  if (!find_program("sha256sum").empty()) {
    EXPECT_EQ(run_command(verify).exit_status, 0);
    fs::resize_file(out / "attempt.json", 10);
    EXPECT_NE(run_command(verify).exit_status, 0);
  }
  // Without a compiler it gets as far as the sources: they are whole, and the specification is understood.
  const ProcessOutcome again = assay_program({"check", (out / "sources/softmax/kernel.toml").string(), "--shape",
                                              "ROWS=3,COLUMNS=72,dtype=f16", "--ledger", "none"});
  EXPECT_EQ(again.exit_status, 6) << again.errors;
}

TEST_F(EvidenceTest, every_file_that_a_specification_names_is_there) {
  ASSERT_EQ(assay({"check", "kernels/file_inputs", "--shape", "ROWS=3,COLUMNS=17"}).exit_status, 0);
  const fs::path out = folder_.path() / "out";
  ASSERT_EQ(assay({"evidence", "1", "--out", out.string()}).exit_status, 0);
  for (const char* name :
       {"gain.npy", "weights.safetensors", "table.bin", "entries.cpp", "reference.cpp", "calibrate.cu"})
    EXPECT_EQ(*read_file(out / "sources/file_inputs" / name),
              *read_file(std::string(ASSAY_SOURCE_DIR "/kernels/file_inputs/") + name))
        << name;
}

TEST_F(EvidenceTest, a_run_brings_the_attempts_that_it_is_made_of) {
  measured({{"kernel.toml", "x"}}, {1});
  measured({{"kernel.toml", "x"}}, {2});
  {
    auto ledger = ledger::Ledger::open(file());
    ASSERT_TRUE(ledger.ok());
    ledger::Attempt run;
    run.kind = ledger::Kind::run;
    run.kernel = "softmax";
    run.details = R"({"attempts": {"build": 1, "check": 2, "gone": 77}})";
    ASSERT_TRUE(ledger->append(run).ok());
  }
  const fs::path out = folder_.path() / "out";
  ASSERT_EQ(assay({"evidence", "3", "--out", out.string()}).exit_status, 0);
  for (const char* name : {"attempts/1.json", "attempts/2.json", "attempts/2.csv"})
    EXPECT_TRUE(fs::exists(out / name)) << name;
  EXPECT_FALSE(fs::exists(out / "attempts/77.json"));
}

TEST_F(EvidenceTest, hostile_paths_stay_inside) {
  measured({{"../../../../../../../../../../../tmp/evil", "x"}, {"/etc/evil", "x"}, {"kernel.toml", "x"}}, {1});
  const fs::path out = folder_.path() / "out";
  const ProcessOutcome done = assay({"evidence", "1", "--out", out.string(), "--json"});
  ASSERT_EQ(done.exit_status, 0) << done.errors;
  EXPECT_EQ(parsed(done)["left_out"].size(), 2u);
  EXPECT_TRUE(fs::exists(out / "sources/softmax/kernel.toml"));
}

TEST_F(EvidenceTest, mistakes) {
  measured({{"kernel.toml", "x"}}, {1});
  EXPECT_EQ(assay({"evidence", "9"}).exit_status, 2);
  EXPECT_EQ(assay({"evidence", "one"}).exit_status, 2);
  EXPECT_EQ(assay({"evidence", "1", "--against", "7", "--out", (folder_.path() / "o").string()}).exit_status, 2);
  EXPECT_EQ(assay({"evidence", "1", "--out", folder_.path().string()}).exit_status, 2) << "the folder is not empty";
  EXPECT_EQ(assay({"evidence", "1", "--out", "/proc/nowhere/x.tar.gz"}).exit_status, 6);
  EXPECT_EQ(assay_program({"evidence", "1", "--ledger", "none"}).exit_status, 2);
}

}  // namespace
}  // namespace assay::cli
