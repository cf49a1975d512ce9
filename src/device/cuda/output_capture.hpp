// SPDX-License-Identifier: MIT
// Catches what the CUDA driver prints for kernels: printf goes to our standard output, which may carry a protocol, and
// failed assertions go to standard error.
#pragma once

#include <string>

namespace assay::device::cuda {

class OutputCapture {
 public:
  OutputCapture();   // from here on, both streams go to memory
  ~OutputCapture();  // and back
  OutputCapture(const OutputCapture&) = delete;
  OutputCapture& operator=(const OutputCapture&) = delete;

  // Ends the capture. Called once; at most kLimit bytes of each are kept.
  void finish();
  const std::string& output() const { return output_; }
  const std::string& errors() const { return errors_; }

  static constexpr size_t kLimit = size_t{4} << 20;

 private:
  struct Stream {
    int number = 1;   // 1 or 2
    int saved = -1;   // where it went before
    int memory = -1;  // where it goes now; -1: could not be made, nothing is caught
  };
  static Stream divert(int number);
  static std::string restore(Stream& stream);

  Stream standard_;
  Stream error_;
  bool finished_ = false;
  std::string output_;
  std::string errors_;
};

}  // namespace assay::device::cuda
