// SPDX-License-Identifier: MIT
#include "device/cuda/output_capture.hpp"

#include <algorithm>
#include <cstdio>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace assay::device::cuda {

OutputCapture::OutputCapture() {
  std::fflush(stdout);
  std::fflush(stderr);
  standard_ = divert(STDOUT_FILENO);
  error_ = divert(STDERR_FILENO);
}

OutputCapture::~OutputCapture() {
  finish();
}

OutputCapture::Stream OutputCapture::divert(int number) {
  Stream stream;
  stream.number = number;
  stream.memory = ::memfd_create("assay-output", MFD_CLOEXEC);
  if (stream.memory < 0) return stream;
  stream.saved = ::dup(number);
  if (stream.saved < 0 || ::dup2(stream.memory, number) < 0) {
    ::close(stream.memory);
    if (stream.saved >= 0) ::close(stream.saved);
    stream.memory = -1;
  }
  return stream;
}

std::string OutputCapture::restore(Stream& stream) {
  std::string text;
  if (stream.memory < 0) return text;
  ::dup2(stream.saved, stream.number);
  ::close(stream.saved);
  struct stat status{};
  if (::fstat(stream.memory, &status) == 0 && status.st_size > 0) {
    text.resize(std::min(static_cast<size_t>(status.st_size), kLimit));
    const ssize_t count = ::pread(stream.memory, text.data(), text.size(), 0);
    text.resize(count > 0 ? static_cast<size_t>(count) : 0);
  }
  ::close(stream.memory);
  stream.memory = -1;
  return text;
}

void OutputCapture::finish() {
  if (finished_) return;
  finished_ = true;
  std::fflush(stdout);
  std::fflush(stderr);
  output_ = restore(standard_);
  errors_ = restore(error_);
}

}  // namespace assay::device::cuda
