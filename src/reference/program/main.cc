// SPDX-License-Identifier: MIT
// Reads the problem, calls the reference, writes what it computed.
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

void write_count(FILE* file, uint64_t value) {
  write_bytes(file, &value, sizeof value);
}

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
