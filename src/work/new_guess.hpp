// SPDX-License-Identifier: MIT
// What names and types of a kernel's parameters let one guess of its sizes, tensors and blocks, and what running it has
// shown of them.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "build/kernel_signature.hpp"
#include "work/new_text.hpp"

namespace assay::work {

std::string lower(std::string text);
bool has_part(const std::string& low, std::initializer_list<std::string_view> parts);
bool is_integer(const build::SignatureValue& value);
bool is_size(const build::SignatureValue& value);          // it is called one: a dimension of the shapes
bool points_to_const(const build::SignatureValue& value);  // the last of its pointers
bool names_a_stride(const std::string& name);        // from one row or element to the next: "stride", "lda", "incx"
bool is_stride(const build::SignatureValue& value);  // it is called one
std::string dimension_name(const std::string& parameter);

// An integer that the tensors may depend on. The trial runs give it values, whatever it is called.
bool may_be_a_size(const build::SignatureValue& value);
// It is called a number of rows, heads, ...: a block may be one of them.
bool counts_groups(const std::string& name);

// Threads of a block along each axis that has any.
struct BlockGuess {
  std::vector<int64_t> threads{256};
  bool guessed = true;
};
BlockGuess block_of(const build::KernelSignature& signature, const NewText& text);

// What is known of the shapes: dimensions, and how large each pointer's tensor is.
class Guess {
 public:
  Guess(const build::KernelSignature& signature, const NewText& text);

  // Those that the parameters are called after, and all.
  const std::vector<std::string>& dimensions() const { return dimensions_; }
  std::vector<std::string> all_dimensions() const;
  bool fixed() const { return fixed_; }  // no parameter says a size
  bool square() const;
  bool has_windows() const { return windows_; }  // padding or dilation, as of a convolution: a stride is their step
  bool guesses_strides() const { return strides_; }
  std::vector<std::string> covered() const;  // dimensions that the grid runs over, the last one along x
  std::string elements() const;              // one thread for each of these, in x
  // In a trial run: a stride that is tried like a size. Not the step from one window of a convolution to the next.
  bool asks_stride(const build::SignatureValue& value) const;
  // The expression that a stride is, as running the kernel showed; empty: it did not.
  std::string found_stride(const build::SignatureValue& value) const;
  bool has_border(
      const build::SignatureValue& value) const;  // the kernel leaves the outermost elements of what it points to
  // The strides of a pointer's dimensions; empty: dense.
  std::vector<std::string> strides(const build::SignatureValue& value) const;
  // The dimension that an integer is, if it is one.
  std::string dimension_of(const build::SignatureValue& value) const;

  std::vector<std::string> shape(const build::SignatureValue& value) const;  // the expressions of a pointer's shape
  bool found(const build::SignatureValue& value) const;                      // by running the kernel
  // The elements from one row of a matrix to the next; empty if nothing has rows.
  std::string row_stride(const std::string& name) const;
  // What an input must hold so that the kernel finds its way; empty: any numbers.
  std::string fill(const build::SignatureValue& value) const;

 private:
  bool has(const std::string& name) const;
  std::string total() const;
  const std::vector<std::string>* found_shape(const build::SignatureValue& value) const;
  std::vector<std::string> plain_shape(const build::SignatureValue& value) const;

  const build::KernelSignature& signature_;
  const NewText& text_;
  std::vector<std::string> dimensions_;
  bool fixed_ = false;
  bool windows_ = false;
  bool strides_ = false;
};

}  // namespace assay::work
