// SPDX-License-Identifier: MIT
// Every kernel under kernels/broken must fail, in the way that its [expect] section says.
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>

#include "assay_program.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "spec/kernel_spec.hpp"

namespace assay::cli {
namespace {

using nlohmann::json;

std::vector<std::string> kernels_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(ASSAY_SOURCE_DIR) / folder)) {
    if (std::filesystem::exists(entry.path() / "kernel.toml")) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string line_of(const std::string& file, int number) {
  const auto text = read_file(std::filesystem::path(ASSAY_SOURCE_DIR) / file);
  if (!text) return "";
  const auto lines = split(*text, '\n');
  return number > 0 && static_cast<size_t>(number) <= lines.size() ? std::string(lines[static_cast<size_t>(number) - 1])
                                                                   : "";
}

void expect_finding(const spec::Expectation& expect, const json& document) {
  ASSERT_FALSE(document["findings"].empty()) << document.dump(1);
  const json& first = document["findings"][0];
  EXPECT_EQ(first["kind"], expect.kind);
  if (!expect.space.empty()) {
    EXPECT_EQ(first["space"], expect.space);
  }
  if (expect.bytes) {
    EXPECT_EQ(first["bytes"], *expect.bytes);
  }
  if (expect.line) {
    EXPECT_EQ(first["line"], *expect.line);
  }
  EXPECT_NE(first["message"].get<std::string>().find(expect.message), std::string::npos) << first["message"];
  if (!expect.line_text.empty()) {
    const std::string line = line_of(first["file"], first["line"]);
    EXPECT_NE(line.find(expect.line_text), std::string::npos) << first["file"] << ":" << first["line"] << ": " << line;
  }
}

class BrokenKernelTest : public testing::TestWithParam<std::string> {};

TEST_P(BrokenKernelTest, FailsAsExpected) {
  const std::string folder = "kernels/broken/" + GetParam();
  const auto spec = spec::load(std::filesystem::path(ASSAY_SOURCE_DIR) / folder);
  ASSERT_TRUE(spec.ok()) << to_string(spec.error());
  ASSERT_TRUE(spec->expect.has_value()) << "a broken kernel says in [expect] how it must fail";
  const spec::Expectation& expect = *spec->expect;
  const bool sanitize = expect.verdict == "finding";
  // Far more than any of them needs, so that the one that hangs is found soon in a build with sanitizers too.
  const ProcessOutcome outcome =
      assay_program({sanitize ? "sanitize" : "check", folder, "--json", "--instruction-limit", "2000000"});
  EXPECT_EQ(outcome.exit_status, 5) << outcome.output << outcome.errors;
  const json document = parsed(outcome);
  if (sanitize) {
    expect_finding(expect, document);
    return;
  }
  ASSERT_TRUE(document.contains("failure")) << document.dump(1);
  if (expect.verdict == "does_not_fit") {
    EXPECT_EQ(document["failure"]["outcome"], "does_not_fit");
  } else {
    EXPECT_EQ(document["verdict"], "incorrect");
  }
  if (!expect.kind.empty()) {
    EXPECT_EQ(document["failure"]["outcome"], expect.kind);
  }
}

INSTANTIATE_TEST_SUITE_P(All, BrokenKernelTest, testing::ValuesIn(kernels_in("kernels/broken")),
                         [](const auto& kernel) { return kernel.param; });

class CleanTwinTest : public testing::TestWithParam<std::string> {};

// The same source without the mistake: no check may say anything.
TEST_P(CleanTwinTest, IsClean) {
  ASSERT_TRUE(std::filesystem::exists(ASSAY_SOURCE_DIR "/kernels/broken/" + GetParam())) << "a twin of nothing";
  const ProcessOutcome outcome = assay_program({"sanitize", "kernels/broken/clean/" + GetParam(), "--json"});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.output << outcome.errors;
  EXPECT_EQ(parsed(outcome)["verdict"], "clean");
}

INSTANTIATE_TEST_SUITE_P(All, CleanTwinTest, testing::ValuesIn(kernels_in("kernels/broken/clean")),
                         [](const auto& kernel) { return kernel.param; });

TEST(Sanitize, RunsTheChecksThatAreAskedForAndSaysWhatItDidNotCheck) {
  const json all = parsed(assay_program({"sanitize", "kernels/broken/clean/shuffle_from_absent_lanes", "--json"}));
  const auto lists = [](const json& list, const std::string& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
  };
  for (const char* name : {"memcheck", "initcheck", "synccheck", "racecheck"})
    EXPECT_TRUE(lists(all["checks"], name)) << name;
  EXPECT_TRUE(lists(all["checked"], "races"));
  EXPECT_TRUE(lists(all["not_checked"], "bounds of arrays inside one global allocation"));
  // Without the check that knows better the broken one is clean, and the verdict says what was not looked at.
  const ProcessOutcome some = assay_program({"sanitize", "kernels/broken/shuffle_from_absent_lanes", "--checks",
                                             "memcheck", "--json", "--shape", "ROWS=1,COLUMNS=16"});
  EXPECT_EQ(some.exit_status, 0) << some.output;
  EXPECT_EQ(parsed(some)["checks"], json({"memcheck"}));
  EXPECT_TRUE(lists(parsed(some)["not_checked"], "uses of what nothing has written"));
  const ProcessOutcome unknown = assay_program({"sanitize", "kernels/softmax", "--checks", "nosuch"});
  EXPECT_EQ(unknown.exit_status, 2);
  EXPECT_NE(unknown.errors.find("memcheck"), std::string::npos) << unknown.errors;
}

// The first finding of the story that the project began with, to the letter.
TEST(Story, MisalignedRowsAreNamedByThreadAndAddress) {
  const ProcessOutcome outcome = assay_program({"sanitize", "kernels/broken/misaligned_rows", "--json"});
  EXPECT_EQ(outcome.exit_status, 5);
  const json findings = parsed(outcome)["findings"];
  ASSERT_EQ(findings.size(), 1u) << "one place, however many threads";
  const json& found = findings[0];
  EXPECT_EQ(found["kind"], "misaligned");
  EXPECT_EQ(found["space"], "shared");
  EXPECT_EQ(found["access"], "async_write");
  EXPECT_EQ(found["bytes"], 16);
  EXPECT_EQ(found["file"], "kernels/broken/misaligned_rows/misaligned_rows.cu");
  EXPECT_NE(line_of(found["file"], found["line"]).find("cp.async"), std::string::npos);
  EXPECT_GT(found["thread_count"], 5u);
  EXPECT_GE(found["count"], found["thread_count"]);
  const std::vector<std::string> addresses = {"0x82", "0x104", "0x186", "0x208", "0x28a"};
  for (size_t i = 0; i < addresses.size(); ++i) {
    EXPECT_EQ(found["threads"][i]["block"], json({0, 0, 0}));
    EXPECT_EQ(found["threads"][i]["thread"], json({i + 1, 0, 0}));
    EXPECT_EQ(found["threads"][i]["address"], addresses[i]);
  }
}

// A read before a copy has arrived is named, though the verdict of assay check is about the result.
TEST(Sanitize, NamesReadsBeforeAnAsynchronousCopyHasArrived) {
  for (const char* kernel : {"missing_wait", "bulk_copy_not_awaited"}) {
    const ProcessOutcome outcome = assay_program({"sanitize", std::string("kernels/broken/") + kernel, "--json"});
    EXPECT_EQ(outcome.exit_status, 5);
    const json findings = parsed(outcome)["findings"];
    ASSERT_FALSE(findings.empty()) << kernel;
    EXPECT_EQ(findings[0]["kind"], "uninitialised");
    EXPECT_NE(findings[0]["message"].get<std::string>().find("asynchronous copy"), std::string::npos);
  }
}

// What a copy that was skipped would have brought is missing afterwards, and no finding of its own.
TEST(Sanitize, DoesNotBlameReadsOfWhatABadAccessLeftOut) {
  const json findings = parsed(assay_program({"sanitize", "kernels/broken/misaligned_rows", "--json"}))["findings"];
  ASSERT_FALSE(findings.empty());
  for (const json& finding : findings) EXPECT_EQ(finding["kind"], "misaligned");
}

TEST(Story, TheGlobalIndexFailsFromSixtyFiveOn) {
  const ProcessOutcome outcome = assay_program({"check", "kernels/broken/shared_index_by_global_query", "--json"});
  const json failure = parsed(outcome)["failure"];
  EXPECT_NE(failure["shape"].get<std::string>().find("S=65"), std::string::npos) << failure["shape"];
}

}  // namespace
}  // namespace assay::cli
