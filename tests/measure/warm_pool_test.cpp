// SPDX-License-Identifier: MIT
// The pool with an import that takes its time, and the provider that the other tests use.
#include "measure/warm_pool.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

#include "../support/temporary_folder.hpp"
#include "base/file.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "fake_contender.hpp"
#include "measure/provider.hpp"

namespace assay::measure {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// A provider that answers any request, and does what a request's "op" says.
constexpr const char* kProvider = R"py(
import json, os, signal, subprocess, sys, time
import HEAVY
for line in sys.stdin:
    request = json.loads(line)
    answer = {"id": request["id"], "ok": True, "name": "warm", "device": str(os.getpid()), "versions": {}}
    if os.path.exists(FOLDER + "/daemon"):
        left = subprocess.Popen(["sleep", "1000"], start_new_session=True)
        answer["device"] += " " + str(left.pid)
    if os.path.exists(FOLDER + "/crash"):
        os.kill(os.getpid(), signal.SIGSEGV)
    print(json.dumps(answer), flush=True)
)py";

bool alive(const std::string& pid) {
  const auto stat = read_file("/proc/" + pid + "/stat");
  return stat.ok() && stat->find(") Z") == std::string::npos;
}

bool gone_soon(const std::string& pid) {
  for (int i = 0; i < 200 && alive(pid); ++i) std::this_thread::sleep_for(milliseconds(20));
  return !alive(pid);
}

class WarmPoolTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSAY_NEEDS_PYTHON();
    // Each test has a module, and so a pool, of its own.
    const std::string module = "heavy_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name());
    folder_.write(module + ".py",
                  fmt::format("import time\nopen('{}', 'a').write('x')\ntime.sleep(0.3)\n", imports().string()));
    folder_.write("provider.py",
                  replace_all(replace_all(kProvider, "HEAVY", module), "FOLDER", "'" + folder_.path().string() + "'"));
    ::setenv("PYTHONPATH", folder_.path().c_str(), 1);
    contender_.name = "warm";
    contender_.provider = "python";
    contender_.arguments = {find_program("python3").string(), (folder_.path() / "provider.py").string()};
    contender_.warm_folder = ASSAY_SOURCE_DIR "/providers";
    contender_.preload = module;
    WarmPools::of_this_process().take_complaints();
  }
  void TearDown() override { ::unsetenv("ASSAY_WARM_POOL"); }

  std::filesystem::path imports() const { return folder_.path() / "imports"; }
  size_t import_count() const { return read_file(imports()).ok() ? read_file(imports())->size() : 0; }

  std::unique_ptr<Provider> start() const {
    auto provider = Provider::start(contender_, 0);
    EXPECT_TRUE(provider.ok()) << (provider ? "" : to_string(provider.error()));
    return provider ? std::move(*provider) : nullptr;
  }
  static std::vector<std::string> complaints_soon() {
    std::vector<std::string> complaints;
    for (int i = 0; i < 200 && complaints.empty(); ++i) {
      complaints = WarmPools::of_this_process().take_complaints();
      std::this_thread::sleep_for(milliseconds(20));
    }
    return complaints;
  }
  static std::string pid_of(const Provider& provider) {
    const std::string& said = provider.identity().device;
    return said.substr(0, said.find(' '));
  }
  // Of the process that listens, by the folder that holds its modules.
  static std::string pool_of(const std::string& provider) {
    const auto parent = [](const std::string& pid) -> std::string {
      const auto stat = read_file("/proc/" + pid + "/stat");
      if (!stat) return "";
      const std::vector<std::string_view> words = split(std::string_view(*stat).substr(stat->rfind(')') + 2), ' ');
      return std::string(words.at(1));
    };
    return parent(parent(provider));
  }

  TemporaryFolder folder_;
  Contender contender_;
};

TEST_F(WarmPoolTest, imports_once_for_all_contenders) {
  const auto first = start();  // waits for the import
  ASSERT_NE(first, nullptr);
  double longest = 0;
  for (int i = 0; i < 5; ++i) {
    const auto begin = Clock::now();
    const auto provider = start();
    ASSERT_NE(provider, nullptr);
    longest = std::max(longest, seconds_since(begin));
    EXPECT_NE(pid_of(*provider), pid_of(*first)) << "each is a process of its own";
  }
  EXPECT_EQ(import_count(), 1u) << "once for all of them";
  EXPECT_NE(pool_of(pid_of(*first)), std::to_string(::getpid())) << "the first one too is of the pool";
  RecordProperty("longest_start_ms", static_cast<int>(1000 * longest));
  EXPECT_TRUE(WarmPools::of_this_process().take_complaints().empty());
}

TEST_F(WarmPoolTest, can_be_switched_off) {
  ::setenv("ASSAY_WARM_POOL", "none", 1);
  EXPECT_EQ(WarmPools::of_this_process().words(contender_), contender_.arguments);
  ::unsetenv("ASSAY_WARM_POOL");
  EXPECT_NE(WarmPools::of_this_process().words(contender_), contender_.arguments);
  contender_.warm_folder.clear();
  EXPECT_EQ(WarmPools::of_this_process().words(contender_), contender_.arguments) << "a program of another kind";
}

TEST_F(WarmPoolTest, ends_a_contender_and_whatever_it_started) {
  folder_.write("daemon", "");
  auto provider = start();
  ASSERT_NE(provider, nullptr);
  const std::vector<std::string_view> pids = split(provider->identity().device, ' ');
  ASSERT_EQ(pids.size(), 2u);
  const std::string own(pids[0]);
  const std::string daemon(pids[1]);
  EXPECT_TRUE(alive(own) && alive(daemon));
  provider.reset();
  EXPECT_TRUE(gone_soon(own));
  EXPECT_TRUE(gone_soon(daemon)) << "it had a session of its own";
}

TEST_F(WarmPoolTest, tells_how_a_contender_ended) {
  ASSERT_NE(start(), nullptr);
  folder_.write("crash", "");
  const auto provider = Provider::start(contender_, 0);
  ASSERT_FALSE(provider.ok());
  EXPECT_TRUE(mentions(provider.error().message, "killed by SIGSEGV")) << provider.error().message;
}

TEST_F(WarmPoolTest, does_without_a_pool_that_is_dead_and_says_so) {
  const auto first = start();
  ASSERT_NE(first, nullptr);
  const std::string pool = pool_of(pid_of(*first));
  ASSERT_TRUE(alive(pool)) << pool;
  ASSERT_NE(pool, std::to_string(::getpid())) << "it was not started by a pool";
  ::kill(std::stoi(pool), SIGKILL);
  ASSERT_TRUE(gone_soon(pool));
  ASSERT_TRUE(gone_soon(pid_of(*first))) << "what it had started goes with it";
  EXPECT_EQ(import_count(), 1u);
  const auto second = start();
  ASSERT_NE(second, nullptr) << "a fresh process takes its place";
  EXPECT_EQ(import_count(), 2u) << "which imports for itself";
  const auto complaints = complaints_soon();
  ASSERT_EQ(complaints.size(), 1u);
  EXPECT_TRUE(mentions(complaints[0], "start as fresh processes")) << complaints[0];
  ASSERT_NE(start(), nullptr);
  EXPECT_TRUE(WarmPools::of_this_process().take_complaints().empty()) << "once is enough";
}

TEST_F(WarmPoolTest, a_module_that_cannot_be_imported_is_the_contenders_own_problem) {
  folder_.write("provider.py", replace_all(replace_all(kProvider, "import HEAVY", ""), "FOLDER", "'/nowhere'"));
  contender_.preload = "there_is_no_such_module";
  EXPECT_NE(start(), nullptr) << "this one does not need it";
  EXPECT_NE(start(), nullptr);
  const auto complaints = complaints_soon();
  ASSERT_EQ(complaints.size(), 1u);
  EXPECT_TRUE(mentions(complaints[0], "there_is_no_such_module")) << complaints[0];
}

}  // namespace
}  // namespace assay::measure
