// SPDX-License-Identifier: MIT
#include "measure/contender.hpp"

#include <cstdlib>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "fake_contender.hpp"
#include "measure/embedded_files.hpp"

namespace assay::measure {
namespace {

namespace fs = std::filesystem;

std::string text(const spec::Options& options, const std::string& key) {
  const auto found = options.find(key);
  if (found == options.end() || !std::holds_alternative<std::string>(found->second)) return "(nothing)";
  return std::get<std::string>(found->second);
}

spec::Baseline baseline_of(const std::string& provider, const spec::Options& options) {
  return {"other", {"kernel.toml", 7, 1}, provider, options};
}

constexpr const char* kBaselines = R"toml(
[baseline.mine]
provider = "command"
program = "fast.sh"
[baseline.sdpa]
provider = "torch_sdpa"
backend = "math"
)toml";

TEST(FindBaseline, prefers_those_of_the_specification) {
  const ProblemFolder folder(row_sum_toml("", kBaselines));
  const auto mine = find_baseline(folder.spec(), "mine");
  ASSERT_TRUE(mine.ok()) << to_string(mine.error());
  EXPECT_EQ(mine->provider, "command");
  EXPECT_EQ(text(mine->options, "program"), "fast.sh");
  const auto sdpa = find_baseline(folder.spec(), "sdpa");
  ASSERT_TRUE(sdpa.ok());
  EXPECT_EQ(text(sdpa->options, "backend"), "math");
}

TEST(FindBaseline, knows_names_that_need_no_specification) {
  const ProblemFolder folder;
  const auto sdpa = find_baseline(folder.spec(), "sdpa");
  ASSERT_TRUE(sdpa.ok());
  EXPECT_EQ(sdpa->name, "sdpa");
  EXPECT_EQ(sdpa->provider, "torch_sdpa");
  EXPECT_TRUE(sdpa->options.empty());
  const auto flash = find_baseline(folder.spec(), "sdpa:flash");
  ASSERT_TRUE(flash.ok());
  EXPECT_EQ(flash->name, "sdpa:flash");
  EXPECT_EQ(text(flash->options, "backend"), "flash");
  const auto compiled = find_baseline(folder.spec(), "torch_compile");
  ASSERT_TRUE(compiled.ok());
  EXPECT_EQ(compiled->provider, "torch_compile");
}

TEST(FindBaseline, lists_what_there_is_for_an_unknown_name) {
  const ProblemFolder folder(row_sum_toml("", kBaselines));
  for (const std::string name : {"sdpaflash", "", "Mine", "torch"}) {
    const auto none = find_baseline(folder.spec(), name);
    ASSERT_FALSE(none.ok()) << name;
    EXPECT_TRUE(mentions(none.error().message, "'" + name + "'")) << none.error().message;
    for (const char* known : {"mine", "sdpa", "sdpa:BACKEND", "torch_compile", "a kernel folder"})
      EXPECT_TRUE(mentions(none.error().hint, known)) << none.error().hint;
    EXPECT_TRUE(mentions(none.error().place.file, "kernel.toml"));
  }
}

TEST(KernelContender, is_this_program_and_knows_what_was_built) {
  const ProblemFolder folder;
  build::BuildResult built;
  built.ptx = "/cache/sum.ptx";
  built.cubin = "/cache/sum.cubin";
  const Contender contender = kernel_contender("candidate", folder.spec(), built);
  EXPECT_EQ(contender.name, "candidate");
  EXPECT_EQ(contender.provider, "kernel");
  EXPECT_EQ(contender.arguments, (std::vector<std::string>{"/proc/self/exe", "--provider"}));
  EXPECT_TRUE(contender.must_be_own_kernels);
  EXPECT_EQ(text(contender.options, "specification"), (folder.folder().path() / "kernel.toml").string());
  EXPECT_EQ(text(contender.options, "configuration"), "") << "there are no tunables";
  EXPECT_EQ(text(contender.options, "ptx"), "/cache/sum.ptx");
  EXPECT_EQ(text(contender.options, "cubin"), "/cache/sum.cubin");
}

TEST(KernelContender, names_its_configuration) {
  const ProblemFolder folder(row_sum_toml("", "[tunable]\nBLOCK = [64, 128]\n"));
  build::BuildResult built;
  built.configuration = *spec::parse_configuration(folder.spec(), "BLOCK=128");
  EXPECT_EQ(text(kernel_contender("candidate", folder.spec(), built).options, "configuration"), "BLOCK=128");
}

class ProviderProgramsTest : public testing::Test {
 protected:
  ProviderPrograms install() const {
    auto installed = ProviderPrograms::install(cache_.path());
    EXPECT_TRUE(installed.ok()) << (installed ? "" : to_string(installed.error()));
    return *installed;
  }
  Error refusal(const spec::Baseline& baseline) const {
    const auto contender = install().contender(baseline, folder_.path());
    EXPECT_FALSE(contender.ok());
    return contender ? Error{} : contender.error();
  }

  TemporaryFolder cache_;
  TemporaryFolder folder_;
};

TEST_F(ProviderProgramsTest, are_written_once_and_repaired) {
  const fs::path instruments = install().instruments();
  std::map<std::string, fs::file_time_type> times;
  for (const EmbeddedFile& file : provider_files()) {
    const fs::path path = instruments.parent_path() / file.name;
    ASSERT_EQ(read_file(path).ok() ? *read_file(path) : "", file.text) << path;
    times[std::string(file.name)] = fs::last_write_time(path);
  }
  EXPECT_TRUE(times.contains("instruments.ptx"));
  EXPECT_TRUE(times.contains("torch_sdpa.py"));
  ASSERT_TRUE(write_file_atomically(instruments, "half a fi").ok());
  fs::remove(instruments.parent_path() / "torch_sdpa.py");
  EXPECT_EQ(install().instruments(), instruments) << "the same contents, the same folder";
  for (const EmbeddedFile& file : provider_files()) {
    const fs::path path = instruments.parent_path() / file.name;
    EXPECT_EQ(*read_file(path), file.text) << path;
    if (file.name == "instruments.ptx" || file.name == "torch_sdpa.py") continue;
    EXPECT_EQ(fs::last_write_time(path), times[std::string(file.name)]) << "what is right is left alone: " << path;
  }
}

TEST_F(ProviderProgramsTest, need_a_folder_that_can_be_written) {
  const auto installed = ProviderPrograms::install(cache_.write("file", "in the way") / "cache");
  EXPECT_FALSE(installed.ok());
}

TEST_F(ProviderProgramsTest, command_is_a_file_of_the_folder_or_a_program) {
  const fs::path script = folder_.write_script("fast.sh", "exit 0\n");
  auto local = install().contender(
      baseline_of("command", {{"program", std::string("fast.sh")}, {"arguments", std::string("a  b=1 ")}}),
      folder_.path());
  ASSERT_TRUE(local.ok()) << to_string(local.error());
  EXPECT_EQ(local->name, "other");
  EXPECT_EQ(local->provider, "command");
  EXPECT_EQ(local->arguments, (std::vector<std::string>{script.string(), "a", "b=1"}));
  EXPECT_FALSE(local->must_be_own_kernels);
  const auto found = install().contender(baseline_of("command", {{"program", std::string("sh")}}), folder_.path());
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->arguments, std::vector<std::string>{find_program("sh").string()});
}

TEST_F(ProviderProgramsTest, command_needs_a_program_that_exists) {
  const Error missing = refusal(baseline_of("command", {{"program", std::string("no-such-program")}}));
  EXPECT_TRUE(mentions(missing.message, "'other'")) << missing.message;
  EXPECT_TRUE(mentions(missing.message, "no-such-program")) << missing.message;
  EXPECT_EQ(missing.place.line, 7);
  for (const spec::Options& options : {spec::Options{}, spec::Options{{"program", int64_t{5}}}}) {
    const Error none = refusal(baseline_of("command", options));
    EXPECT_TRUE(mentions(none.message, "needs program = ")) << none.message;
  }
}

TEST_F(ProviderProgramsTest, command_takes_arguments_as_text) {
  const Error error = refusal(baseline_of("command", {{"program", std::string("sh")}, {"arguments", int64_t{5}}}));
  EXPECT_TRUE(mentions(error.message, "arguments")) << error.message;
}

TEST_F(ProviderProgramsTest, quoted_words_of_a_command_may_hold_blanks) {
  const auto words = [this](const std::string& text) {
    const auto found = install().contender(
        baseline_of("command", {{"program", std::string("sh")}, {"arguments", text}}), folder_.path());
    EXPECT_TRUE(found.ok());
    return found ? std::vector<std::string>(found->arguments.begin() + 1, found->arguments.end())
                 : std::vector<std::string>();
  };
  EXPECT_EQ(words("-B 'a b/c.py' --name=\"d 'e\" ''"), (std::vector<std::string>{"-B", "a b/c.py", "--name=d 'e", ""}));
  EXPECT_EQ(words("a\\ b"), (std::vector<std::string>{"a\\", "b"}));  // a backslash is a character
  const Error open =
      refusal(baseline_of("command", {{"program", std::string("sh")}, {"arguments", std::string("'a b")}}));
  EXPECT_TRUE(mentions(open.message, "open ' quote")) << open.message;
}

TEST_F(ProviderProgramsTest, python_is_a_function_in_a_file_of_the_folder) {
  ASSAY_NEEDS_PYTHON();
  const auto contender = install().contender(
      baseline_of("python", {{"file", std::string("sub/../mine.py")}, {"function", std::string("candidate")}}),
      folder_.path());
  ASSERT_TRUE(contender.ok()) << to_string(contender.error());
  EXPECT_EQ(text(contender->options, "file"), (folder_.path() / "mine.py").string());
  EXPECT_EQ(text(contender->options, "function"), "candidate");
  EXPECT_TRUE(contender->must_be_own_kernels) << "a function of one's own is a candidate";
  ASSERT_EQ(contender->arguments.size(), 2u);
  EXPECT_EQ(contender->arguments[0], find_program("python3").string());
  EXPECT_EQ(fs::path(contender->arguments[1]).filename(), "python_function.py");
  EXPECT_TRUE(fs::exists(contender->arguments[1]));
  EXPECT_TRUE(mentions(refusal(baseline_of("python", {})).message, "needs file = "));
}

TEST_F(ProviderProgramsTest, torch_providers_are_programs_that_we_carry) {
  ASSAY_NEEDS_PYTHON();
  for (const std::string provider : {"torch_sdpa", "torch_compile"}) {
    const auto contender =
        install().contender(baseline_of(provider, {{"backend", std::string("math")}}), folder_.path());
    ASSERT_TRUE(contender.ok()) << to_string(contender.error());
    EXPECT_TRUE(fs::exists(contender->arguments.at(1))) << contender->arguments[1];
    EXPECT_EQ(fs::path(contender->arguments[1]).filename(), provider + ".py");
    EXPECT_EQ(text(contender->options, "backend"), "math");
    EXPECT_FALSE(contender->must_be_own_kernels) << "a baseline may use a library";
  }
}

TEST_F(ProviderProgramsTest, other_providers_are_refused_with_a_list) {
  const Error error = refusal(baseline_of("torch_sdpaa", {}));
  EXPECT_TRUE(mentions(error.message, "torch_sdpaa")) << error.message;
  for (const std::string& name : provider_names()) EXPECT_TRUE(mentions(error.hint, name)) << error.hint;
}

TEST_F(ProviderProgramsTest, python_may_be_chosen_and_must_exist) {
  ::setenv("ASSAY_PYTHON", "no-such-python", 1);
  const Error error = refusal(baseline_of("torch_sdpa", {}));
  ::unsetenv("ASSAY_PYTHON");
  EXPECT_TRUE(mentions(error.message, "no-such-python")) << error.message;
  EXPECT_TRUE(mentions(error.hint, "ASSAY_PYTHON")) << error.hint;
  EXPECT_EQ(error.exit_code, ExitCode::environment);
}

}  // namespace
}  // namespace assay::measure
