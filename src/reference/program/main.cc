// SPDX-License-Identifier: MIT
// Reads the problem, calls the reference, writes what it computed.
// Nothing but the system's library is included: this is compiled together with every reference, and is to take no time.
#include <assay/reference.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

namespace {

enum { kBadRequest = 97, kNoResponse = 98 };
enum { kDone = 0, kRefused = 1, kUndecided = 2 };  // how an answer begins

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

bool is_inexact(const AssayTensor& tensor, int64_t at) {
  const double value = tensor.data[at];
  if (tensor.integers == ASSAY_I64) {
    const int64_t word = static_cast<int64_t*>(tensor.words)[at];
    return value >= 0x1p63 || static_cast<int64_t>(value) != word;
  }
  const uint64_t word = static_cast<uint64_t*>(tensor.words)[at];
  return value >= 0x1p64 || static_cast<uint64_t>(value) != word;
}

// Which element of each tensor a double does not hold, the first; -1: none. Found before the user's function writes.
int64_t* inexact_elements = nullptr;

void read_elements(FILE* file, AssayTensor& tensor, bool has_values, int64_t& inexact) {
  const uint64_t bytes = tensor.count * sizeof(double);
  tensor.data = static_cast<double*>(allocate(bytes));
  tensor.exact = static_cast<int32_t*>(allocate(sizeof(int32_t)));
  read_bytes(file, tensor.data, bytes);
  if (tensor.integers == 0) return;
  tensor.words = allocate(bytes);
  memcpy(tensor.words, tensor.data, bytes);
  for (int64_t i = 0; has_values && i < tensor.count; ++i) {
    tensor.data[i] = tensor.integers == ASSAY_I64 ? static_cast<double>(static_cast<int64_t*>(tensor.words)[i])
                                                  : static_cast<double>(static_cast<uint64_t*>(tensor.words)[i]);
    if (inexact < 0 && is_inexact(tensor, i)) inexact = i;
  }
}

AssayTensor read_tensor(FILE* file, int64_t& inexact) {
  AssayTensor tensor = AssayTensor();
  tensor.name = read_text(file);
  tensor.is_output = static_cast<int32_t>(read_count(file));
  const bool has_values = read_count(file) == 1;
  tensor.integers = static_cast<int32_t>(read_count(file));
  tensor.rank = static_cast<int32_t>(read_count(file));
  int64_t* shape = static_cast<int64_t*>(allocate(tensor.rank * sizeof(int64_t)));
  read_bytes(file, shape, tensor.rank * sizeof(int64_t));
  tensor.shape = shape;
  tensor.count = static_cast<int64_t>(read_count(file));
  inexact = -1;
  read_elements(file, tensor, has_values, inexact);
  return tensor;
}

const AssayNumber* read_numbers(FILE* file, uint32_t* count) {
  *count = static_cast<uint32_t>(read_count(file));
  AssayNumber* numbers = static_cast<AssayNumber*>(allocate(*count * sizeof(AssayNumber)));
  for (uint32_t i = 0; i < *count; ++i) {
    numbers[i].name = read_text(file);
    numbers[i].is_inexact = static_cast<int32_t>(read_count(file));
    if (numbers[i].is_inexact) {
      read_bytes(file, &numbers[i].integer, sizeof(int64_t));
      numbers[i].value = static_cast<double>(numbers[i].integer);
    } else {
      read_bytes(file, &numbers[i].value, sizeof(double));
    }
  }
  return numbers;
}

AssayProblem read_problem(FILE* file) {
  AssayProblem problem = AssayProblem();
  problem.version = ASSAY_REFERENCE_VERSION;
  problem.tensor_count = static_cast<uint32_t>(read_count(file));
  AssayTensor* tensors = static_cast<AssayTensor*>(allocate(problem.tensor_count * sizeof(AssayTensor)));
  inexact_elements = static_cast<int64_t*>(allocate(problem.tensor_count * sizeof(int64_t)));
  for (uint32_t i = 0; i < problem.tensor_count; ++i) tensors[i] = read_tensor(file, inexact_elements[i]);
  problem.tensors = tensors;
  problem.inexact = static_cast<const char**>(allocate(sizeof(const char*)));
  problem.scalars = read_numbers(file, &problem.scalar_count);
  problem.variables = read_numbers(file, &problem.variable_count);
  return problem;
}

void write_bytes(FILE* file, const void* from, uint64_t bytes) {
  if (fwrite(from, 1, bytes, file) != bytes) exit(kNoResponse);
}

void write_count(FILE* file, uint64_t value) {
  write_bytes(file, &value, sizeof value);
}

void write_text(FILE* file, uint64_t status, const char* text) {
  write_count(file, status);
  write_count(file, strlen(text));
  write_bytes(file, text, strlen(text));
}

// Whether the function has read a number that was rounded for it; then what it says of the problem means nothing.
bool write_inexact(FILE* file, const AssayProblem& problem) {
  char text[256];
  for (uint32_t i = 0; i < problem.tensor_count; ++i) {
    const AssayTensor& tensor = problem.tensors[i];
    if (inexact_elements[i] < 0 || *tensor.exact) continue;
    snprintf(text, sizeof text, "element %lld of '%.100s'", static_cast<long long>(inexact_elements[i]), tensor.name);
    write_text(file, kUndecided, text);
    return true;
  }
  if (!*problem.inexact) return false;
  snprintf(text, sizeof text, "'%.100s'", *problem.inexact);
  write_text(file, kUndecided, text);
  return true;
}

}  // namespace

int main(int count, char** arguments) {
  FILE* request = count == 3 ? fopen(arguments[1], "rb") : nullptr;
  if (!request) return kBadRequest;
  AssayProblem problem = read_problem(request);
  // The user's function gets a copy of the list, so that it cannot change what is written below.
  const AssayProblem original = problem;
  const pid_t self = getpid();
  const int status = assay_reference(&problem);
  if (getpid() != self) return 0;  // a copy that the function made of this process: one of them answers

  FILE* response = fopen(arguments[2], "wb");
  if (!response) return kNoResponse;
  if (write_inexact(response, original)) return fclose(response) == 0 ? 0 : kNoResponse;
  if (status != 0) {
    write_text(response, kRefused, problem.message ? problem.message : "");
    return fclose(response) == 0 ? 0 : kNoResponse;
  }
  write_count(response, kDone);
  for (uint32_t i = 0; i < original.tensor_count; ++i) {
    const AssayTensor& tensor = original.tensors[i];
    if (!tensor.is_output) continue;
    const bool exact = *tensor.exact != 0;
    write_count(response, exact);
    write_count(response, static_cast<uint64_t>(tensor.count));
    write_bytes(response, exact ? tensor.words : tensor.data, tensor.count * sizeof(double));
  }
  return fclose(response) == 0 ? 0 : kNoResponse;
}
