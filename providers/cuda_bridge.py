# SPDX-License-Identifier: MIT
"""The C++ between a task of GPU MODE with `lang: cu` and this program: it takes the task's own types apart."""

TEXT = r'''// Compiled once with the task's headers, and linked alone for its reference, or with an answer.
#include <array>
#include <exception>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>
#if __has_include(<cuda_runtime.h>)
#include <cuda_runtime.h>
#endif
#if __has_include("utils.h")
#include "utils.h"
#endif
#include "reference.cuh"

// Of the answer; null where there is none.
__attribute__((weak, visibility("default"))) output_t custom_kernel(input_t data);

namespace assay_bridge {

struct Leaf {
  void* data;
  size_t bytes;
};
struct Parts {
  std::string structure;  // JSON
  std::vector<Leaf> leaves;
};

template <class T>
inline constexpr bool kNumber = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

template <class T>
std::string dtype() {
  const char* kind = std::is_floating_point_v<T> ? "f" : std::is_signed_v<T> ? "i" : "u";
  return kind + std::to_string(8 * sizeof(T));
}

struct Any {
  template <class T>
  operator T() const;
};
template <class T, size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), Any{})...}; };
}
template <class T, size_t N = 8>
constexpr size_t fields() {
  if constexpr (N == 0 || takes<T>(std::make_index_sequence<N>())) return N;
  else return fields<T, N - 1>();
}

template <class T>
struct Part {
  static void take(T& value, Parts& parts) {
    if constexpr (std::is_same_v<T, bool>) {
      parts.structure += value ? "{\"kind\":\"value\",\"value\":true}" : "{\"kind\":\"value\",\"value\":false}";
    } else if constexpr (kNumber<T>) {
      std::ostringstream text;
      text.precision(17);
      text << +value;
      parts.structure += "{\"kind\":\"value\",\"value\":" + text.str() + "}";
    } else {
      static_assert(std::is_aggregate_v<T>,
                    "input_t and output_t must be made of numbers, std::vector, std::array, std::tuple, std::pair and plain "
                    "structures of them: assay judge cannot draw inputs of other types, nor compare them");
      members(value, parts);
    }
  }
  template <class... M>
  static void all(Parts& parts, M&... member) {
    parts.structure += "{\"kind\":\"tuple\",\"items\":[";
    size_t left = sizeof...(member);
    ((Part<M>::take(member, parts), parts.structure += --left > 0 ? "," : ""), ...);
    parts.structure += "]}";
  }
  static void members(T& value, Parts& parts) {
    constexpr size_t kCount = fields<T>();
    static_assert(kCount > 0, "a structure without members, or with more than eight, cannot be taken apart");
    if constexpr (kCount == 1) { auto& [a] = value; all(parts, a); }
    if constexpr (kCount == 2) { auto& [a, b] = value; all(parts, a, b); }
    if constexpr (kCount == 3) { auto& [a, b, c] = value; all(parts, a, b, c); }
    if constexpr (kCount == 4) { auto& [a, b, c, d] = value; all(parts, a, b, c, d); }
    if constexpr (kCount == 5) { auto& [a, b, c, d, e] = value; all(parts, a, b, c, d, e); }
    if constexpr (kCount == 6) { auto& [a, b, c, d, e, f] = value; all(parts, a, b, c, d, e, f); }
    if constexpr (kCount == 7) { auto& [a, b, c, d, e, f, g] = value; all(parts, a, b, c, d, e, f, g); }
    if constexpr (kCount == 8) { auto& [a, b, c, d, e, f, g, h] = value; all(parts, a, b, c, d, e, f, g, h); }
  }
};

template <class Sequence>
void take_sequence(Sequence& values, Parts& parts) {
  using T = typename Sequence::value_type;
  static_assert(!std::is_same_v<T, bool>, "std::vector<bool> has no memory that could be filled");
  if constexpr (kNumber<T>) {
    parts.structure += "{\"kind\":\"tensor\",\"dtype\":\"" + dtype<T>() + "\",\"count\":" + std::to_string(values.size()) + "}";
    parts.leaves.push_back({static_cast<void*>(values.data()), values.size() * sizeof(T)});
  } else {
    parts.structure += "{\"kind\":\"tuple\",\"items\":[";
    bool first = true;
    for (T& each : values) {
      if (!first) parts.structure += ",";
      first = false;
      Part<T>::take(each, parts);
    }
    parts.structure += "]}";
  }
}
template <class T, class A>
struct Part<std::vector<T, A>> {
  static void take(std::vector<T, A>& values, Parts& parts) { take_sequence(values, parts); }
};
template <class T, size_t N>
struct Part<std::array<T, N>> {
  static void take(std::array<T, N>& values, Parts& parts) { take_sequence(values, parts); }
};
template <class... M>
struct Part<std::tuple<M...>> {
  static void take(std::tuple<M...>& value, Parts& parts) {
    std::apply([&](M&... member) { Part<int>::all(parts, member...); }, value);
  }
};
template <class A, class B>
struct Part<std::pair<A, B>> {
  static void take(std::pair<A, B>& value, Parts& parts) { Part<int>::all(parts, value.first, value.second); }
};

template <class T>
T parsed(const std::string& text) {
  if constexpr (std::is_same_v<T, std::string>) return text;
  else if constexpr (std::is_floating_point_v<T>) return static_cast<T>(std::stod(text));
  else return static_cast<T>(std::stoll(text));
}

// "name=value" lines.
std::string argument(const std::string& lines, const std::string& name) {
  std::istringstream stream(lines);
  std::string line;
  while (std::getline(stream, line)) {
    if (line.size() > name.size() && line[name.size()] == '=' && line.compare(0, name.size(), name) == 0)
      return line.substr(name.size() + 1);
  }
  throw std::runtime_error("the case has no '" + name + "', which generate_input takes");
}
template <class R, class... A, size_t... I>
R generate(R (*function)(A...), const std::string& lines, std::index_sequence<I...>) {
  static_assert(sizeof...(A) == std::tuple_size_v<std::remove_cvref_t<decltype(ArgumentNames)>>,
                "ArgumentNames of task.h must name each parameter of generate_input");
  return function(parsed<std::remove_cvref_t<A>>(argument(lines, std::string(ArgumentNames[I])))...);
}
template <class R, class... A>
R generate(R (*function)(A...), const std::string& lines) {
  return generate(function, lines, std::index_sequence_for<A...>());
}

struct Task {
  std::optional<input_t> input, next;
  std::optional<output_t> output;
  Parts parts[2];
  std::string error;

  template <class F>
  int attempt(F&& work) {
    try {
      work();
      return 0;
    } catch (const std::exception& problem) {
      error = problem.what();
    } catch (...) {
      error = "something that is no std::exception was thrown";
    }
    return 1;
  }
  void answered() {
    parts[1] = {};
    Part<output_t>::take(*output, parts[1]);
  }
};

}  // namespace assay_bridge

#define ASSAY_API extern "C" __attribute__((visibility("default")))
using assay_bridge::Task;

ASSAY_API void* assay_open(const char* lines) {
  auto* const task = new Task;
  task->attempt([&] {
    task->input.emplace(assay_bridge::generate(&generate_input, lines));
    assay_bridge::Part<input_t>::take(*task->input, task->parts[0]);
  });
  return task;
}
ASSAY_API void assay_close(void* task) { delete static_cast<Task*>(task); }
ASSAY_API const char* assay_error(void* task) { return static_cast<Task*>(task)->error.c_str(); }
ASSAY_API const char* assay_structure(void* task, int which) {
  return static_cast<Task*>(task)->parts[which].structure.c_str();
}
ASSAY_API size_t assay_leaves(void* task, int which) { return static_cast<Task*>(task)->parts[which].leaves.size(); }
ASSAY_API void* assay_leaf(void* task, int which, size_t index, size_t* bytes) {
  const assay_bridge::Leaf& leaf = static_cast<Task*>(task)->parts[which].leaves[index];
  *bytes = leaf.bytes;
  return leaf.data;
}
// A copy of the input, for the next call to consume: what a call does to it touches nobody else.
ASSAY_API void assay_ready(void* task) { static_cast<Task*>(task)->next = static_cast<Task*>(task)->input; }
ASSAY_API int assay_reference(void* given) {
  auto* const task = static_cast<Task*>(given);
  return task->attempt([&] {
    task->output.emplace(ref_kernel(std::move(*task->next)));
    task->answered();
  });
}
// This alone is timed: the call, and all that it left on the device.
ASSAY_API int assay_call(void* given) {
  auto* const task = static_cast<Task*>(given);
  return task->attempt([&] {
    if (!custom_kernel) throw std::runtime_error("the answer defines no output_t custom_kernel(input_t)");
    task->output.emplace(custom_kernel(std::move(*task->next)));
#ifdef __CUDACC__
    if (const cudaError_t result = cudaDeviceSynchronize(); result != cudaSuccess)
      throw std::runtime_error(cudaGetErrorString(result));
#endif
  });
}
ASSAY_API void assay_answered(void* task) { static_cast<Task*>(task)->answered(); }
'''
