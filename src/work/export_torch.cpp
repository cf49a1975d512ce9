// SPDX-License-Identifier: MIT
#include "assay/export_torch.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/text.hpp"
#include "build/builder.hpp"
#include "build/entry_name.hpp"
#include "build/entry_points.hpp"
#include "build/resource_usage.hpp"
#include "check/cases.hpp"
#include "check/element.hpp"
#include "check/input_maker.hpp"
#include "check/oracle.hpp"
#include "evidence/archive.hpp"
#include "ptx/variable_name.hpp"
#include "reference/user_program.hpp"
#include "spec/launch.hpp"
#include "work/document.hpp"
#include "work/export_torch_files.hpp"
#include "work/export_torch_text.hpp"
#include "work/kernel.hpp"

namespace assay::work {
namespace {

namespace fs = std::filesystem;
using evidence::PackedFile;
using nlohmann::json;

constexpr int64_t kExampleBytes = 256 << 10;  // of all tensors of the test's shape
constexpr size_t kMostShapes = 20'000;
constexpr uint64_t kSeed = 1;

// The package while it is made.
struct Package {
  const spec::KernelSpec& spec;
  const spec::Configuration& configuration;
  const TorchSignature& signature;
  ExportTorchReport& report;
  json description;
  std::vector<PackedFile> files{};

  void add(std::string path, std::string content) { files.push_back({std::move(path), std::move(content)}); }
};

// "sm_90a": 90, and only for that GPU.
json target_json(const std::string& target) {
  int number = 0;
  for (const char c : target) {
    if (c >= '0' && c <= '9') number = 10 * number + (c - '0');
  }
  const bool special = !target.empty() && (target.back() == 'a' || target.back() == 'f');
  return {{"target", target}, {"number", number}, {"special", special}};
}

Result<std::vector<build::BuildResult>> build_modules(Package& package, const Context& context) {
  build::BuildOptions options;
  options.context = context;
  ASSAY_TRY(const build::BuildReport built, build::build(package.spec, {package.configuration}, options));
  std::vector<build::BuildResult> usable;
  std::string why;
  for (const build::BuildResult& result : built.results) {
    if (result.usable()) usable.push_back(result);
    if (!result.usable() && why.empty()) why = fmt::format("{}: {}", result.target, result.reason);
  }
  if (usable.empty())
    return Error{"nothing of this kernel could be built: " + why, Place{package.spec.file.string()},
                 "assay build shows more", ExitCode::environment};
  package.description["modules"] = json::array();
  for (const build::BuildResult& result : usable) {
    json module = target_json(result.target);
    for (const auto& [kind, file] : {std::pair("ptx", result.ptx), std::pair("cubin", result.cubin)}) {
      if (file.empty()) continue;
      ASSAY_TRY(std::string content, read_file(file));
      module[kind] = fmt::format("modules/{}.{}", result.target, kind);
      package.add(module[kind].get<std::string>(), std::move(content));
    }
    package.report.modules.push_back(fmt::format(
        "{} ({})", result.target,
        module.contains("cubin") ? module.contains("ptx") ? "machine code and PTX" : "machine code" : "PTX"));
    package.description["modules"].push_back(std::move(module));
  }
  return usable;
}

// As the driver knows them, which knows no names of C++. A build has seen that each means one.
void name_variables(json& arguments, const std::vector<std::string>& symbols) {
  for (json& argument : arguments) {
    const std::string written = argument.value("variable", "");
    if (written.empty()) continue;
    if (const auto meant = ptx::variables_named(written, symbols); meant.size() == 1) argument["variable"] = meant[0];
  }
}

// What the specification calls a kernel, and what the compiler made of it, for every shape of the file.
Result<void> add_entries(Package& package, const build::BuildResult& built) {
  package.description["entries"] = json::object();
  if (built.ptx.empty()) return {};  // machine code alone: the names are the names
  ASSAY_TRY(const std::string ptx, read_file(built.ptx));
  const std::vector<build::EntryPoint> entries = build::entry_points(ptx);
  if (package.spec.has_globals()) name_variables(package.description["arguments"], ptx::variables_of(ptx));
  ASSAY_TRY(const std::vector<spec::Shape> shapes, spec::all_shapes(package.spec));
  for (size_t i = 0; i < std::min(shapes.size(), kMostShapes); ++i) {
    ASSAY_TRY(const std::string reason, spec::why_not_applicable(package.spec, package.configuration, shapes[i]));
    if (!reason.empty()) continue;
    ASSAY_TRY(const std::vector<std::string> found,
              build::stage_entries(package.spec, package.configuration, shapes[i], entries));
    for (size_t k = 0; k < found.size() && k < package.spec.stages.size(); ++k) {
      ASSAY_TRY(const std::string written,
                spec::entry_name(package.spec, package.spec.stages[k], package.configuration, shapes[i]));
      package.description["entries"][written] = found[k];
    }
  }
  return {};
}

// launch.cpp as a library beside the modules, and the kernels that it may name.
Result<void> add_launch_function(Package& package, const build::BuildResult& built) {
  const spec::KernelSpec& spec = package.spec;
  if (spec.launch_file.empty()) return {};
  ASSAY_TRY(std::string library,
            reference::launch_library(spec.folder / spec.launch_file,
                                      check::program_options(spec, build::BuildOptions().cache_folder)));
  json names = json::object();
  if (!built.ptx.empty()) {
    ASSAY_TRY(const std::string ptx, read_file(built.ptx));
    for (const build::EntryPoint& entry : build::entry_points(ptx))
      names[entry.name] = build::readable_entry(entry.name);
  } else {
    ASSAY_TRY(const std::string cubin, read_file(built.cubin));
    for (const build::ResourceUsage& usage : build::resource_usage(cubin, ""))
      names[usage.entry] = build::readable_entry(usage.entry);
  }
  package.description["launch"] = {{"library", "launch.so"}, {"names", names}};
  package.add("launch.so", std::move(library));
  package.report.remarks.emplace_back(
      "launch.so holds the launch function, compiled here: it needs Linux on this kind of processor");
  return {};
}

int64_t bytes_of(const std::vector<spec::ResolvedArgument>& arguments) {
  int64_t bytes = 0;
  for (const spec::ResolvedArgument& argument : arguments) {
    if (argument.tensor() != nullptr) bytes += argument.tensor()->bytes;
  }
  return bytes;
}

// The largest shape of the file that is small.
Result<spec::Shape> example_shape(const Package& package) {
  ASSAY_TRY(const std::vector<spec::Shape> shapes, spec::all_shapes(package.spec));
  std::optional<spec::Shape> chosen;
  for (size_t i = 0; i < std::min(shapes.size(), kMostShapes); ++i) {
    if (!check::why_not(package.spec, package.configuration, shapes[i]).empty()) continue;
    ASSAY_TRY(const auto arguments, spec::resolve_arguments(package.spec, package.configuration, shapes[i]));
    if (!chosen || bytes_of(arguments) <= kExampleBytes) chosen = shapes[i];
  }
  if (!chosen)
    return Error{"no shape of the file can be run with this configuration", Place{package.spec.file.string()}};
  return *chosen;
}

std::string as_text(const std::vector<uint8_t>& bytes) {
  return {bytes.begin(), bytes.end()};
}

std::string as_doubles(const std::vector<double>& values) {
  std::string bytes(8 * values.size(), '\0');
  for (size_t i = 0; i < values.size(); ++i)
    check::encode_element(spec::DType::f64, values[i], reinterpret_cast<uint8_t*>(bytes.data()) + 8 * i);
  return bytes;
}

std::string as_words(const std::vector<uint64_t>& words) {
  return {reinterpret_cast<const char*>(words.data()), 8 * words.size()};
}

// As PyTorch sees it: packed elements by bytes, complex ones without their last dimension.
json tensor_json(const spec::ArgumentSpec& argument, const spec::ResolvedTensor& tensor, const std::string& file) {
  std::vector<int64_t> dims = tensor.dims, strides = tensor.strides;
  std::string dtype(spec::name(tensor.dtype));
  if (tensor.is_bool) dtype = "bool";
  if (tensor.is_complex) {
    dtype = tensor.dtype == spec::DType::f64 ? "c128" : "c64";
    dims.pop_back();
    strides.pop_back();
    for (int64_t& stride : strides) stride /= 2;
  }
  if (spec::is_packed(tensor.dtype) && !dims.empty()) {
    dims.back() = (dims.back() + 1) / 2;
    for (size_t i = 0; i + 1 < strides.size(); ++i) strides[i] = (strides[i] + 1) / 2;
  }
  static_cast<void>(argument);
  return {{"file", file}, {"dtype", dtype}, {"shape", dims}, {"strides", strides}};
}

// Inputs of one shape with their float64 results: what the package's test compares with.
Result<void> add_example(Package& package) {
  const spec::KernelSpec& spec = package.spec;
  const fs::path cache = build::BuildOptions().cache_folder;
  ASSAY_TRY(const spec::Shape shape, example_shape(package));
  ASSAY_TRY(const auto arguments, spec::resolve_arguments(spec, package.configuration, shape));
  package.report.example = shape.text();
  json example = {{"shape", shape.text()},
                  {"settings", json::object()},
                  {"inputs", json::object()},
                  {"order", json::array()},  // of the inputs in a call; objects of JSON have none
                  {"outputs", json::object()},
                  {"tolerances", json::object()},
                  {"returned", package.signature.returned},
                  {"written", package.signature.written}};
  for (const TorchSignature::Setting& setting : package.signature.settings) {
    const auto value = shape.values.find(setting.name);
    if (value != shape.values.end()) example["settings"][setting.name] = to_json_value(value->second);
  }
  const check::InputMaker maker(spec, cache);
  check::InputValues inputs;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const spec::ResolvedTensor* tensor = arguments[i].tensor();
    if (tensor == nullptr || !spec::is_filled(tensor->role)) continue;
    ASSAY_TRY(reference::Numbers values,
              maker.make(shape, arguments, arguments[i], {check::Distribution::specified, kSeed, false}));
    std::vector<uint8_t> buffer(static_cast<size_t>(tensor->bytes));
    check::encode(*tensor, values, buffer);
    const std::string file = fmt::format("example/{}.bin", arguments[i].name);
    package.add(file, as_text(buffer));
    example["order"].push_back(arguments[i].name);
    example["inputs"][arguments[i].name] = tensor_json(spec.arguments[i], *tensor, file);
    inputs[arguments[i].name] = std::move(values);
  }
  ASSAY_TRY(const check::Oracle oracle, check::Oracle::open(spec, cache));
  if (oracle.judges()) {
    package.report.remarks.emplace_back(
        "a function of the specification judges the outputs: the test does not compare");
  } else {
    ASSAY_TRY(const reference::Outputs expected, oracle.expected(spec, shape, arguments, inputs));
    for (size_t i = 0; i < arguments.size(); ++i) {
      const spec::ResolvedTensor* tensor = arguments[i].tensor();
      const auto found = expected.find(arguments[i].name);
      if (tensor == nullptr || !spec::is_result(tensor->role) || found == expected.end()) continue;
      if (tensor->is_complex || spec::is_packed(tensor->dtype)) {
        package.report.remarks.push_back(
            fmt::format("the test does not compare {}, whose elements are complex or packed", arguments[i].name));
        continue;
      }
      const bool defined = std::ranges::all_of(found->second.values, [](double value) { return std::isfinite(value); });
      if (!defined) {
        package.report.remarks.push_back(
            fmt::format("the test does not compare {}, parts of which are not defined", arguments[i].name));
        continue;
      }
      const std::string file = fmt::format("example/{}.expected.bin", arguments[i].name);
      std::vector<int64_t> dense(tensor->dims.size(), 1);
      for (size_t k = dense.size(); k-- > 1;) dense[k - 1] = dense[k] * std::max<int64_t>(tensor->dims[k], 1);
      const std::vector<uint64_t>& words = found->second.words;
      example["outputs"][arguments[i].name] = {{"file", file},
                                               {"dtype", words.empty() ? "f64" : spec::name(tensor->dtype)},
                                               {"shape", tensor->dims},
                                               {"strides", dense}};
      const spec::Tolerance tolerance = spec::tolerance(spec, arguments[i].name, tensor->dtype);
      example["tolerances"][arguments[i].name] = {tolerance.atol, tolerance.rtol};
      package.add(file, words.empty() ? as_doubles(found->second.values) : as_words(words));
    }
  }
  package.description["example"] = std::move(example);
  return {};
}

Result<std::string> package_name(const ExportTorchRequest& request, const TorchSignature& signature) {
  if (request.out.empty()) return signature.function + "_torch";
  fs::path out = fs::path(request.out).lexically_normal();
  if (out.filename().empty()) out = out.parent_path();
  const std::string name = out.filename().string();
  const bool good = spec::is_identifier(name);
  if (good) return name;
  return Error{fmt::format("'{}' is no name for a Python package", name), {}, "letters, digits and _: --out FOLDER"};
}

void add_python(Package& package) {
  for (const EmbeddedFile& file : export_torch_files()) {
    if (file.name == "package_test.py") {
      std::string text(file.text);
      for (const auto& [mark, value] :
           {std::pair("@NAME@", package.signature.function), std::pair("@PACKAGE@", package.report.package),
            std::pair("@FUNCTION@", package.signature.function)})
        text = replace_all(std::move(text), mark, value);
      package.add(fmt::format("test_{}.py", package.signature.function), std::move(text));
    } else {
      package.add(std::string(file.name), std::string(file.text));
    }
  }
  package.add("__init__.py", package_text(package.spec, package.signature, package.report.package));
}

}  // namespace

Result<ExportTorchReport> export_torch(const ExportTorchRequest& request, const Context& context) {
  ASSAY_TRY(const spec::KernelSpec spec, spec::load(request.choice.kernel));
  ASSAY_TRY(const TorchSignature signature, torch_signature(spec));
  ASSAY_TRY(const spec::Configuration configuration, chosen_configuration(spec, request.choice.configuration));
  ExportTorchReport report;
  report.kernel = spec.kernel.name;
  report.configuration = configuration.id();
  ASSAY_TRY(report.package, package_name(request, signature));
  report.out = request.out.empty() ? report.package : request.out;
  report.call = signature.text();
  Package package{.spec = spec,
                  .configuration = configuration,
                  .signature = signature,
                  .report = report,
                  .description = kernel_description(spec, configuration)};
  ASSAY_TRY(const std::vector<build::BuildResult> built, build_modules(package, context));
  ASSAY_CHECK(add_entries(package, built.front()));
  ASSAY_CHECK(add_launch_function(package, built.front()));
  ASSAY_CHECK(add_example(package));
  add_python(package);
  package.add("kernel.json", document_text(package.description) + "\n");
  std::ranges::sort(package.files, {}, &PackedFile::path);
  for (const PackedFile& file : package.files) report.files.push_back(file.path);
  ASSAY_CHECK(evidence::write_folder(package.files, report.out));
  return report;
}

std::string to_json(const ExportTorchReport& report) {
  json document = document_head("export");
  document.update({{"kernel", report.kernel},
                   {"configuration", report.configuration},
                   {"out", report.out},
                   {"package", report.package},
                   {"call", report.call},
                   {"example", report.example},
                   {"modules", report.modules},
                   {"files", report.files},
                   {"remarks", report.remarks}});
  return document_text(document);
}

}  // namespace assay::work
