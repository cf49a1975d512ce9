// SPDX-License-Identifier: MIT
// The worker's protocol: with scripts that misbehave in its place, and with the program itself.
#include "check/worker.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

#include "../support/mentions.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "check/result_json.hpp"
#include "copy_kernel.hpp"

namespace assay::check {
namespace {

using nlohmann::json;

// A script that counts its starts in the file `starts`, answers the setup, and then does as told with each case.
class ScriptedWorker {
 public:
  explicit ScriptedWorker(const std::string& on_case, const std::string& on_setup = "echo '{\"ready\":true}'") {
    folder_.write("good", to_json(CaseResult{}).dump() + "\n");
    options_.context.program =
        folder_
            .write_script("worker", "cd '" + folder_.path().string() + "'\necho started >> starts\nread setup\n" +
                                        on_setup + "\nwhile read line; do\n" + on_case + "\ndone\n")
            .string();
    options_.time_limit = std::chrono::seconds(20);
    options_.setup_time_limit = std::chrono::seconds(20);
  }
  Worker::Options& options() { return options_; }
  const TemporaryFolder& folder() const { return folder_; }
  Result<std::unique_ptr<Worker>> try_start() { return Worker::start(options_); }
  std::unique_ptr<Worker> start() {
    auto worker = try_start();
    EXPECT_TRUE(worker.ok()) << to_string(worker.error());
    return worker.ok() ? std::move(*worker) : nullptr;
  }
  size_t starts() const { return split(*read_file(folder_.path() / "starts"), '\n').size() - 1; }

 private:
  TemporaryFolder folder_;
  Worker::Options options_;
};

// The first case goes wrong, every later one of a new process is good.
std::string once(const std::string& mishap) {
  return "if [ ! -e happened ]; then touch happened; " + mishap + "; fi\ncat good";
}

#define EXPECT_OUTCOME(result, expected) EXPECT_EQ(name((result).outcome), name(expected)) << (result).message

TEST(Worker, keeps_one_process_for_good_cases) {
  ScriptedWorker script("cat good");
  const auto worker = script.start();
  for (int i = 0; i < 3; ++i) {
    const CaseResult result = worker->run(CopyKernel::test(i + 1));
    EXPECT_OUTCOME(result, Outcome::passed);
    EXPECT_EQ(result.test, CopyKernel::test(i + 1));
  }
  EXPECT_EQ(script.starts(), 1u);
}

struct Mishap {
  const char* what;
  const char* script;
  Outcome outcome;
  const char* message;
};

class WorkerMishap : public testing::TestWithParam<Mishap> {};

TEST_P(WorkerMishap, becomes_a_result_and_the_next_case_gets_a_fresh_process) {
  ScriptedWorker script(once(GetParam().script));
  if (GetParam().outcome == Outcome::timed_out) script.options().time_limit = std::chrono::milliseconds(150);
  const auto worker = script.start();
  const CaseResult lost = worker->run(CopyKernel::test(5));
  EXPECT_OUTCOME(lost, GetParam().outcome);
  EXPECT_TRUE(mentions(lost.message, GetParam().message)) << lost.message;
  EXPECT_EQ(lost.test, CopyKernel::test(5));
  worker->run(CopyKernel::test(6));  // with a time limit this short even a good one may be late
  EXPECT_EQ(script.starts(), 2u);
  if (GetParam().outcome == Outcome::timed_out) return;
  EXPECT_OUTCOME(worker->run(CopyKernel::test(7)), Outcome::passed);
}

INSTANTIATE_TEST_SUITE_P(
    All, WorkerMishap,
    testing::Values(
        Mishap{"crash", "echo 'it hurts' >&2; kill -SEGV $$", Outcome::crashed, "was killed by SIGSEGV: it hurts"},
        Mishap{"exit", "exit 9", Outcome::crashed, "exited with 9"},
        Mishap{"unnamed_signal", "kill -40 $$", Outcome::crashed, "signal 40"},
        Mishap{"hang", "exec sleep 60", Outcome::timed_out, "no result after 0.15 s"},
        Mishap{"half_line_then_hang", "printf '{\"outcome\":'; exec sleep 60", Outcome::timed_out, "no result"},
        Mishap{"half_line", "head -c 40 good; exit 0", Outcome::crashed, "exited with 0"},
        Mishap{"rubbish", "echo 'Hello, World!'", Outcome::crashed, "not understood"},
        Mishap{"binary", "printf '\\377\\376\\n'", Outcome::crashed, "not understood"},
        Mishap{"empty_line", "echo", Outcome::crashed, "not understood"},
        Mishap{"other_json", "echo '[1, 2]'", Outcome::crashed, "not understood"},
        Mishap{"missing_keys", "echo '{\"outcome\": \"passed\"}'", Outcome::crashed, "not understood"}),
    [](const auto& test) { return test.param.what; });

TEST(Worker, passes_on_the_workers_own_error) {
  ScriptedWorker script(
      "echo '{\"error\": {\"message\": \"no such shape\", \"hint\": \"another\", \"exit_code\": 2}}'");
  const auto worker = script.start();
  const CaseResult result = worker->run(CopyKernel::test(5));
  EXPECT_OUTCOME(result, Outcome::not_launched);
  EXPECT_EQ(result.message, "no such shape");
  EXPECT_EQ(result.hint, "another");
}

TEST(Worker, tells_what_the_machine_lacks_from_mistakes) {
  ScriptedWorker script("echo '{\"error\": {\"message\": \"not enough memory\", \"exit_code\": 6}}'");
  const auto worker = script.start();
  EXPECT_OUTCOME(worker->run(CopyKernel::test(5)), Outcome::cannot_run);
}

TEST(Worker, survives_an_error_that_is_none) {
  for (const char* error :
       {"5", "null", "[]", "{\"message\": 7, \"line\": \"x\", \"exit_code\": {}}", "{\"exit_code\": 99}"}) {
    ScriptedWorker script(std::string("echo '{\"error\": ") + error + "}'");
    const auto worker = script.start();
    EXPECT_OUTCOME(worker->run(CopyKernel::test(5)), Outcome::crashed) << error;
    ScriptedWorker at_setup("", std::string("echo '{\"error\": ") + error + "}'");
    const auto refused = at_setup.try_start();
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().exit_code, ExitCode::internal);
  }
}

TEST(Worker, reads_the_list_of_approximate_instructions_with_care) {
  ScriptedWorker script("cat good", "echo '{\"ready\": true, \"approximate\": [\"ex2\", 3, \"rcp\"]}'");
  EXPECT_EQ(script.start()->approximate_instructions(), (std::vector<std::string>{"ex2", "rcp"}));
  ScriptedWorker rubbish("cat good", "echo '{\"ready\": true, \"approximate\": 5}'");
  EXPECT_TRUE(rubbish.start()->approximate_instructions().empty());
}

TEST(Worker, explains_a_setup_that_goes_wrong) {
  ScriptedWorker dies("", "echo 'no memory' >&2; exit 3");
  const auto died = dies.try_start();
  ASSERT_FALSE(died.ok());
  EXPECT_TRUE(mentions(died.error().message, "exited with 3 while it was set up: no memory")) << died.error().message;
  ScriptedWorker hangs("", "exec sleep 60");
  hangs.options().setup_time_limit = std::chrono::milliseconds(100);
  EXPECT_FALSE(hangs.try_start().ok());
  ScriptedWorker rubbish("", "echo hello");
  EXPECT_FALSE(rubbish.try_start().ok());
  ScriptedWorker missing("");
  missing.options().context.program = "/no/such/program";
  EXPECT_FALSE(missing.try_start().ok());
}

TEST(Worker, tries_again_after_a_restart_that_failed) {
  // The second start fails, the third is good.
  ScriptedWorker script(once("exit 1"), "if [ $(wc -l < starts) = 2 ]; then exit 5; fi; echo '{\"ready\":true}'");
  const auto worker = script.start();
  EXPECT_OUTCOME(worker->run(CopyKernel::test(1)), Outcome::crashed);
  const CaseResult second = worker->run(CopyKernel::test(2));
  EXPECT_OUTCOME(second, Outcome::crashed);
  EXPECT_TRUE(mentions(second.message, "exited with 5")) << second.message;
  EXPECT_OUTCOME(worker->run(CopyKernel::test(3)), Outcome::passed);
  EXPECT_EQ(script.starts(), 3u);
}

TEST(ServeWorker, answers_every_line_whatever_it_says) {
  const CopyKernel kernel(kRightCopy);
  const RunnerSetup setup = kernel.setup();
  const json good_setup = {{"setup",
                            {{"spec", setup.spec_file.string()},
                             {"configuration", ""},
                             {"ptx", setup.ptx.string()},
                             {"device", "vgpu:l4"},
                             {"cache", ""},
                             {"checks", {"memcheck"}},
                             {"compare", true},
                             {"instruction_limit", 0}}}};
  const json good_case = {{"shape", "N=5"}, {"distribution", "specified"}, {"seed", 1}};
  json bad_shape = good_case;
  bad_shape["shape"] = "M=5";
  std::istringstream input("rubbish\n{}\n[]\n" + good_case.dump() + "\n{\"setup\": 5}\n" + good_setup.dump() + "\n" +
                           bad_shape.dump() + "\n" + good_case.dump() + "\n");
  std::ostringstream output;
  EXPECT_EQ(serve_worker(input, output), 0);
  const std::string all = output.str();
  const auto lines = split(all, '\n');
  ASSERT_EQ(lines.size(), 8u + 1u) << all;
  for (const size_t i : {0u, 1u, 2u, 3u, 4u, 6u}) EXPECT_TRUE(json::parse(lines[i]).contains("error")) << lines[i];
  EXPECT_EQ(json::parse(lines[5])["ready"], true);
  EXPECT_EQ(json::parse(lines[7])["outcome"], "passed") << lines[7];
}

Worker::Options shipped(const std::string& kernel) {
  Worker::Options options;
  options.context.program = ASSAY_BINARY_DIR "/assay";
  options.setup.spec_file = ASSAY_SOURCE_DIR "/kernels/" + kernel;
  options.setup.ptx = ASSAY_SOURCE_DIR "/kernels/" + kernel + "/ptx/" + kernel + ".sm_89.ptx";
  options.setup.device = "vgpu:l4";
  return options;
}

TEST(Worker, runs_a_shipped_kernel_in_the_program_itself) {
  auto worker = Worker::start(shipped("reduction"));
  ASSERT_TRUE(worker.ok()) << to_string(worker.error());
  for (const int64_t columns : {1, 33, 1000}) {
    const CaseResult result = (*worker)->run(
        {Origin::specified, spec::Shape{{{"ROWS", 2}, {"COLUMNS", columns}}}, Distribution::specified, 1});
    EXPECT_OUTCOME(result, Outcome::passed);
    EXPECT_EQ(result.elements, 2);
    EXPECT_GT(result.instructions, 0u);
  }
  const CaseResult odd = (*worker)->run({Origin::specified, spec::Shape{{{"LINES", 2}}}, Distribution::specified, 1});
  EXPECT_OUTCOME(odd, Outcome::not_launched);
  EXPECT_TRUE(mentions(odd.message, "LINES")) << odd.message;
}

TEST(Worker, brings_the_programs_errors_with_their_place) {
  Worker::Options options = shipped("reduction");
  options.setup.ptx = "/no/such/file.ptx";
  const auto worker = Worker::start(options);
  ASSERT_FALSE(worker.ok());
  EXPECT_EQ(worker.error().place.file, "/no/such/file.ptx");
  EXPECT_EQ(worker.error().exit_code, ExitCode::usage);
}

TEST(Worker, takes_paths_that_are_not_utf8) {
  Worker::Options options = shipped("reduction");
  options.setup.ptx = "/no/such/\xff\xfe.ptx";
  EXPECT_FALSE(Worker::start(options).ok());
}

}  // namespace
}  // namespace assay::check
