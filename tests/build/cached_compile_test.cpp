// SPDX-License-Identifier: MIT
#include "build/cached_compile.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "fake_toolkit.hpp"

namespace assay::build {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

class CachedCompile : public testing::Test {
 protected:
  void SetUp() override {
    project_.write("k.cu", "#include \"tile.cuh\"\nbody\n");
    project_.write("tile.cuh", "tile");
  }
  CompileRequest request(std::vector<std::string> defines = {}) {
    return {.source = project_.path() / "k.cu",
            .target = "sm_80",
            .defines = std::move(defines),
            .flags = {},
            .include_folders = {}};
  }
  // As a new process would do it: nothing remembered but what is in the folder.
  Result<Compilation> compile_fresh(const CompileRequest& wanted) {
    const Result<ArtifactCache> cache = ArtifactCache::open(folder_.path());
    if (!cache) return cache.error();
    const Result<Toolkit> toolkit = find_toolkit(cache->compilers_folder());
    if (!toolkit) return toolkit.error();
    FileHashes hashes;
    return compile_cached(*cache, *toolkit, hashes, wanted, seconds(20));
  }
  bool was_cached(const CompileRequest& wanted) {
    const Result<Compilation> result = compile_fresh(wanted);
    EXPECT_TRUE(result.ok() && result->succeeded);
    return result.ok() && result->from_cache;
  }

  FakeToolkit fake_;
  TemporaryFolder project_;
  TemporaryFolder folder_;
};

TEST_F(CachedCompile, CompilesOnce) {
  const Result<Compilation> first = compile_fresh(request());
  ASSERT_TRUE(first.ok()) << to_string(first.error());
  EXPECT_TRUE(first->succeeded);
  EXPECT_FALSE(first->from_cache);
  const Result<Compilation> second = compile_fresh(request());
  ASSERT_TRUE(second.ok());
  EXPECT_TRUE(second->from_cache);
  EXPECT_EQ(second->ptx, first->ptx);
  EXPECT_EQ(second->ptxas_output, first->ptxas_output);
  ASSERT_EQ(second->sources.size(), 2u) << "the source and its header, not the system's files";
  EXPECT_EQ(second->sources[0].path, "k.cu");
  EXPECT_EQ(second->sources[1].path, "tile.cuh");
  EXPECT_EQ(fake_.runs_of("ptx"), 1u);
  EXPECT_EQ(fake_.runs_of("cubin"), 1u);
  EXPECT_EQ(fake_.runs_of("version"), 1u);
}

TEST_F(CachedCompile, EverythingThatGoesInCounts) {
  EXPECT_FALSE(was_cached(request()));
  EXPECT_FALSE(was_cached(request({"-DBLOCK_M=64"})));
  CompileRequest flags = request();
  flags.flags = {"-DBLOCK_M=64"};
  EXPECT_FALSE(was_cached(flags)) << "a flag is not a define";
  CompileRequest target = request();
  target.target = "sm_89";
  EXPECT_FALSE(was_cached(target));
  CompileRequest folders = request();
  folders.include_folders = {project_.path() / "inc"};
  EXPECT_FALSE(was_cached(folders));
  EXPECT_TRUE(was_cached(request()));
  project_.write("tile.cuh", "changed");
  EXPECT_FALSE(was_cached(request()));
  EXPECT_TRUE(was_cached(request()));
  project_.write("k.cu", "changed\n");
  EXPECT_FALSE(was_cached(request()));
  const Variable steering("NVCC_PREPEND_FLAGS", "-O1");
  EXPECT_FALSE(was_cached(request()));
}

TEST_F(CachedCompile, AMovedProjectFindsItsBuilds) {
  EXPECT_FALSE(was_cached(request()));
  const TemporaryFolder elsewhere;
  CompileRequest moved = request();
  moved.source = elsewhere.write("k.cu", "#include \"tile.cuh\"\nbody\n");
  elsewhere.write("tile.cuh", "tile");
  EXPECT_TRUE(was_cached(moved));
  elsewhere.write("tile.cuh", "another tile");
  EXPECT_FALSE(was_cached(moved));
}

TEST_F(CachedCompile, AHeaderThatChangesDuringTheCompilationSpoilsTheEntry) {
  std::thread editor([&] {
    for (int i = 0; i < 3000 && fake_.runs_of("ptx") == 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    project_.write("tile.cuh", "edited");
  });
  EXPECT_FALSE(was_cached(request({"-DSLEEP=1"})));
  editor.join();
  EXPECT_FALSE(was_cached(request({"-DSLEEP=1"})));
  EXPECT_TRUE(was_cached(request({"-DSLEEP=1"})));
}

TEST_F(CachedCompile, FailuresAreNotKept) {
  for (int i = 0; i < 2; ++i) {
    const Result<Compilation> result = compile_fresh(request({"-DFAIL=1"}));
    ASSERT_TRUE(result.ok());
    EXPECT_FALSE(result->succeeded);
    EXPECT_NE(result->output.find("error: expected a ;"), std::string::npos);
  }
  EXPECT_EQ(fake_.runs_of("ptx"), 2u);
  EXPECT_TRUE(fs::is_empty(folder_.path() / "drafts"));
}

TEST_F(CachedCompile, AMissingSourceIsTheUsersError) {
  CompileRequest wanted = request();
  wanted.source = project_.path() / "nowhere.cu";
  const Result<Compilation> result = compile_fresh(wanted);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().exit_code, ExitCode::usage);
}

TEST_F(CachedCompile, ProcessesThatWantTheSameCompileItOnce) {
  std::vector<pid_t> children;
  for (int i = 0; i < 6; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      const Result<Compilation> result = compile_fresh(request({"-DSLEEP=0.3"}));
      ::_exit(result.ok() && result->succeeded ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(fake_.runs_of("ptx"), 1u);
  EXPECT_TRUE(fs::is_empty(folder_.path() / "locks"));
  EXPECT_TRUE(fs::is_empty(folder_.path() / "drafts"));
}

TEST_F(CachedCompile, ThreadsThatWantTheSameCompileItOnce) {
  const ArtifactCache cache = *ArtifactCache::open(folder_.path());
  const Toolkit toolkit = *find_toolkit();
  FileHashes hashes;
  std::atomic<int> good{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 6; ++i) {
      threads.emplace_back([&] {
        const auto result = compile_cached(cache, toolkit, hashes, request({"-DSLEEP=0.2"}), seconds(20));
        good += result.ok() && result->succeeded;
      });
    }
  }
  EXPECT_EQ(good, 6);
  EXPECT_EQ(fake_.runs_of("ptx"), 1u);
}

// Killed at many different moments; whatever is left behind, the next build is right.
TEST_F(CachedCompile, SurvivesKillAtAnyMoment) {
  for (int delay_ms = 0; delay_ms <= 240; delay_ms += 20) {
    const std::string define = "-DROUND=" + std::to_string(delay_ms);
    const pid_t child = ::fork();
    if (child == 0) {
      (void)compile_fresh(request({define, "-DSLEEP=0.1"}));
      ::_exit(0);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const Result<Compilation> result = compile_fresh(request({define, "-DSLEEP=0.1"}));
    ASSERT_TRUE(result.ok() && result->succeeded) << delay_ms;
    EXPECT_NE(read_file(result->ptx)->find(define), std::string::npos);
    EXPECT_TRUE(was_cached(request({define, "-DSLEEP=0.1"})));
  }
}

}  // namespace
}  // namespace assay::build
