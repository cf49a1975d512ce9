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

void put(std::string& to, const std::map<std::string, double>& numbers) {
  put(to, static_cast<uint64_t>(numbers.size()));
  for (const auto& [name, value] : numbers) {
    put(to, name);
    put(to, std::bit_cast<uint64_t>(value));
  }
}

void put(std::string& to, const std::string& name, const Shape& shape, bool is_output,
         const std::vector<double>& values) {
  put(to, name);
  put(to, uint64_t{is_output});
  put(to, static_cast<uint64_t>(shape.size()));
  for (const int64_t extent : shape) put(to, static_cast<uint64_t>(extent));
  put(to, static_cast<uint64_t>(values.size()));
  to.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
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

Result<void> check_written(const Tensor& tensor, std::string_view noun) {
  size_t unwritten = 0;
  size_t first = 0;
  for (size_t i = tensor.values.size(); i-- > 0;) {
    if (std::bit_cast<uint64_t>(tensor.values[i]) != kUnwrittenBits) continue;
    ++unwritten;
    first = i;
  }
  if (unwritten == 0) return {};
  return Error{fmt::format("the {} left {} of {} elements of '{}' unwritten, the first at position {}", noun, unwritten,
                           tensor.values.size(), tensor.name, first),
               {},
               "write NaN where nothing is defined"};
}

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
      put(request, name, shape, true,
          std::vector<double>(static_cast<size_t>(*count), std::bit_cast<double>(kUnwrittenBits)));
    } else if (input->second.values.size() != static_cast<uint64_t>(*count)) {
      return Error{
          fmt::format("tensor '{}' of shape {} holds {} values", name, to_string(shape), input->second.values.size()),
          {},
          ""};
    } else {
      put(request, name, shape, is_output, input->second.values);
    }
  }
  put(request, problem.scalars);
  put(request, problem.variables);
  return request;
}

std::optional<std::string> decode_refusal(std::string_view response) {
  Reader reader(response);
  uint64_t status = 0;
  uint64_t length = 0;
  if (!reader.number(status) || status != 1 || !reader.number(length) || length != reader.rest().size())
    return std::nullopt;
  return std::string(reader.rest());
}

Result<Outputs> decode_response(std::string_view response, const Problem& problem, std::string_view noun) {
  Reader reader(response);
  uint64_t status = 0;
  if (!reader.number(status) || status > 1) return rubbish(noun);
  if (status == 1) {
    const auto refusal = decode_refusal(response);
    if (!refusal) return rubbish(noun);
    return Error{refusal->empty() ? fmt::format("the {} refused the problem and gave no message", noun)
                                  : fmt::format("the {} refused the problem: {}", noun, *refusal),
                 {},
                 ""};
  }
  Outputs outputs;
  for (const auto& [name, shape] : problem.output_shapes) {
    uint64_t count = 0;
    const auto expected = element_count(shape);
    if (!reader.number(count) || !expected || count != static_cast<uint64_t>(*expected)) return rubbish(noun);
    Tensor tensor{name, shape, std::vector<double>(count)};
    if (!reader.take(tensor.values.data(), count * sizeof(double))) return rubbish(noun);
    ASSAY_CHECK(check_written(tensor, noun));
    outputs.emplace(name, std::move(tensor));
  }
  if (!reader.rest().empty()) return rubbish(noun);
  return outputs;
}

}  // namespace assay::reference
