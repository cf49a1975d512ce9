// SPDX-License-Identifier: MIT
#include "work/mcp.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/process.hpp"
#include "base/text.hpp"
#include "base/version.hpp"

namespace assay::work {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kProtocol = "2025-06-18";
const std::vector<std::string> kProtocols{"2025-06-18", "2025-03-26", "2024-11-05"};

// Codes of JSON-RPC.
constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kNoMethod = -32601;
constexpr int kInvalidParams = -32602;

std::string text_of(const Json& document) {
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json failure(const Json& id, int code, const std::string& message) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", message}}}};
}

Json schema() {
  return {{"type", "object"},
          {"properties",
           {{"arguments",
             {{"type", "array"},
              {"items", {{"type", "string"}}},
              {"description",
               "words of the command line behind the command's name: kernel folders, options and their values"}}}}},
          {"additionalProperties", false}};
}

Json tool_result(const std::string& text, bool failed, const Json& structured = nullptr) {
  Json result{{"content", Json::array({{{"type", "text"}, {"text", text}}})}, {"isError", failed}};
  if (structured.is_object()) result["structuredContent"] = structured;
  return result;
}

// What may be a path in a word: all of it, and what stands behind a = or between commas.
std::vector<std::string> paths_in(const std::string& word) {
  std::vector<std::string> paths{word};
  for (const std::string_view part : split(word, ',')) {
    paths.emplace_back(part);
    if (const size_t equals = part.find('='); equals != std::string_view::npos)
      paths.emplace_back(part.substr(equals + 1));
  }
  return paths;
}

// A word that names something outside of the folder; nothing if there is none.
std::optional<std::string> outside(const std::vector<std::string>& words, const fs::path& folder) {
  for (const std::string& word : words) {
    for (const std::string& text : paths_in(word)) {
      const fs::path path = text;
      if (path.empty()) continue;
      std::error_code failed;
      const fs::path full = fs::weakly_canonical(path.is_absolute() ? path : folder / path, failed);
      const fs::path relative = full.lexically_relative(folder);  // what does not exist yet counts too
      if (failed || relative.empty() || *relative.begin() == "..") return word;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> McpServer::answer(const std::string& message) const {
  const Json request = Json::parse(message, nullptr, false);
  if (request.is_discarded()) return text_of(failure(nullptr, kParseError, "this is no JSON"));
  if (!request.is_object() || !request.contains("method") || !request["method"].is_string())
    return text_of(failure(nullptr, kInvalidRequest, "expected an object with a method"));
  if (!request.contains("id")) return std::nullopt;  // a notification
  const Json& id = request["id"];
  const std::string method = request["method"];
  const Json parameters = request.value("params", Json::object());
  const auto answered = [&](Json result) {
    return text_of({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
  };
  if (method == "initialize") {
    std::string protocol = kProtocol;
    if (parameters.is_object() && parameters.contains("protocolVersion") && parameters["protocolVersion"].is_string() &&
        std::ranges::find(kProtocols, parameters["protocolVersion"].get<std::string>()) != kProtocols.end())
      protocol = parameters["protocolVersion"];
    return answered(
        {{"protocolVersion", protocol},
         {"capabilities", {{"tools", {{"listChanged", false}}}}},
         {"serverInfo", {{"name", "assay"}, {"version", kVersion}}},
         {"instructions", fmt::format("Judges CUDA kernels in the folder {}: correct, clean, fast. Begin with "
                                      "the tool doctor; paths are relative to that folder.",
                                      folder_.string())}});
  }
  if (method == "ping") return answered(Json::object());
  if (method == "tools/list") {
    Json tools = Json::array();
    for (const McpTool& tool : tools_)
      tools.push_back({{"name", tool.name}, {"description", tool.description}, {"inputSchema", schema()}});
    return answered({{"tools", std::move(tools)}});
  }
  if (method != "tools/call") return text_of(failure(id, kNoMethod, fmt::format("there is no method '{}'", method)));

  const std::string name = parameters.is_object() && parameters.contains("name") && parameters["name"].is_string()
                               ? parameters["name"].get<std::string>()
                               : "";
  if (std::ranges::find(tools_, name, &McpTool::name) == tools_.end())
    return text_of(failure(id, kInvalidParams, fmt::format("there is no tool '{}'", name)));
  const Json given = parameters.value("arguments", Json::object());
  std::vector<std::string> words;
  const Json list = given.is_object() ? given.value("arguments", Json::array()) : Json();
  // A word ends where the system says so, at its first zero: what lies behind it would hide where a path leads.
  const bool strings = list.is_array() && std::ranges::all_of(list, [](const Json& word) {
                         return word.is_string() && word.get_ref<const std::string&>().find('\0') == std::string::npos;
                       });
  const bool others = given.is_object() && std::ranges::any_of(given.items(), [](const auto& member) {
                        return member.key() != "arguments";
                      });
  if (others) return text_of(failure(id, kInvalidParams, "expected \"arguments\" and nothing else"));
  if (!strings) return text_of(failure(id, kInvalidParams, "expected \"arguments\": a list of words"));
  for (const Json& word : list) words.push_back(word.get<std::string>());
  if (const auto word = outside(words, folder_)) {
    return answered(tool_result(
        fmt::format("'{}' lies outside of {}, the folder that this server was started for", *word, folder_.string()),
        true));
  }
  Command command;
  command.arguments = {
      context_.program == "/proc/self/exe" ? fs::read_symlink("/proc/self/exe").string() : context_.program, name};
  command.arguments.insert(command.arguments.end(), words.begin(), words.end());
  if (std::ranges::find(words, "--json") == words.end()) command.arguments.emplace_back("--json");
  command.folder = folder_;
  command.environment["ASSAY_WITHIN"] = folder_.string();  // also what a specification in the folder names
  command.time_limit = std::chrono::hours(2);
  command.output_limit_bytes = size_t{64} << 20;
  const auto outcome = run(command);
  if (!outcome) return answered(tool_result(to_string(outcome.error()), true));
  const Json document = Json::parse(outcome->output, nullptr, false);
  const bool failed = outcome->signal != 0 || outcome->timed_out || !document.is_object();
  if (failed)
    return answered(tool_result(
        fmt::format("assay {} {}\n{}{}", name, describe_end(*outcome), outcome->output, outcome->errors), true));
  // A kernel that is wrong is a result, not a failure of the tool; a command that could not do its work is one.
  const bool no_result = outcome->exit_status == 1 || outcome->exit_status == 2 || outcome->exit_status == 6;
  Json structured = document;
  structured["exit_code"] = outcome->exit_status;
  return answered(tool_result(text_of(structured), no_result, structured));
}

}  // namespace assay::work
