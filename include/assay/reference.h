/* SPDX-License-Identifier: MIT */
/* A reference of your own: what a kernel should compute, in float64.
 *
 * In kernel.toml: reference = "reference.cpp". In reference.cpp, one function:
 *
 *     #include <assay/reference.h>
 *
 *     int assay_reference(AssayProblem* problem) {
 *       const AssayTensor* x = assay_tensor(problem, "x");
 *       const AssayTensor* y = assay_tensor(problem, "y");
 *       if (!x || !y || x->count != y->count) return assay_fail(problem, "expected x and y of equal size");
 *       for (int64_t i = 0; i < y->count; ++i) y->data[i] = 2.0 * x->data[i];
 *       return 0;
 *     }
 *
 * The file is compiled as C++17 and runs in a process of its own, with a time limit. It sees exactly the values that
 * the kernel sees: inputs are rounded to the kernel's element types first. Every element of every output must be
 * written. NaN says that nothing is defined there: that element is then not compared. The specification must expect
 * it, with nonfinite = true in [problem.options]; otherwise NaN and infinities are mistakes of the reference.
 *
 * 64-bit integers: a double holds whole numbers up to 2^53 and only some beyond. assay_i64 and assay_u64 give the
 * elements of such a tensor as they are; of an output they are then the result, and every element is to be written
 * there. assay_integer does so for a number. A reference that leaves numbers beyond 2^53 to data and assay_number, or
 * gives them in data, cannot tell a right kernel from a wrong one, and is told so.
 *
 * Two more functions of the same form can stand in files of their own. assay_compare ([problem] compare) finds the
 * kernel's inputs and outputs under their names, and what a reference expects under expected_NAME; it returns 0 if the
 * outputs are right, else assay_fail with the reason. assay_input (fill = { kind = "function", file = "..." }) writes
 * the one tensor that it is asked for; the scalar "seed" differs from case to case.
 */
#ifndef ASSAY_REFERENCE_H
#define ASSAY_REFERENCE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Grows when a member is added; members keep their place and meaning. */
#define ASSAY_REFERENCE_VERSION 2

enum { ASSAY_I64 = 1, ASSAY_U64 = 2 };

typedef struct AssayTensor {
  const char* name;     /* as in [[argument]] */
  int32_t rank;         /* number of dimensions */
  int32_t is_output;    /* 1: to be written. One that is also read (inout) holds its old values at first */
  const int64_t* shape; /* rank of them */
  int64_t count;        /* number of elements: the product of shape */
  double* data;         /* dense, row-major, whatever the kernel's strides are; inputs are not to be changed */
  int32_t integers;     /* ASSAY_I64 or ASSAY_U64 for 64-bit integers, else 0 */
  int32_t* exact;       /* whether assay_i64 or assay_u64 was asked for this tensor; for them alone */
  void* words;          /* the integers; for them alone */
} AssayTensor;

typedef struct AssayNumber {
  const char* name;
  double value;        /* booleans are 0 and 1 */
  int32_t is_inexact;  /* 1: `integer` is what it is, and no double is */
  int64_t integer;     /* for assay_integer alone */
} AssayNumber;

typedef struct AssayProblem {
  uint32_t version; /* ASSAY_REFERENCE_VERSION of the program that calls */
  uint32_t tensor_count;
  const AssayTensor* tensors; /* inputs and outputs, ordered by name */
  uint32_t scalar_count;
  uint32_t variable_count;
  const AssayNumber* scalars;   /* the kernel's scalar arguments and [problem.options] */
  const AssayNumber* variables; /* the shape: "S", "causal", ... */
  const char* message;          /* set this before returning something else than 0 */
  const char** inexact;         /* the number that assay_number had to round; for it alone */
} AssayProblem;

/* Yours. 0: done; anything else: the problem makes no sense to this reference, and message says why. */
int assay_reference(AssayProblem* problem);
/* Yours, in files of their own. */
int assay_compare(AssayProblem* problem);
int assay_input(AssayProblem* problem);

/* The tensor of that name, or NULL. */
static inline const AssayTensor* assay_tensor(const AssayProblem* problem, const char* name) {
  for (uint32_t i = 0; i < problem->tensor_count; ++i) {
    if (strcmp(problem->tensors[i].name, name) == 0) return &problem->tensors[i];
  }
  return NULL;
}

/* The elements of a tensor of i64, exactly, or NULL if it is of another type. */
static inline int64_t* assay_i64(const AssayTensor* tensor) {
  if (!tensor || tensor->integers != ASSAY_I64) return NULL;
  *tensor->exact = 1;
  return (int64_t*)tensor->words;
}

/* The elements of a tensor of u64, exactly, or NULL if it is of another type. */
static inline uint64_t* assay_u64(const AssayTensor* tensor) {
  if (!tensor || tensor->integers != ASSAY_U64) return NULL;
  *tensor->exact = 1;
  return (uint64_t*)tensor->words;
}

/* The scalar argument of that name, else the shape variable, else NULL. */
static inline const AssayNumber* assay_find_number(const AssayProblem* problem, const char* name) {
  for (uint32_t i = 0; i < problem->scalar_count; ++i) {
    if (strcmp(problem->scalars[i].name, name) == 0) return &problem->scalars[i];
  }
  for (uint32_t i = 0; i < problem->variable_count; ++i) {
    if (strcmp(problem->variables[i].name, name) == 0) return &problem->variables[i];
  }
  return NULL;
}

/* Its value, or `otherwise`. */
static inline double assay_number(const AssayProblem* problem, const char* name, double otherwise) {
  const AssayNumber* number = assay_find_number(problem, name);
  if (!number) return otherwise;
  if (number->is_inexact) *problem->inexact = name;
  return number->value;
}

/* Its value as an integer, exactly; a fraction is cut off. */
static inline int64_t assay_integer(const AssayProblem* problem, const char* name, int64_t otherwise) {
  const AssayNumber* number = assay_find_number(problem, name);
  if (!number) return otherwise;
  return number->is_inexact ? number->integer : (int64_t)number->value;
}

/* return assay_fail(problem, "expected ..."); */
static inline int assay_fail(AssayProblem* problem, const char* message) {
  problem->message = message;
  return 1;
}

#ifdef __cplusplus
}
#endif

#endif
