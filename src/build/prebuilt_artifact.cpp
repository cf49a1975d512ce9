// SPDX-License-Identifier: MIT
#include "build/prebuilt_artifact.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/hash.hpp"

namespace assay::build {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

template <class T>
void put(Json& object, const char* name, const std::optional<T>& value) {
  if (value) object[name] = *value;
}

template <class T>
std::optional<T> take(const Json& object, const char* name) {
  return object.contains(name) ? std::optional<T>(object.at(name).template get<T>()) : std::nullopt;
}

Json to_json(const ResourceUsage& usage) {
  Json object{{"entry", usage.entry}};
  put(object, "registers", usage.registers);
  put(object, "stack_bytes", usage.stack_bytes);
  put(object, "spill_store_bytes", usage.spill_store_bytes);
  put(object, "spill_load_bytes", usage.spill_load_bytes);
  put(object, "static_shared_bytes", usage.static_shared_bytes);
  put(object, "barriers", usage.barriers);
  put(object, "max_threads", usage.max_threads);
  return object;
}

ResourceUsage usage_from(const Json& object) {
  ResourceUsage usage;
  usage.entry = object.at("entry").get<std::string>();
  usage.registers = take<int>(object, "registers");
  usage.stack_bytes = take<int64_t>(object, "stack_bytes");
  usage.spill_store_bytes = take<int64_t>(object, "spill_store_bytes");
  usage.spill_load_bytes = take<int64_t>(object, "spill_load_bytes");
  usage.static_shared_bytes = take<int64_t>(object, "static_shared_bytes");
  usage.barriers = take<int>(object, "barriers");
  usage.max_threads = take<int>(object, "max_threads");
  return usage;
}

Error stale(const fs::path& file, std::string message) {
  return Error{"the prebuilt PTX is out of date: " + std::move(message), Place{file.string()},
               "on a machine with nvcc, assay build FOLDER --prebuilt writes it", ExitCode::environment};
}

Error damaged(const fs::path& file, const std::string& message) {
  return Error{"the description of the prebuilt PTX cannot be read: " + message, Place{file.string()},
               "on a machine with nvcc, assay build FOLDER --prebuilt writes it", ExitCode::environment};
}

Result<PrebuiltArtifact> parse_description(const std::string& text, const std::string& ptx, const fs::path& file) {
  try {
    const Json root = Json::parse(text);
    PrebuiltArtifact artifact;
    artifact.configuration = root.at("configuration").get<std::string>();
    artifact.target = root.at("target").get<std::string>();
    artifact.compiler = root.at("compiler").get<std::string>();
    artifact.arguments = root.at("arguments").get<std::vector<std::string>>();
    for (const auto& [path, hash] : root.at("sources").items()) {
      artifact.sources.push_back({path, hash.get<std::string>()});
    }
    for (const Json& usage : root.at("resources")) artifact.resources.push_back(usage_from(usage));
    if (root.at("ptx_hash").get<std::string>() != content_hash(ptx)) {
      return stale(file, "the PTX beside it is not the one that it describes");
    }
    artifact.ptx = ptx;
    return artifact;
  } catch (const Json::exception& problem) {
    return damaged(file, problem.what());
  }
}

}  // namespace

fs::path prebuilt_ptx(const spec::KernelSpec& spec, const std::string& target) {
  return spec.folder / "ptx" / fmt::format("{}.{}.ptx", spec.kernel.name, target);
}

fs::path prebuilt_description(const spec::KernelSpec& spec, const std::string& target) {
  return spec.folder / "ptx" / fmt::format("{}.{}.json", spec.kernel.name, target);
}

std::vector<std::string> prebuilt_arguments(const spec::KernelSpec& spec, const spec::Configuration& configuration) {
  std::vector<std::string> arguments = spec::defines(configuration);
  arguments.insert(arguments.end(), spec.kernel.flags.begin(), spec.kernel.flags.end());
  return arguments;
}

Result<PrebuiltArtifact> load_prebuilt(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                       const std::string& target) {
  const fs::path description = prebuilt_description(spec, target);
  std::error_code failed;
  if (!fs::exists(prebuilt_ptx(spec, target), failed) || !fs::exists(description, failed)) {
    return Error{fmt::format("there is no prebuilt PTX of this kernel for {}", target), {}, "", ExitCode::environment};
  }
  ASSAY_TRY(const std::string ptx, read_file(prebuilt_ptx(spec, target)));
  ASSAY_TRY(const std::string text, read_file(description, size_t{16} << 20));
  ASSAY_TRY(PrebuiltArtifact artifact, parse_description(text, ptx, description));
  if (artifact.target != target) return stale(description, fmt::format("it was made for {}", artifact.target));
  if (artifact.configuration != configuration.id()) {
    return stale(description, fmt::format("it was made for the configuration {}, not for {}", artifact.configuration,
                                          configuration.id()));
  }
  if (artifact.arguments != prebuilt_arguments(spec, configuration)) {
    return stale(description, "it was made with other compiler arguments");
  }
  for (const Dependency& source : artifact.sources) {
    const Result<std::string> content = read_file(spec.source_path().parent_path() / source.path);
    if (!content) return stale(description, fmt::format("'{}', which went into it, cannot be read", source.path));
    if (content_hash(*content) != source.hash) return stale(description, fmt::format("'{}' has changed", source.path));
  }
  return artifact;
}

Result<void> write_prebuilt(const spec::KernelSpec& spec, const PrebuiltArtifact& artifact) {
  Json root{{"kernel", spec.kernel.name},
            {"target", artifact.target},
            {"configuration", artifact.configuration},
            {"compiler", artifact.compiler},
            {"arguments", artifact.arguments},
            {"sources", Json::object()},
            {"resources", Json::array()},
            {"ptx_hash", content_hash(artifact.ptx)}};
  for (const Dependency& source : artifact.sources) root["sources"][source.path] = source.hash;
  for (const ResourceUsage& usage : artifact.resources) root["resources"].push_back(to_json(usage));
  const fs::path ptx = prebuilt_ptx(spec, artifact.target);
  std::error_code failed;
  fs::create_directories(ptx.parent_path(), failed);
  ASSAY_CHECK(write_file_atomically(ptx, artifact.ptx));
  return write_file_atomically(prebuilt_description(spec, artifact.target), root.dump(2) + "\n");
}

}  // namespace assay::build
