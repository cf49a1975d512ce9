/* SPDX-License-Identifier: MIT */
/* A launch function of your own, for what no expression of kernel.toml can say: how many kernels, which ones, with
 * structures that only your code can fill.
 *
 * In kernel.toml, before the first section: launch = "launch.cpp". In launch.cpp, one function:
 *
 *     #include <assay/launch.h>
 *
 *     struct Params { const float* x; float* y; int n; };
 *
 *     void assay_launch(assay::Launch& launch) {
 *       const int n = launch.integer("N");
 *       const Params params{launch.pointer<const float>("x"), launch.pointer<float>("y"), n};
 *       launch.kernel("scale").grid((n + 255) / 256).block(256).argument(params).run();
 *     }
 *
 * The file is compiled as C++17 and runs in a process of its own, with a time limit, once for each set of buffers. It
 * does not launch anything itself: it says what is to be launched, in which order, and Assay does, with the same checks
 * and the same timing as for any kernel. Pointers are addresses of the device; they can be passed on, not read.
 */
#ifndef ASSAY_LAUNCH_H
#define ASSAY_LAUNCH_H

#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

namespace assay {

class Launch;

class Kernel {
 public:
  Kernel& grid(unsigned x, unsigned y = 1, unsigned z = 1) { return set(grid_, x, y, z); }
  Kernel& block(unsigned x, unsigned y = 1, unsigned z = 1) { return set(block_, x, y, z); }
  Kernel& cluster(unsigned x, unsigned y = 1, unsigned z = 1) { return set(cluster_, x, y, z); }
  Kernel& shared(unsigned bytes) { return shared_ = bytes, *this; }
  Kernel& cooperative() { return cooperative_ = true, *this; }
  Kernel& programmatic() { return programmatic_ = true, *this; }

  /* The next parameter: its bytes are passed as they are. */
  template <class T>
  Kernel& argument(const T& value) {
    static_assert(std::is_trivially_copyable<T>::value, "parameters of kernels are copied byte by byte");
    const unsigned char* bytes = reinterpret_cast<const unsigned char*>(&value);
    arguments_.emplace_back(bytes, bytes + sizeof value);
    return *this;
  }
  /* Bytes of another argument, such as a tensor map: launch.bytes("map"). */
  Kernel& argument(const std::vector<unsigned char>& bytes) { return arguments_.push_back(bytes), *this; }

  inline void run();

 private:
  friend class Launch;
  Kernel(Launch& launch, std::string entry) : launch_(&launch), entry_(std::move(entry)) {}
  Kernel& set(unsigned (&to)[3], unsigned x, unsigned y, unsigned z) {
    to[0] = x, to[1] = y, to[2] = z;
    return *this;
  }

  Launch* launch_;
  std::string entry_;
  unsigned grid_[3] = {1, 1, 1};
  unsigned block_[3] = {1, 1, 1};
  unsigned cluster_[3] = {0, 0, 0};
  unsigned shared_ = 0;
  bool cooperative_ = false;
  bool programmatic_ = false;
  std::vector<std::vector<unsigned char>> arguments_;
};

class Launch {
 public:
  /* A dimension of the shape, a tunable, a value of [let], or a scalar argument. */
  double number(const std::string& name) { return find(numbers_, name, "number"); }
  int64_t integer(const std::string& name) { return static_cast<int64_t>(number(name)); }

  /* The first element of a tensor argument. */
  template <class T = void>
  T* pointer(const std::string& name) {
    return reinterpret_cast<T*>(static_cast<uintptr_t>(find(pointers_, name, "tensor")));
  }
  /* What a kernel that takes this argument would get: for tensor maps and scalars. */
  const std::vector<unsigned char>& bytes(const std::string& name) { return find(bytes_, name, "argument"); }

  /* By its name in the PTX, its C++ name, or a pattern: as `entry` in kernel.toml. */
  Kernel kernel(const std::string& entry) { return Kernel(*this, entry); }

  /* Ends the function: this problem cannot be launched. */
  [[noreturn]] void fail(const std::string& message) {
    answer_ = "error " + message + "\n";
    finish();
  }

  /* --- for the program around the function */
  std::map<std::string, double> numbers_;
  std::map<std::string, uint64_t> pointers_;
  std::map<std::string, std::vector<unsigned char>> bytes_;
  std::string answer_;
  const char* response_ = nullptr;
  [[noreturn]] void finish(); /* writes the answer and ends the program */

 private:
  friend class Kernel;
  template <class T>
  const T& find(const std::map<std::string, T>& among, const std::string& name, const char* what) {
    const auto found = among.find(name);
    if (found != among.end()) return found->second;
    std::string known;
    for (const auto& each : among) known += (known.empty() ? "" : ", ") + each.first;
    fail(std::string("there is no ") + what + " \"" + name + "\"; there are: " + known);
  }
};

inline void Kernel::run() {
  static const char kDigits[] = "0123456789abcdef";
  std::string& answer = launch_->answer_;
  answer += "kernel";
  for (const unsigned* sizes : {grid_, block_, cluster_}) {
    for (int i = 0; i < 3; ++i) answer += " " + std::to_string(sizes[i]);
  }
  answer +=
      " " + std::to_string(shared_) + (cooperative_ ? " 1" : " 0") + (programmatic_ ? " 1 " : " 0 ") + entry_ + "\n";
  for (const std::vector<unsigned char>& argument : arguments_) {
    answer += "argument ";
    for (const unsigned char byte : argument) {
      answer += kDigits[byte >> 4];
      answer += kDigits[byte & 15];
    }
    answer += "\n";
  }
}

}  // namespace assay

/* Yours. */
void assay_launch(assay::Launch& launch);

#endif
