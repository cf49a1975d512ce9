// SPDX-License-Identifier: MIT
#include "reference/exchange.hpp"

#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <set>

namespace assay::reference {
namespace {

constexpr uint64_t kUnwrittenBits = 0x7ff8'a55a'c3c3'5aa5u;

void put(std::string& to, uint64_t number) {
  to.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void put(std::string& to, const std::string& text) {
  put(to, static_cast<uint64_t>(text.size()));
  to += text;
}

enum Form : uint64_t { kDoubles = 0, kWords = 1 };

void put(std::string& to, const std::map<std::string, double>& numbers, const std::map<std::string, int64_t>& large) {
  put(to, static_cast<uint64_t>(numbers.size()));
  for (const auto& [name, value] : numbers) {
    const auto exact = large.find(name);
    put(to, name);
    put(to, uint64_t{exact != large.end() ? kWords : kDoubles});
    put(to, exact != large.end() ? static_cast<uint64_t>(exact->second) : std::bit_cast<uint64_t>(value));
  }
}

struct Flags {
  bool is_output = false;
  bool has_values = false;
  Integers integers = Integers::none;
};

void put(std::string& to, const std::string& name, const Shape& shape, const Flags& flags, size_t count) {
  put(to, name);
  put(to, uint64_t{flags.is_output});
  put(to, uint64_t{flags.has_values});
  put(to, static_cast<uint64_t>(flags.integers));
  put(to, static_cast<uint64_t>(shape.size()));
  for (const int64_t extent : shape) put(to, static_cast<uint64_t>(extent));
  put(to, static_cast<uint64_t>(count));
}

template <class T>
void put_elements(std::string& to, const std::vector<T>& elements) {
  to.append(reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(T));
}

// Integers go as they are, whether or not a double would hold them.
void put_values(std::string& to, const Tensor& tensor) {
  if (tensor.integers == Integers::none) return put_elements(to, tensor.values);
  if (!tensor.words.empty()) return put_elements(to, tensor.words);
  for (const double value : tensor.values) put(to, word_of(value, tensor.integers));
}

Integers integers_of(const Problem& problem, const std::string& output) {
  const auto found = problem.output_integers.find(output);
  return found != problem.output_integers.end() ? found->second : Integers::none;
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  bool number(uint64_t& value) { return take(&value, sizeof value); }
  bool take(void* into, size_t bytes) {
    if (rest_.size() < bytes) return false;
    std::memcpy(into, rest_.data(), bytes);
    rest_.remove_prefix(bytes);
    return true;
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

Error rubbish(std::string_view noun) {
  return Error{
      fmt::format("the {} wrote an answer that makes no sense", noun), {}, "does it write past the end of a tensor?"};
}

Result<void> check_written(const std::vector<uint64_t>& bits, const std::string& name, bool words,
                           std::string_view noun) {
  size_t unwritten = 0;
  size_t first = 0;
  for (size_t i = bits.size(); i-- > 0;) {
    if (bits[i] != kUnwrittenBits) continue;
    ++unwritten;
    first = i;
  }
  if (unwritten == 0) return {};
  return Error{fmt::format("the {} left {} of {} elements of '{}' unwritten, the first at position {}", noun, unwritten,
                           bits.size(), name, first),
               {},
               words ? "what assay_i64 or assay_u64 was asked for must be written there, every element"
                     : "write NaN where nothing is defined"};
}

Result<Tensor> read_output(Reader& reader, const Problem& problem, const std::string& name, const Shape& shape,
                           std::string_view noun) {
  Tensor tensor{name, shape, {}, {}, integers_of(problem, name)};
  uint64_t form = 0;
  uint64_t count = 0;
  const auto expected = element_count(shape);
  if (!reader.number(form) || form > kWords || !reader.number(count) || !expected ||
      count != static_cast<uint64_t>(*expected) || (form == kWords && tensor.integers == Integers::none))
    return rubbish(noun);
  std::vector<uint64_t> bits(count);
  if (!reader.take(bits.data(), count * sizeof(uint64_t))) return rubbish(noun);
  ASSAY_CHECK(check_written(bits, name, form == kWords, noun));
  if (form == kWords) {
    tensor.set(numbers_of_words(std::move(bits), tensor.integers));
  } else {
    tensor.values.resize(count);
    std::memcpy(tensor.values.data(), bits.data(), count * sizeof(double));
  }
  return tensor;
}

// The text behind this status, where there is nothing else.
std::optional<std::string> text_after(std::string_view response, uint64_t status) {
  Reader reader(response);
  uint64_t found = 0;
  uint64_t length = 0;
  if (!reader.number(found) || found != status || !reader.number(length) || length != reader.rest().size())
    return std::nullopt;
  return std::string(reader.rest());
}

enum Status : uint64_t { kDone = 0, kRefused = 1, kUndecided = 2 };

}  // namespace

Result<std::string> encode_request(const Problem& problem) {
  std::set<std::string> names;
  for (const auto& [name, tensor] : problem.inputs) names.insert(name);
  for (const auto& [name, shape] : problem.output_shapes) names.insert(name);
  std::string request;
  put(request, static_cast<uint64_t>(names.size()));
  for (const std::string& name : names) {
    const auto input = problem.inputs.find(name);
    const auto output = problem.output_shapes.find(name);
    const bool is_output = output != problem.output_shapes.end();
    const Shape& shape = is_output ? output->second : input->second.shape;
    const auto count = element_count(shape);
    if (!count) return Error{fmt::format("tensor '{}' has an impossible shape {}", name, to_string(shape)), {}, ""};
    if (input == problem.inputs.end()) {
      put(request, name, shape, {true, false, integers_of(problem, name)}, static_cast<size_t>(*count));
      put_elements(request, std::vector<uint64_t>(static_cast<size_t>(*count), kUnwrittenBits));
    } else if (input->second.values.size() != static_cast<uint64_t>(*count)) {
      return Error{
          fmt::format("tensor '{}' of shape {} holds {} values", name, to_string(shape), input->second.values.size()),
          {},
          ""};
    } else {
      put(request, name, shape, {is_output, true, input->second.integers}, input->second.values.size());
      put_values(request, input->second);
    }
  }
  put(request, problem.scalars, problem.large_scalars);
  put(request, problem.variables, problem.large_variables);
  return request;
}

std::optional<std::string> decode_refusal(std::string_view response) {
  return text_after(response, kRefused);
}

Result<Outputs> decode_response(std::string_view response, const Problem& problem, std::string_view noun) {
  Reader reader(response);
  uint64_t status = 0;
  if (!reader.number(status) || status > kUndecided) return rubbish(noun);
  if (status == kUndecided) {
    const auto reason = text_after(response, kUndecided);
    if (!reason) return rubbish(noun);
    return Error{
        fmt::format("the {} reads a number that float64 does not hold: {}", noun, *reason),
        {},
        "assay_i64(tensor), assay_u64(tensor) and assay_integer(problem, name, otherwise) give integers exactly"};
  }
  if (status == kRefused) {
    const auto refusal = decode_refusal(response);
    if (!refusal) return rubbish(noun);
    return Error{refusal->empty() ? fmt::format("the {} refused the problem and gave no message", noun)
                                  : fmt::format("the {} refused the problem: {}", noun, *refusal),
                 {},
                 ""};
  }
  Outputs outputs;
  for (const auto& [name, shape] : problem.output_shapes) {
    ASSAY_TRY(Tensor tensor, read_output(reader, problem, name, shape, noun));
    outputs.emplace(name, std::move(tensor));
  }
  if (!reader.rest().empty()) return rubbish(noun);
  return outputs;
}

}  // namespace assay::reference
