// SPDX-License-Identifier: MIT
#include "reference/reference_program.hpp"

namespace assay::reference {
namespace {

constexpr std::string_view kPublicHeader = R"header(/* SPDX-License-Identifier: MIT */
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
 * written; NaN says that nothing is defined there, and that element is then not compared.
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
#define ASSAY_REFERENCE_VERSION 1

typedef struct AssayTensor {
  const char* name;     /* as in [[argument]] */
  int32_t rank;         /* number of dimensions */
  int32_t is_output;    /* 1: to be written. One that is also read (inout) holds its old values at first */
  const int64_t* shape; /* rank of them */
  int64_t count;        /* number of elements: the product of shape */
  double* data;         /* dense, row-major, whatever the kernel's strides are; inputs are not to be changed */
} AssayTensor;

typedef struct AssayNumber {
  const char* name;
  double value; /* booleans are 0 and 1 */
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
} AssayProblem;

/* Yours. 0: done; anything else: the problem makes no sense to this reference, and message says why. */
int assay_reference(AssayProblem* problem);

/* The tensor of that name, or NULL. */
static inline const AssayTensor* assay_tensor(const AssayProblem* problem, const char* name) {
  for (uint32_t i = 0; i < problem->tensor_count; ++i) {
    if (strcmp(problem->tensors[i].name, name) == 0) return &problem->tensors[i];
  }
  return NULL;
}

/* The scalar argument of that name, else the shape variable, else `otherwise`. */
static inline double assay_number(const AssayProblem* problem, const char* name, double otherwise) {
  for (uint32_t i = 0; i < problem->scalar_count; ++i) {
    if (strcmp(problem->scalars[i].name, name) == 0) return problem->scalars[i].value;
  }
  for (uint32_t i = 0; i < problem->variable_count; ++i) {
    if (strcmp(problem->variables[i].name, name) == 0) return problem->variables[i].value;
  }
  return otherwise;
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
)header";

constexpr std::string_view kProgramMain = R"main(// Reads the problem, calls the reference, writes what it computed.
// Nothing but C's library is included: this is compiled together with every reference, and is to take no time.
#include <assay/reference.h>
#include <stdio.h>
#include <stdlib.h>

namespace {

enum { kBadRequest = 97, kNoResponse = 98 };

// Memory lives until the program ends, which is soon.
void* allocate(uint64_t bytes) {
  void* memory = calloc(bytes + 1, 1);
  if (!memory) {
    fputs("out of memory\n", stderr);
    exit(kBadRequest);
  }
  return memory;
}

void read_bytes(FILE* file, void* into, uint64_t bytes) {
  if (fread(into, 1, bytes, file) != bytes) exit(kBadRequest);
}

uint64_t read_count(FILE* file) {
  uint64_t value = 0;
  read_bytes(file, &value, sizeof value);
  return value;
}

const char* read_text(FILE* file) {
  const uint64_t length = read_count(file);
  char* text = static_cast<char*>(allocate(length));
  read_bytes(file, text, length);
  return text;
}

AssayTensor read_tensor(FILE* file) {
  AssayTensor tensor;
  tensor.name = read_text(file);
  tensor.is_output = static_cast<int32_t>(read_count(file));
  tensor.rank = static_cast<int32_t>(read_count(file));
  int64_t* shape = static_cast<int64_t*>(allocate(tensor.rank * sizeof(int64_t)));
  read_bytes(file, shape, tensor.rank * sizeof(int64_t));
  tensor.shape = shape;
  tensor.count = static_cast<int64_t>(read_count(file));
  tensor.data = static_cast<double*>(allocate(tensor.count * sizeof(double)));
  read_bytes(file, tensor.data, tensor.count * sizeof(double));
  return tensor;
}

const AssayNumber* read_numbers(FILE* file, uint32_t* count) {
  *count = static_cast<uint32_t>(read_count(file));
  AssayNumber* numbers = static_cast<AssayNumber*>(allocate(*count * sizeof(AssayNumber)));
  for (uint32_t i = 0; i < *count; ++i) {
    numbers[i].name = read_text(file);
    read_bytes(file, &numbers[i].value, sizeof(double));
  }
  return numbers;
}

AssayProblem read_problem(FILE* file) {
  AssayProblem problem = AssayProblem();
  problem.version = ASSAY_REFERENCE_VERSION;
  problem.tensor_count = static_cast<uint32_t>(read_count(file));
  AssayTensor* tensors = static_cast<AssayTensor*>(allocate(problem.tensor_count * sizeof(AssayTensor)));
  for (uint32_t i = 0; i < problem.tensor_count; ++i) tensors[i] = read_tensor(file);
  problem.tensors = tensors;
  problem.scalars = read_numbers(file, &problem.scalar_count);
  problem.variables = read_numbers(file, &problem.variable_count);
  return problem;
}

void write_bytes(FILE* file, const void* from, uint64_t bytes) {
  if (fwrite(from, 1, bytes, file) != bytes) exit(kNoResponse);
}

void write_count(FILE* file, uint64_t value) { write_bytes(file, &value, sizeof value); }

}  // namespace

int main(int count, char** arguments) {
  FILE* request = count == 3 ? fopen(arguments[1], "rb") : nullptr;
  if (!request) return kBadRequest;
  AssayProblem problem = read_problem(request);
  // The user's function gets a copy of the list, so that it cannot change what is written below.
  const AssayProblem original = problem;
  const int status = assay_reference(&problem);

  FILE* response = fopen(arguments[2], "wb");
  if (!response) return kNoResponse;
  write_count(response, status == 0 ? 0 : 1);
  if (status != 0) {
    const char* message = problem.message ? problem.message : "";
    write_count(response, strlen(message));
    write_bytes(response, message, strlen(message));
  }
  for (uint32_t i = 0; status == 0 && i < original.tensor_count; ++i) {
    const AssayTensor& tensor = original.tensors[i];
    if (!tensor.is_output) continue;
    write_count(response, static_cast<uint64_t>(tensor.count));
    write_bytes(response, tensor.data, tensor.count * sizeof(double));
  }
  return fclose(response) == 0 ? 0 : kNoResponse;
}
)main";

}  // namespace

std::string_view public_header() {
  return kPublicHeader;
}

std::string_view program_main() {
  return kProgramMain;
}

}  // namespace assay::reference
