// SPDX-License-Identifier: MIT
// Specifications that ask for the impossible get file, line, column and what was expected; their twins run. The kernel
// is PTX, as another compiler may have written it, so that nothing is compiled.
#include <filesystem>
#include <gtest/gtest.h>
#include <regex>

#include "../support/temporary_folder.hpp"
#include "assay_program.hpp"
#include "base/file.hpp"
#include "base/text.hpp"

namespace assay::cli {
namespace {

constexpr const char* kPtx = R"(.version 7.0
.target sm_80
.address_size 64
.visible .const .align 4 .b8 c_scale[4];
.visible .entry copy_f32(.param .u64 from, .param .u64 to, .param .u32 count)
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

constexpr const char* kSpecificationHead = R"TOML([kernel]
name    = "copy_it"
source  = "copy.ptx"
ENTRY
targets = ["sm_80"]

[problem]
reference = "copy"

[[argument]]
name   = "x"
tensor = { dtype = "f32", shape = ["N"]FILL }

[[argument]]
name   = "y"
tensor = { dtype = "f32", shape = ["N"], output = true }

[[argument]]
name   = "count"
scalar = { type = "u32", value = "N" }
)TOML";
constexpr const char* kLaunch = "\n[launch]\ngrid  = [\"ceil_div(N, 64)\"]\nblock = [64]\n";
constexpr const char* kShapes = "\n[shapes]\ncanonical = [{ N = 100 }]\n";

class SpecificationTest : public testing::Test {
 protected:
  void write(const std::string& fill, const std::string& rest, bool with_entry = true) const {
    std::string text = replace_all(kSpecificationHead, "ENTRY", with_entry ? "entry   = \"copy_f32\"" : "");
    text = replace_all(text, "FILL", fill);
    folder_.write("kernel.toml", text + rest);
    folder_.write("copy.ptx", kPtx);
  }
  ProcessOutcome check() const {
    return assay_program({"check", folder_.path().string(), "--fuzz", "0", "--device", "vgpu:l4", "--ledger", "none"});
  }
  void expect_correct() const {
    const ProcessOutcome good = check();
    EXPECT_EQ(good.exit_status, 0) << good.output << good.errors;
  }
  void expect_mistake(const std::string& what, int exit_status = 2) const {
    const ProcessOutcome bad = check();
    EXPECT_EQ(bad.exit_status, exit_status) << bad.output << bad.errors;
    EXPECT_NE((bad.output + bad.errors).find(what), std::string::npos) << bad.output << bad.errors;
    EXPECT_TRUE(std::regex_search(bad.output + bad.errors, std::regex("kernel\\.toml:[0-9]+:[0-9]+: ")))
        << "without its place: " << bad.output << bad.errors;
  }

  TemporaryFolder folder_;
};

TEST_F(SpecificationTest, a_constant_must_exist_and_be_large_enough) {
  const auto with_constant = [&](const char* name, const char* type) {
    write("", std::string("\n[[argument]]\nname   = \"factor\"\nglobal = \"") + name + "\"\nscalar = { type = \"" +
                  type + "\", value = \"3\" }\n" + kLaunch + kShapes);
  };
  with_constant("c_scale", "f32");
  expect_correct();
  with_constant("c_scal", "f32");
  expect_mistake("there is no __constant__ or __device__ variable \"c_scal\" in copy.ptx; it has: c_scale");
  with_constant("c_scale", "f64");
  expect_mistake("has 8 bytes with N=100, but the variable \"c_scale\" has 4 bytes");
}

TEST_F(SpecificationTest, stages_do_not_wait_for_each_other) {
  const auto stage = [](const char* name, const char* arguments, const char* after) {
    return std::string("\n[[stage]]\nname      = \"") + name +
           "\"\nentry     = \"copy_f32\"\narguments = " + arguments +
           "\ngrid      = [\"ceil_div(N, 64)\"]\nblock     = [64]\n" + after;
  };
  const std::string between =
      "\n[[argument]]\nname   = \"between\"\ntensor = { dtype = \"f32\", shape = [\"N\"], scratch = true }\n";
  const char *first = R"(["x", "between", "count"])", *second = R"(["between", "y", "count"])";
  write("", between + stage("first", first, "") + stage("second", second, "after     = [\"first\"]\n") + kShapes,
        false);
  expect_correct();
  write("",
        between + stage("first", first, "after     = [\"second\"]\n") +
            stage("second", second, "after     = [\"first\"]\n") + kShapes,
        false);
  expect_mistake("wait for each other");
  write("", between + stage("first", first, "after     = [\"third\"]\n") + stage("second", second, "") + kShapes,
        false);
  expect_mistake("third");
}

TEST_F(SpecificationTest, a_file_holds_what_is_asked_for) {
  folder_.write("x.bin", std::string(400, 'A'));
  write(", fill = { kind = \"file\", file = \"x.bin\" }", std::string(kLaunch) + kShapes);
  expect_correct();
  folder_.write("x.bin", std::string(399, 'A'));
  expect_mistake("is too short: it has 399 bytes; expected at least 400");
}

TEST_F(SpecificationTest, a_cooperative_grid_fits_on_the_device) {
  const std::string cooperative = replace_all(kLaunch, "block = [64]\n", "block = [64]\ncooperative = true\n");
  write("", cooperative + kShapes);
  expect_correct();
  write("", cooperative + replace_all(kShapes, "100", "2000000"));
  const ProcessOutcome outcome = check();
  EXPECT_NE(outcome.exit_status, 0) << outcome.output;
  EXPECT_NE((outcome.output + outcome.errors).find("the cooperative grid of 'copy_f32' has 31250 blocks"),
            std::string::npos)
      << outcome.output << outcome.errors;
}

TEST_F(SpecificationTest, a_launch_that_does_not_fit_names_the_key_that_asks_for_it) {
  const auto with = [&](const std::string& keys) { write("", kLaunch + keys + kShapes); };
  with("shared_bytes = 1024\n");
  expect_correct();
  with("shared_bytes = \"200*1024\"\n");
  expect_mistake("kernel.toml:25:17: cannot launch 'copy_f32': 204800 bytes of shared memory do not fit", 5);
  with("cluster = [1]\n");
  expect_mistake("kernel.toml:25:12: 'copy_it' is skipped on vgpu:l4: it needs clusters of blocks", 6);
  write("", std::string(kLaunch) + kShapes);
  folder_.write("copy.ptx", replace_all(kPtx, "count)\n{", "count)\n.maxntid 32, 1, 1\n{"));
  expect_mistake("kernel.toml:24:10: cannot launch 'copy_f32': 64 threads per block, but the kernel was compiled", 5);
}

TEST_F(SpecificationTest, a_target_must_be_one_that_the_device_runs) {
  write("", std::string(kLaunch) + kShapes);
  const std::string text = *read_file((folder_.path() / "kernel.toml").string());
  folder_.write("kernel.toml", replace_all(text, "[\"sm_80\"]", "[\"sm_90\", \"sm_100\"]"));
  expect_mistake(
      "kernel.toml:5:11: none of the targets of 'copy_it' (sm_90, sm_100) runs on NVIDIA L4; expected sm_89");
}

TEST_F(SpecificationTest, what_compares_and_what_fills_must_exist_and_fit) {
  write("", std::string(kLaunch) + kShapes);
  const std::string text = *read_file((folder_.path() / "kernel.toml").string());
  folder_.write("kernel.toml", replace_all(text, "\"copy\"\n", "\"copi\"\n"));
  expect_mistake("there is no built-in reference 'copi'");
  folder_.write("kernel.toml", replace_all(replace_all(text, "\"copy\"\n", "\"copi\"\n"), "[shapes]", "[shape]"));
  expect_mistake("there is no built-in reference 'copi'");
  expect_mistake("did you mean \"shapes\"?");
  folder_.write("kernel.toml", replace_all(text, "\"copy\"\n", "\"copy\"\noptions   = { causal = true }\n"));
  expect_mistake("the reference 'copy' has no option \"causal\"; expected one of nonfinite");
  folder_.write("kernel.toml", replace_all(text, "copy.ptx", "copy.txt"));
  folder_.write("copy.txt", kPtx);
  expect_mistake("\"source\" is \"copy.txt\"; expected a file ending in .cu or .ptx or .cubin");
  folder_.write("inputs.py", "def input(seed, N):\n    return [1.0, 2.0]\n");
  write(", fill = { kind = \"function\", file = \"inputs.py\" }", std::string(kLaunch) + kShapes);
  expect_mistake("the function of argument \"x\" in \"inputs.py\" is to blame, not the kernel");
  folder_.write("inputs.py", "def input(seed, N):\n    return [1.0] * N\n");
  expect_correct();
}

// tests/cli/cubin holds machine code of nvcc for sm_90; the fake driver runs what it calls copy_f32.
class CubinTest : public testing::Test {
 protected:
  static ProcessOutcome check(const std::string& folder, const std::string& device) {
    Command command = assay_command({"check", folder, "--device", device, "--fuzz", "0", "--ledger", "none"});
    command.environment["ASSAY_CUDA_DRIVER"] = ASSAY_BINARY_DIR "/tests/fake/libfake_cuda.so";
    command.environment["ASSAY_NVML_LIBRARY"] = "none";
    return run_command(command);
  }
  static constexpr const char* kFolder = ASSAY_SOURCE_DIR "/tests/cli/cubin";
};

TEST_F(CubinTest, machine_code_alone_runs_on_a_gpu) {
  const ProcessOutcome good = check(kFolder, "cuda:0");
  EXPECT_EQ(good.exit_status, 0) << good.output << good.errors;
  EXPECT_NE(good.output.find("correct ready_copy"), std::string::npos) << good.output;
}

TEST_F(CubinTest, a_virtual_gpu_needs_ptx) {
  const ProcessOutcome refused = check(kFolder, "vgpu:h100");
  EXPECT_EQ(refused.exit_status, 6) << refused.output;
  EXPECT_NE(refused.errors.find("kernel.toml:4:11: vgpu:h100 runs PTX, and the source is machine code"),
            std::string::npos)
      << refused.errors;
}

TEST_F(CubinTest, machine_code_is_for_the_target_that_it_stands_for) {
  const TemporaryFolder folder;
  std::filesystem::copy(kFolder, folder.path(), std::filesystem::copy_options::recursive);
  const std::string text = *read_file((folder.path() / "kernel.toml").string());
  folder.write("kernel.toml", replace_all(text, "sm_90", "sm_80"));
  const ProcessOutcome refused = check(folder.path().string(), "cuda:0");
  EXPECT_EQ(refused.exit_status, 2) << refused.output;
  EXPECT_NE(refused.errors.find("kernel.toml:4:11: \"copy.cubin\" is machine code for sm_90; expected that of sm_80"),
            std::string::npos)
      << refused.errors;
  folder.write("copy.cubin", "no machine code");
  EXPECT_NE(check(folder.path().string(), "cuda:0").errors.find("kernel.toml:4:11: \"copy.cubin\" is no cubin"),
            std::string::npos);
}

TEST_F(CubinTest, a_kernel_that_it_lacks_is_named) {
  const TemporaryFolder folder;
  std::filesystem::copy(kFolder, folder.path(), std::filesystem::copy_options::recursive);
  std::ifstream file(folder.path() / "kernel.toml");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  folder.write("kernel.toml", replace_all(text, "\"copy_f32\"", "\"copy_f16\""));
  const ProcessOutcome refused = check(folder.path().string(), "cuda:0");
  EXPECT_EQ(refused.exit_status, 2) << refused.output;
  EXPECT_NE(refused.errors.find("there is no kernel \"copy_f16\" in copy.cubin; it has: copy_f32"), std::string::npos)
      << refused.errors;
}

}  // namespace
}  // namespace assay::cli
