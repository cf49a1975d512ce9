// SPDX-License-Identifier: MIT
// The worker on a GPU, with a library in the driver's place (tests/device/fake): kernels that fault there lose the
// device, and the next case gets a fresh process.
#include <cstdlib>
#include <gtest/gtest.h>

#include "check/worker.hpp"
#include "copy_kernel.hpp"

namespace assay::check {
namespace {

class WorkerGpuTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::setenv("ASSAY_CUDA_DRIVER", ASSAY_BINARY_DIR "/tests/fake/libfake_cuda.so", 1), 0);  // the child's
    Worker::Options options;
    options.setup = kernel_.setup();
    options.setup.device = "cuda:0";
    options.context.program = ASSAY_BINARY_DIR "/assay";
    auto started = Worker::start(options);
    ASSERT_TRUE(started.ok()) << to_string(started.error());
    worker_ = std::move(*started);
  }
  void TearDown() override { ::unsetenv("ASSAY_CUDA_DRIVER"); }

  CopyKernel kernel_{kRightCopy};
  std::unique_ptr<Worker> worker_;
};

TEST_F(WorkerGpuTest, RightResultsPassWithGuardsAroundTheBuffers) {
  const CaseResult result = worker_->run(CopyKernel::test(40));
  EXPECT_EQ(result.outcome, Outcome::passed) << result.message;
  EXPECT_TRUE(worker_->approximate_instructions().empty());
}

TEST_F(WorkerGpuTest, WhatTheKernelPrintsDoesNotDisturbTheProtocol) {
  const CaseResult result = worker_->run(CopyKernel::test(5));
  EXPECT_EQ(result.outcome, Outcome::passed) << result.message;
  EXPECT_EQ(result.printed, "five from the GPU\n");
  EXPECT_EQ(worker_->run(CopyKernel::test(32)).outcome, Outcome::passed);
}

TEST_F(WorkerGpuTest, AfterAFaultTheNextCaseGetsAFreshDevice) {
  const CaseResult fault = worker_->run(CopyKernel::test(13));
  EXPECT_EQ(fault.outcome, Outcome::fault) << fault.message;
  ASSERT_EQ(fault.findings.size(), 1U);
  EXPECT_EQ(fault.findings[0].kind, gpu::FindingKind::illegal_address);
  EXPECT_NE(fault.hint.find("vgpu:h200"), std::string::npos) << fault.hint;
  EXPECT_EQ(worker_->run(CopyKernel::test(40)).outcome, Outcome::passed);
  const CaseResult assertion = worker_->run(CopyKernel::test(21));
  EXPECT_EQ(assertion.outcome, Outcome::fault);
  EXPECT_EQ(assertion.message, "Assertion `n != 21` failed.");
  EXPECT_EQ(worker_->run(CopyKernel::test(5)).outcome, Outcome::passed);
}

TEST_F(WorkerGpuTest, RepetitionsNameTheBitsThatDiffer) {
  EXPECT_EQ(worker_->run(CopyKernel::test(40), 50).outcome, Outcome::passed) << "the same bits each time";
  const CaseResult result = worker_->run(CopyKernel::test(17), 50);
  EXPECT_EQ(result.outcome, Outcome::wrong_value);
  EXPECT_EQ(result.tensor, "y");
  EXPECT_NE(result.message.find("launch 3 of 50 gave "), std::string::npos) << result.message;
  EXPECT_NE(result.message.find(" for y[3], the first gave "), std::string::npos) << result.message;
  EXPECT_NE(result.message.find("the same inputs, other bits"), std::string::npos) << result.message;
  EXPECT_NE(result.hint.find("atomics"), std::string::npos) << result.hint;
}

}  // namespace
}  // namespace assay::check
