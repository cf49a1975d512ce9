// SPDX-License-Identifier: MIT
#include "work/judge_folder.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/escape.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "formats/fields.hpp"

namespace assay::work {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

// Tasks may make their inputs on the GPU, and a process that uses one reserves far more addresses than it has memory.
constexpr int kReferenceGib = 4096;

// A string as Python and TOML write it: JSON's escapes are theirs too.
std::string literal(const std::string& text) {
  return ordered_json(text).dump(-1, ' ', true, ordered_json::error_handler_t::replace);
}

std::string number_list(const std::vector<int64_t>& values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

struct Described {
  std::string name;
  std::string dtype;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  std::string destination;

  std::vector<int64_t> dense() const {
    std::vector<int64_t> list(shape.size(), 1);
    for (size_t i = shape.size(); i-- > 1;) list[i - 1] = list[i] * shape[i];
    return list;
  }
  int64_t count() const {
    int64_t product = 1;
    for (const int64_t each : shape) product *= each;
    return product;
  }
};

bool is_name(const std::string& text) {
  return !text.empty() && (text[0] < '0' || text[0] > '9') && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

Result<std::vector<int64_t>> integers(formats::Fields& fields, const char* name) {
  std::vector<int64_t> values;
  const ordered_json* const list = fields.maybe_list(name);
  if (list == nullptr) return values;
  for (const ordered_json& each : *list) {
    constexpr int64_t kMost = int64_t{1} << 40;
    if (!each.is_number_integer() || each.get<int64_t>() < 0 || each.get<int64_t>() > kMost)
      return Error{fmt::format("the task's description has a bad '{}'", name)};
    values.push_back(each.get<int64_t>());
  }
  return values;
}

// What a process of the user's code wrote is not trusted.
Result<std::vector<Described>> described(const ordered_json& response, const char* member) {
  std::vector<Described> list;
  if (!response.is_object() || !response.contains(member) || !response[member].is_array())
    return Error{fmt::format("the task's description has no '{}'", member)};
  for (const ordered_json& each : response[member]) {
    formats::Fields fields(each, "the task's description", member);
    Described entry;
    entry.name = fields.text("name");
    entry.dtype = fields.text("dtype");
    ASSAY_TRY(entry.shape, integers(fields, "shape"));
    ASSAY_TRY(entry.strides, integers(fields, "strides"));
    entry.destination = fields.maybe_text("destination").value_or("");
    ASSAY_CHECK(fields.check());
    if (!is_name(entry.name))
      return Error{fmt::format("a tensor of the task is called '{}'", escape_terminal(entry.name))};
    list.push_back(std::move(entry));
  }
  return list;
}

// The fill that the task's text tells, if it is of the same type and shape as what the task really made.
std::string known_fill(const Described& input, const std::vector<formats::TaskTensor>& known) {
  for (const formats::TaskTensor& each : known) {
    if (each.name == input.name && each.dtype == input.dtype && each.shape.size() == input.shape.size())
      return each.fill;
  }
  return "";
}

std::string argument(const Described& tensor, const std::string& rest) {
  const bool scalar = tensor.shape.empty();
  std::string strides;
  if (!scalar && tensor.strides.size() == tensor.shape.size() && tensor.strides != tensor.dense())
    strides = fmt::format(", strides = {}", number_list(tensor.strides));
  return fmt::format("[[argument]]\nname   = \"{}\"\ntensor = {{ dtype = \"{}\", shape = {}{}{} }}\n\n", tensor.name,
                     escape_terminal(tensor.dtype), scalar ? "[1]" : number_list(tensor.shape), strides, rest);
}

}  // namespace

Result<ordered_json> probe_task(const ProbedCase& wanted, const std::string& python, const fs::path& programs,
                                const fs::path& scratch) {
  const fs::path request = scratch / "request.json";
  const fs::path response = scratch / "response.json";
  const ordered_json question = {
      {"style", wanted.style}, {"task", wanted.task.string()}, {"case", wanted.values}, {"headers", wanted.headers}};
  ASSAY_CHECK(write_file_atomically(request, question.dump(-1, ' ', false, ordered_json::error_handler_t::replace)));
  Command command;
  command.arguments = {python, "-B", (programs / "task_probe.py").string(), request.string(), response.string()};
  command.time_limit = std::chrono::minutes(10);
  command.output_limit_bytes = command.errors_limit_bytes = size_t{1} << 20;
  ASSAY_TRY(const ProcessOutcome outcome, run(command));
  const Place place{wanted.task.string()};
  if (!outcome.succeeded())
    return Error{
        fmt::format("the task could not be asked for its inputs: {}",
                    outcome.timed_out
                        ? "it took more than ten minutes"
                        : escape_lines(std::string_view(outcome.errors)
                                           .substr(outcome.errors.size() > 400 ? outcome.errors.size() - 400 : 0))),
        place};
  ASSAY_TRY(const std::string text, read_file(response, size_t{16} << 20));
  ASSAY_TRY(ordered_json answer, formats::parse_ordered(text, "the task's description"));
  if (answer.is_object() && answer.contains("error") && answer["error"].is_string()) {
    const bool environment = answer.value("environment", false);
    return Error{
        fmt::format("the task's reference does not run: {}", escape_terminal(answer["error"].get<std::string>())),
        place,
        answer.contains("hint") && answer["hint"].is_string() ? escape_terminal(answer["hint"].get<std::string>()) : "",
        environment ? ExitCode::environment : ExitCode::usage};
  }
  return answer;
}

Result<void> write_judge_folder(const ProbedCase& probed, const std::vector<formats::TaskTensor>& known,
                                const JudgeTolerance& tolerance, const fs::path& programs, const fs::path& folder) {
  ASSAY_TRY(const std::vector<Described> inputs, described(probed.response, "inputs"));
  ASSAY_TRY(const std::vector<Described> outputs, described(probed.response, "outputs"));
  ordered_json description = probed.response;
  description["style"] = probed.style;
  description["task"] = probed.task.string();
  description["case"] = probed.values;
  description["headers"] = probed.headers;
  const std::string described_text = description.dump(1, ' ', false, ordered_json::error_handler_t::replace);
  ASSAY_CHECK(write_file_atomically(folder / "description.json", described_text));
  const std::string header = fmt::format(
      "# {}\nimport json\nimport os\nimport sys\n\nsys.path.insert(0, {})\nimport task_reference\n\n\ndef "
      "description():\n"
      "    here = os.path.dirname(os.path.abspath(__file__))\n"
      "    with open(os.path.join(here, \"description.json\"), encoding=\"utf-8\") as file:\n"
      "        return json.load(file)\n\n\n",
      content_hash(described_text), literal(programs.string()));
  ASSAY_CHECK(write_file_atomically(
      folder / "reference.py",
      header + "def reference(**given):\n    return task_reference.reference(description(), given)\n"));

  std::string text;
  int64_t bytes = 0;
  for (const Described& input : inputs) {
    if (!input.destination.empty()) continue;
    std::string fill = known_fill(input, known);
    if (fill.empty()) {
      fill = fmt::format("{{ kind = \"function\", file = \"inputs_{}.py\" }}", input.name);
      ASSAY_CHECK(write_file_atomically(
          folder / fmt::format("inputs_{}.py", input.name),
          header + fmt::format("def input(seed):\n    return task_reference.make_input(description(), \"{}\", seed)\n",
                               input.name)));
    }
    text += argument(input, ", fill = " + fill);
  }
  for (const Described& output : outputs) {
    text += argument(output, ", output = true");
    bytes += output.count();  // at least a byte of each element is written
  }
  std::string specification = fmt::format(
      "[kernel]\nname    = \"judged\"\nsource  = \"kernel.cu\"\nentry   = \"judged\"\ntargets = [\"sm_80\"]\n\n"
      "[problem]\nreference = \"reference.py\"\nbytes     = {}\n\n{}[launch]\ngrid  = [1]\nblock = [1]\n\n"
      "[shapes]\ncanonical = [{{ CASE = 1 }}]\n\n[limits]\nreference_seconds = 600\nreference_gib = {}\n",
      bytes, text, kReferenceGib);
  if (tolerance.atol || tolerance.rtol)
    specification +=
        fmt::format("\n[tolerance]\natol = {}\nrtol = {}\n", tolerance.atol.value_or(0), tolerance.rtol.value_or(0));
  ASSAY_CHECK(write_file_atomically(folder / "kernel.cu", "// Never built: what is judged is the answer.\n"));
  return write_file_atomically(folder / "kernel.toml", specification);
}

}  // namespace assay::work
