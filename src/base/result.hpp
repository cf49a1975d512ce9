// SPDX-License-Identifier: MIT
// Result<T>: a value, or the Error that explains why there is none.
#pragma once

#include <cassert>
#include <optional>
#include <utility>
#include <variant>

#include "base/error.hpp"

namespace assay {

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T good) : state_(std::in_place_index<0>, std::move(good)) {}
  Result(Error bad) : state_(std::in_place_index<1>, std::move(bad)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & { return assert(ok()), std::get<0>(state_); }
  const T& value() const& { return assert(ok()), std::get<0>(state_); }
  T&& value() && { return assert(ok()), std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const& { return assert(!ok()), std::get<1>(state_); }
  Error&& error() && { return assert(!ok()), std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error bad) : error_(std::move(bad)) {}

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }

  const Error& error() const& { return assert(!ok()), *error_; }
  Error&& error() && { return assert(!ok()), std::move(*error_); }

 private:
  std::optional<Error> error_;
};

}  // namespace assay

// ASSAY_TRY(auto value, expression): the value of a Result, or return its error from this function.
// ASSAY_CHECK(expression): the same for Result<void>.
#define ASSAY_CONCAT_(a, b) a##b
#define ASSAY_CONCAT(a, b) ASSAY_CONCAT_(a, b)
#define ASSAY_TRY(declaration, expression)                                                         \
  auto ASSAY_CONCAT(result_, __LINE__) = (expression);                                             \
  if (!ASSAY_CONCAT(result_, __LINE__)) return std::move(ASSAY_CONCAT(result_, __LINE__)).error(); \
  declaration = std::move(ASSAY_CONCAT(result_, __LINE__)).value()
#define ASSAY_CHECK(expression)                                                                     \
  do {                                                                                              \
    if (auto check_result_ = (expression); !check_result_) return std::move(check_result_).error(); \
  } while (false)
