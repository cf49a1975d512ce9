// SPDX-License-Identifier: MIT
#include "formats/t1.hpp"

#include <array>
#include <fmt/format.h>

#include "base/text.hpp"
#include "formats/fields.hpp"
#include "formats/json_text.hpp"
#include "formats/python_expression.hpp"
#include "formats/python_list.hpp"

namespace assay::formats {
namespace {

constexpr const char* kT1Format = "t1";

constexpr std::array kT1Types = {
    std::pair{"float", "f32"},  std::pair{"double", "f64"}, std::pair{"half", "f16"},   std::pair{"int8", "i8"},
    std::pair{"int16", "i16"},  std::pair{"int32", "i32"},  std::pair{"int64", "i64"},  std::pair{"uint8", "u8"},
    std::pair{"uint16", "u16"}, std::pair{"uint32", "u32"}, std::pair{"uint64", "u64"}, std::pair{"int", "i32"},
    std::pair{"uint", "u32"},   std::pair{"long", "i64"},   std::pair{"bool", "bool"},  std::pair{"char", "i8"},
};

std::string dtype_of(const std::string& type) {
  for (const auto& [theirs, ours] : kT1Types) {
    if (type == theirs) return ours;
  }
  return "";
}

class T1Reader {
 public:
  T1Reader(const TextFile& file, const TextFiles& files) : file_(file), files_(files) {}

  Result<Task> read() {
    ASSAY_TRY(const ordered_json json, parse_ordered(file_.content, file_.path));
    Fields top(json, file_.path);
    const ordered_json* const space = top.maybe_object("ConfigurationSpace");
    const ordered_json* const kernel = top.maybe_object("KernelSpecification");
    const ordered_json* const general = top.maybe_object("General");
    ASSAY_CHECK(top.check());
    if (space == nullptr || kernel == nullptr)
      return Error{"this is no T1: it needs ConfigurationSpace and KernelSpecification", Place{file_.path}};
    task_.kernel.emplace();
    ASSAY_CHECK(take_space(*space));
    ASSAY_CHECK(take_kernel(*kernel));
    if (general != nullptr) {
      Fields fields(*general, file_.path, "General");
      task_.name = fields.maybe_text("BenchmarkName").value_or("");
      ASSAY_CHECK(fields.check());
      fields.leave_rest(task_.lost);
    }
    if (task_.name.empty()) task_.name = task_.kernel->entry;
    for (const char* name : {"Search", "Budget"}) {
      if (top.any(name) != nullptr) lose(name, "how to search is said on the command line: assay tune --help");
    }
    top.leave_rest(task_.lost);
    task_.measured.push_back({});
    return std::move(task_);
  }

 private:
  void lose(const std::string& member, const std::string& why) {
    task_.lost.push_back({file_.path + ": " + member, why});
  }

  Result<void> take_space(const ordered_json& json) {
    Fields fields(json, file_.path, "ConfigurationSpace");
    const ordered_json* const parameters = fields.maybe_list("TuningParameters");
    const ordered_json* const conditions = fields.maybe_list("Conditions");
    ASSAY_CHECK(fields.check());
    if (parameters == nullptr) return Error{"there is no list 'TuningParameters'", Place{file_.path}};
    for (const ordered_json& each : *parameters) ASSAY_CHECK(take_parameter(each));
    if (conditions != nullptr) {
      for (const ordered_json& each : *conditions) {
        Fields condition(each, file_.path, "Conditions");
        const std::string text = condition.text("Expression");
        static_cast<void>(condition.any("Parameters"));
        ASSAY_CHECK(condition.check());
        condition.leave_rest(task_.lost);
        const auto expression = python_to_expression(text);
        if (expression) {
          task_.kernel->constraints.push_back(*expression);
        } else {
          lose("Conditions", fmt::format("'{}': {}", text, expression.error().message));
        }
      }
    }
    fields.leave_rest(task_.lost);
    return {};
  }

  Result<void> take_parameter(const ordered_json& json) {
    Fields fields(json, file_.path, "TuningParameters");
    const std::string name = fields.text("Name");
    static_cast<void>(fields.maybe_text("Type"));  // the values have it
    const ordered_json* const given = fields.any("Values");
    const std::string values = given != nullptr && given->is_array() ? given->dump() : fields.text("Values");
    const ordered_json* const standard = fields.any("Default");
    ASSAY_CHECK(fields.check());
    fields.leave_rest(task_.lost);
    const auto list = parse_python_list(values);
    if (!list) return Error{fmt::format("the values of '{}': {}", name, list.error().message), Place{file_.path}};
    std::vector<std::string> own;
    const bool made = !list->is(PythonNode::Kind::list);
    if (made) {
      const auto listed = python_listed(*list, {});
      if (!listed) return Error{fmt::format("the values of '{}' are no list", name), Place{file_.path}};
      for (const int64_t each : *listed) own.push_back(std::to_string(each));
    }
    for (const PythonNode& each : made ? std::vector<PythonNode>() : list->parts) {
      const auto text = value_text(each);
      if (text) {
        own.push_back(*text);
      } else {
        lose("TuningParameters." + name, "a tunable of kernel.toml is a whole number or a boolean");
      }
    }
    if (standard != nullptr && (standard->is_number_integer() || standard->is_boolean()))
      task_.kernel->defaults.emplace_back(name, standard->dump());
    if (!own.empty()) task_.kernel->tunables.emplace_back(name, std::move(own));
    return {};
  }

  static std::optional<std::string> value_text(const PythonNode& node) {
    if (node.is(PythonNode::Kind::truth)) return node.integer != 0 ? "true" : "false";
    const auto value = python_integer(node, {});
    return value ? std::optional(std::to_string(*value)) : std::nullopt;
  }

  std::string expression(const std::string& member, const ordered_json& value) {
    if (value.is_number_integer()) return value.dump();
    if (!value.is_string()) {
      lose(member, "it is neither a number nor text");
      return "";
    }
    const auto own = python_to_expression(value.get<std::string>());
    if (own) return *own;
    lose(member, fmt::format("'{}': {}", value.get<std::string>(), own.error().message));
    return "";
  }

  std::vector<std::string> sizes(Fields& fields, const char* name) {
    std::vector<std::string> list;
    const ordered_json* const object = fields.maybe_object(name);
    if (object == nullptr) return list;
    for (const char* axis : {"X", "Y", "Z"}) {
      if (!object->contains(axis)) break;
      list.push_back(expression(std::string(name) + "." + axis, (*object)[axis]));
    }
    return list;
  }

  Result<void> take_kernel(const ordered_json& json) {
    Fields fields(json, file_.path, "KernelSpecification");
    TaskKernel& kernel = *task_.kernel;
    const std::string language = fields.maybe_text("Language").value_or("CUDA");
    kernel.entry = fields.text("KernelName");
    kernel.source = fields.text("KernelFile");
    const std::string type = fields.maybe_text("GlobalSizeType").value_or("CUDA");
    kernel.flags = fields.texts("CompilerOptions");
    kernel.grid = sizes(fields, "GlobalSize");
    kernel.block = sizes(fields, "LocalSize");
    if (const ordered_json* const shared = fields.any("SharedMemory"))
      kernel.shared_bytes = expression("SharedMemory", *shared);
    const ordered_json* const arguments = fields.maybe_list("Arguments");
    const ordered_json* const references = fields.maybe_list("ReferenceArguments");
    ASSAY_CHECK(fields.check());
    if (language != "CUDA") lose("Language", fmt::format("'{}' is not compiled here: only CUDA is", language));
    if (type == "OpenCL") {  // threads instead of blocks
      for (size_t i = 0; i < kernel.grid.size(); ++i) {
        if (i < kernel.block.size() && !kernel.grid[i].empty() && !kernel.block[i].empty())
          kernel.grid[i] = fmt::format("ceil_div({}, {})", kernel.grid[i], kernel.block[i]);
      }
    } else if (type != "CUDA") {
      lose("GlobalSizeType", fmt::format("'{}' is not known: taken for blocks", type));
    }
    const size_t slash = file_.path.rfind('/');
    const std::string folder = slash == std::string::npos ? "" : file_.path.substr(0, slash + 1);
    if (const TextFile* const source = find_file(files_, folder + kernel.source)) {
      task_.files.push_back({kernel.source, source->content});
    } else {
      lose("KernelFile", fmt::format("'{}' does not lie beside it", kernel.source));
    }
    if (arguments != nullptr) {
      for (const ordered_json& each : *arguments) ASSAY_CHECK(take_argument(each));
    }
    if (references != nullptr) {
      for (const ordered_json& each : *references) ASSAY_CHECK(take_reference(each));
    }
    fields.leave_rest(task_.lost);
    return {};
  }

  Result<void> take_argument(const ordered_json& json) {
    Fields fields(json, file_.path, "Arguments");
    TaskTensor tensor;
    tensor.name = fields.text("Name");
    const std::string type = fields.text("Type");
    const std::string memory = fields.maybe_text("MemoryType").value_or("Vector");
    const std::string access = fields.maybe_text("AccessType").value_or("ReadOnly");
    const std::string fill = fields.maybe_text("FillType").value_or("");
    const ordered_json* const size = fields.any("Size");
    const ordered_json* const value = fields.any("FillValue");
    const auto source = fields.maybe_text("DataSource");
    ASSAY_CHECK(fields.check());
    const std::string where = "Arguments." + tensor.name;
    tensor.dtype = dtype_of(type);
    if (tensor.dtype.empty()) lose(where, fmt::format("there is no dtype like '{}'", type));
    tensor.output = access == "WriteOnly" || access == "ReadWrite";
    tensor.inout = access == "ReadWrite";
    const std::string number = value != nullptr && value->is_number() ? value->dump() : "";
    if (memory == "Scalar") {
      tensor.scalar = true;
      tensor.output = tensor.inout = false;
      tensor.value = number;
    } else if (memory == "Vector") {
      if (size != nullptr) tensor.shape = {expression(where + ".Size", *size)};
      if (!tensor.shape.empty() && tensor.shape[0].empty()) tensor.shape.clear();
    } else {
      lose(where, fmt::format("memory of type '{}' is no argument here", memory));
      return {};
    }
    if (fill == "Constant" && !number.empty() && !tensor.scalar) tensor.fill = number;
    if (fill == "Random" && !tensor.scalar) {
      tensor.fill = fmt::format("{{ kind = \"uniform\", low = 0, high = {} }}", number.empty() ? "1" : number);
      lose(where + ".FillType",
           "'Random' does not say of which distribution; uniform from 0 to its FillValue was written");
    }
    if (fill == "BinaryRaw" && source) {
      tensor.fill = fmt::format("{{ kind = \"file\", file = \"{}\" }}", *source);
      const TextFile* const found = find_file(files_, *source);
      if (found != nullptr) task_.files.push_back({*source, found->content});
      if (found == nullptr) lose(where + ".DataSource", fmt::format("'{}' does not lie beside it", *source));
    }
    if (!fill.empty() && fill != "Constant" && fill != "Random" && fill != "BinaryRaw")
      lose(where + ".FillType", fmt::format("there is no fill like '{}'", fill));
    fields.leave_rest(task_.lost);
    task_.tensors.push_back(std::move(tensor));
    return {};
  }

  Result<void> take_reference(const ordered_json& json) {
    Fields fields(json, file_.path, "ReferenceArguments");
    const std::string target = fields.maybe_text("TargetName").value_or("");
    const auto threshold = fields.maybe_number("ValidationThreshold");
    const std::string method = fields.maybe_text("ValidationMethod").value_or("");
    ASSAY_CHECK(fields.check());
    if (threshold && method == "SideBySideRelativeComparison") task_.rtol = threshold;
    if (threshold && method == "SideBySideComparison") task_.atol = threshold;
    lose("ReferenceArguments." + target, "expected values in a file are no reference: write one that computes them");
    return {};
  }

  const TextFile& file_;
  const TextFiles& files_;
  Task task_;
};

}  // namespace

std::vector<std::string> files_named_by_t1(const std::string& text) {
  std::vector<std::string> names;
  if (text.find("\"KernelSpecification\"") == std::string::npos) return names;
  const auto parsed = parse_json(text, "T1", 1);
  if (!parsed) return names;
  const nlohmann::json& document = parsed->value;
  const auto take = [&](const nlohmann::json& object, const char* name) {
    if (object.is_object() && object.contains(name) && object[name].is_string())
      names.push_back(object[name].get<std::string>());
  };
  if (!document.is_object() || !document.contains("KernelSpecification")) return names;
  const nlohmann::json& kernel = document["KernelSpecification"];
  take(kernel, "KernelFile");
  for (const char* list : {"Arguments", "ReferenceArguments"}) {
    if (!kernel.is_object() || !kernel.contains(list) || !kernel[list].is_array()) continue;
    for (const nlohmann::json& argument : kernel[list]) take(argument, "DataSource");
  }
  return names;
}

Result<Imported> read_t1(const TextFiles& files) {
  Imported imported;
  imported.format = kT1Format;
  for (const TextFile& file : files) {
    if (files.size() > 1 &&
        (!file.path.ends_with(".json") || file.content.find("\"ConfigurationSpace\"") == std::string::npos))
      continue;
    ASSAY_TRY(Task task, T1Reader(file, files).read());
    imported.tasks.push_back(std::move(task));
  }
  if (imported.tasks.empty()) return Error{"there is no T1 in it"};
  return imported;
}

}  // namespace assay::formats
