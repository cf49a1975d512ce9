// SPDX-License-Identifier: MIT
// assay bisect on a repository of its own: one kernel in PTX, which needs no compiler.
#include "assay/bisect.hpp"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

#include "../support/temporary_folder.hpp"
#include "assay_program.hpp"
#include "base/file.hpp"
#include "base/text.hpp"

namespace assay::cli {
namespace {

using nlohmann::json;

constexpr const char* kSavedPtx = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry copy_it(.param .u64 from, .param .u64 to, .param .u32 count)
{
  .reg .pred %p<3>;
  .reg .b32 %r<8>;
  .reg .b64 %d<8>;
  ld.param.u64 %d1, [from];
  ld.param.u64 %d2, [to];
  ld.param.u32 %r1, [count];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.u32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra DONE;
  mul.wide.u32 %d3, %r5, 4;
  add.u64 %d4, %d1, %d3;
  add.u64 %d5, %d2, %d3;
  ld.global.b32 %r6, [%d4];
  st.global.b32 [%d5], %r6;
DONE:
  ret;
}
)";

constexpr const char* kToml = R"TOML([kernel]
name    = "copy_it"
source  = "copy.ptx"
entry   = "copy_it"
targets = ["sm_80"]

[problem]
reference = "copy"
flops     = "N"

[[argument]]
name   = "x"
tensor = { dtype = "f32", shape = ["N"] }

[[argument]]
name   = "y"
tensor = { dtype = "f32", shape = ["N"], output = true }

[[argument]]
name   = "count"
scalar = { type = "u32", value = "N" }

[launch]
grid  = ["ceil_div(N, 64)"]
block = [64]

[shapes]
canonical = [{ N = 100 }]
)TOML";

class BisectTest : public testing::Test {
 protected:
  void SetUp() override {
    if (find_program("git").empty()) GTEST_SKIP() << "there is no git";
    git({"init", "-q", "."});
    folder_.write("repo/kernels/copy it/kernel.toml", kToml);
    commit("the kernel", kSavedPtx);
  }

  std::filesystem::path repository() const { return folder_.path() / "repo"; }
  std::string kernel() const { return (repository() / "kernels/copy it").string(); }
  std::string ledger() const { return (folder_.path() / "ledger.sqlite").string(); }

  std::string git(std::vector<std::string> arguments) const {
    std::filesystem::create_directories(repository());
    Command command;
    command.arguments = {
        "git", "-c", "user.name=Somebody", "-c", "user.email=somebody@example.com", "-c", "commit.gpgsign=false"};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    command.folder = repository();
    const ProcessOutcome outcome = run_command(command);
    EXPECT_EQ(outcome.exit_status, 0) << join(arguments, " ") << outcome.errors;
    return std::string(trim(outcome.output));
  }
  std::string commit(const std::string& subject, const std::string& ptx) const {
    folder_.write("repo/kernels/copy it/copy.ptx", ptx);
    folder_.write("repo/notes.txt", subject);
    git({"add", "-A"});
    git({"commit", "-q", "-m", subject});
    return git({"rev-parse", "HEAD"});
  }
  void comment(int count) const {
    const std::string ptx = *read_file(repository() / "kernels/copy it/copy.ptx");
    for (int i = 0; i < count; ++i) commit("a note " + std::to_string(i), ptx);
  }
  ProcessOutcome bisect(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"bisect", kernel()});
    arguments.insert(arguments.end(), {"--ledger", ledger()});
    return assay_program(std::move(arguments));
  }
  static std::string with(const std::string& from, const std::string& to) { return replace_all(kSavedPtx, from, to); }

  TemporaryFolder folder_;
};

const std::string kMore = "  mov.u32 %r7, %r6;\nDONE:";
const char* const kRead = "[%d4];";

TEST_F(BisectTest, finds_the_commit_that_changed_a_counter_and_touches_nothing) {
  comment(3);
  const std::string culprit = commit("an instruction more", with("DONE:", kMore));
  comment(4);
  folder_.write("repo/kernels/copy it/copy.ptx", "edited, and not committed");
  const std::string before = git({"status", "--porcelain=v1"}) + git({"worktree", "list"});
  const ProcessOutcome named = bisect({"--counter", "ptx_instructions", "--good", "HEAD~8", "--json"});
  ASSERT_EQ(named.exit_status, 0) << named.output << named.errors;
  const json document = parsed(named);
  EXPECT_EQ(document["verdict"], "found");
  EXPECT_EQ(document["commits"], 8);
  ASSERT_EQ(document["suspects"].size(), 1u);
  EXPECT_EQ(document["suspects"][0]["id"], culprit);
  EXPECT_EQ(document["suspects"][0]["subject"], "an instruction more");
  EXPECT_LE(document["judged"].size(), 5u);
  EXPECT_NE(document["reason"].get<std::string>().find("ptx_instructions"), std::string::npos);
  const ProcessOutcome unnamed = bisect({"--counter", "ptx_instructions"});
  EXPECT_EQ(unnamed.exit_status, 0) << unnamed.errors;
  EXPECT_NE(unnamed.output.find("an instruction more"), std::string::npos) << unnamed.output;
  EXPECT_EQ(git({"status", "--porcelain=v1"}) + git({"worktree", "list"}), before);
  EXPECT_EQ(*read_file(repository() / "kernels/copy it/copy.ptx"), "edited, and not committed");
  const json log = parsed(assay_program({"log", "--kind", "bisect", "--ledger", ledger(), "--json"}));
  EXPECT_EQ(log["attempts"].size(), 2u);
}

TEST_F(BisectTest, finds_what_broke_results_or_memory) {
  comment(2);
  const std::string wrong =
      commit("adds one", with("  st.global.b32 [%d5]", "  add.u32 %r6, %r6, 1;\n  st.global.b32 [%d5]"));
  comment(1);
  EXPECT_EQ(parsed(bisect({"--check", "--json"}))["suspects"][0]["id"], wrong);
  EXPECT_EQ(bisect({"--sanitize", "--good", "HEAD~4"}).exit_status, 4) << "it reads nothing that it may not";
  const std::string beyond = commit("reads the next one", with(kRead, "[%d4+4];"));
  comment(2);
  const json found = parsed(bisect({"--sanitize", "--json"}));
  EXPECT_EQ(found["suspects"][0]["id"], beyond);
  EXPECT_NE(found["reason"].get<std::string>().find("out-of-bounds"), std::string::npos) << found;
}

TEST_F(BisectTest, a_commit_that_does_not_build_is_skipped) {
  comment(2);
  commit("broken", "this is no PTX\n");
  commit("mended, with an instruction more", with("DONE:", kMore));
  comment(2);
  const ProcessOutcome outcome = bisect({"--counter", "ptx_instructions", "--good", "HEAD~6", "--json"});
  EXPECT_EQ(outcome.exit_status, 4) << outcome.errors;
  const json document = parsed(outcome);
  EXPECT_EQ(document["verdict"], "one of these");
  ASSERT_EQ(document["suspects"].size(), 2u) << document.dump(2);
  EXPECT_EQ(document["suspects"][0]["subject"], "broken");
  const ProcessOutcome text = bisect({"--counter", "ptx_instructions", "--good", "HEAD~6"});
  EXPECT_NE(text.output.find("skipped"), std::string::npos) << text.output;
}

TEST_F(BisectTest, where_nothing_changed_that_is_said) {
  comment(3);
  EXPECT_EQ(bisect({"--counter", "ptx_instructions", "--good", "HEAD~3"}).exit_status, 4);
  EXPECT_EQ(bisect({"--counter", "ptx_instructions"}).exit_status, 4);
  EXPECT_EQ(bisect({"--check"}).exit_status, 4);
  commit("an instruction more", with("DONE:", kMore));
  EXPECT_EQ(bisect({"--counter", "ptx_instructions", "--threshold", "0.5", "--good", "HEAD~3"}).exit_status, 4);
}

// Stops the work as soon as two commits were judged.
class Stopper final : public Listener {
 public:
  explicit Stopper(CancellationToken& token) : token_(token) {}
  void begin(const std::string&, size_t) override {}
  void advance(const std::string&) override {
    if (++judged_ == 2) token_.cancel();
  }
  void step(const std::string&) override {}
  void note(const std::string&) override {}
  void end() override {}
  void warn(const std::string&) override {}

 private:
  CancellationToken& token_;
  size_t judged_ = 0;
};

TEST_F(BisectTest, an_interrupted_search_goes_on_where_it_was) {
  comment(5);
  const std::string culprit = commit("an instruction more", with("DONE:", kMore));
  comment(10);
  ::setenv("ASSAY_NVCC", "none", 1);
  ::setenv("ASSAY_CACHE", ASSAY_BINARY_DIR "/test-cache", 1);
  work::BisectRequest request;
  request.choice.kernel = kernel();
  request.choice.device = "vgpu:l4";
  request.judge = "counter";
  request.counter = "ptx_instructions";
  request.good = "HEAD~16";
  request.record.ledger = ledger();
  CancellationToken token;
  Stopper stopper(token);
  const auto stopped = work::bisect(request, {&stopper, &token, ASSAY_BINARY_DIR "/assay"});
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().exit_code, kInterrupted);
  const json document =
      parsed(bisect({"--counter", "ptx_instructions", "--good", "HEAD~16", "--device", "vgpu:l4", "--json"}));
  EXPECT_GE(document["reused"], 4) << document.dump(2);
  EXPECT_EQ(document["suspects"][0]["id"], culprit);
  const json again =
      parsed(bisect({"--counter", "ptx_instructions", "--good", "HEAD~16", "--device", "vgpu:l4", "--json"}));
  EXPECT_EQ(again["reused"], 0) << "what came to its end is forgotten";
}

TEST_F(BisectTest, mistakes) {
  comment(1);
  EXPECT_EQ(bisect({}).exit_status, 2);
  EXPECT_EQ(bisect({"--check", "--sanitize"}).exit_status, 2);
  EXPECT_EQ(bisect({"--check", "--good", "no-such-commit"}).exit_status, 2);
  EXPECT_EQ(bisect({"--check", "--good", "--upload-pack=x"}).exit_status, 2);
  EXPECT_EQ(bisect({"--check", "--good", "HEAD", "--bad", "HEAD~1"}).exit_status, 2);
  const ProcessOutcome unknown = bisect({"--counter", "ptx_instruction"});
  EXPECT_EQ(unknown.exit_status, 2);
  EXPECT_NE(unknown.errors.find("did you mean 'ptx_instructions'"), std::string::npos) << unknown.errors;
  const TemporaryFolder elsewhere;
  elsewhere.write("kernel.toml", kToml);
  EXPECT_EQ(assay_program({"bisect", elsewhere.path().string(), "--check", "--ledger", ledger()}).exit_status, 2);
}

}  // namespace
}  // namespace assay::cli
