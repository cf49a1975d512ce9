// SPDX-License-Identifier: MIT
#include "work/mcp.hpp"

#include <algorithm>
#include <atomic>
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

Json success(const Json& id, Json result) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

bool is_id(const Json& id) {
  return id.is_string() || id.is_number();
}

// What is wrong with a message as such; nothing, if it is a request or a notification.
std::optional<std::string> malformed(const Json& message) {
  if (!message.is_object()) return "expected an object with a method";
  if (message.value("jsonrpc", Json()) != "2.0") return "expected \"jsonrpc\": \"2.0\"";
  if (!message.contains("method") || !message["method"].is_string()) return "expected an object with a method";
  if (message.contains("id") && !is_id(message["id"])) return "expected an id that is a string or a number";
  return std::nullopt;
}

// We send no requests, and nothing is to be said to an answer.
bool is_answer(const Json& message) {
  return message.is_object() && !message.contains("method") &&
         (message.contains("result") || message.contains("error"));
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

// A call of a tool.
struct McpServer::Call {
  Json id;
  std::string name;
  std::vector<std::string> words;
  std::shared_ptr<Batch> batch;        // that it came with; null: by itself
  std::atomic<bool> cancelled{false};  // by the client
};

// The answers to the messages that came together go together.
struct McpServer::Batch {
  size_t open = 0;  // messages that are not done
  Json answers = Json::array();
};

McpServer::McpServer(fs::path folder, std::vector<McpTool> tools, Context context, Send send)
    : folder_(std::move(folder)),
      tools_(std::move(tools)),
      context_(std::move(context)),
      send_(std::move(send)),
      worker_([this] { run_calls(); }) {}

McpServer::~McpServer() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  worker_.join();
}

void McpServer::take(const std::string& message) {
  const Json document = Json::parse(message, nullptr, false);
  if (document.is_discarded()) return answer(failure(nullptr, kParseError, "this is no JSON"), nullptr);
  if (!document.is_array()) return take_one(document, nullptr);
  if (document.empty()) return answer(failure(nullptr, kInvalidRequest, "a batch of nothing"), nullptr);
  const auto batch = std::make_shared<Batch>();
  batch->open = document.size();
  for (const Json& each : document) take_one(each, batch);
}

void McpServer::take_one(const Json& message, const std::shared_ptr<Batch>& batch) {
  if (is_answer(message)) return answer(nullptr, batch);
  if (const auto wrong = malformed(message)) {
    const bool named = message.is_object() && message.contains("id") && is_id(message["id"]);
    return answer(failure(named ? message["id"] : Json(), kInvalidRequest, *wrong), batch);
  }
  const std::string method = message["method"];
  const Json parameters = message.value("params", Json::object());
  if (!message.contains("id")) {
    if (method == "notifications/cancelled") cancel(parameters);
    return answer(nullptr, batch);
  }
  const Json& id = message["id"];
  if (!parameters.is_object()) return answer(failure(id, kInvalidParams, "expected params that are an object"), batch);
  if (method == "initialize") {
    const Json asked = parameters.value("protocolVersion", Json());
    const bool known = asked.is_string() && std::ranges::find(kProtocols, asked.get<std::string>()) != kProtocols.end();
    return answer(
        success(id, {{"protocolVersion", known ? asked : Json(kProtocol)},
                     {"capabilities", {{"tools", {{"listChanged", false}}}}},
                     {"serverInfo", {{"name", "assay"}, {"version", kVersion}}},
                     {"instructions", fmt::format("Judges CUDA kernels in the folder {}: correct, clean, fast. Begin "
                                                  "with the tool doctor; paths are relative to that folder.",
                                                  folder_.string())}}),
        batch);
  }
  if (method == "ping") return answer(success(id, Json::object()), batch);
  if (method == "tools/list") {
    Json tools = Json::array();
    for (const McpTool& tool : tools_)
      tools.push_back({{"name", tool.name}, {"description", tool.description}, {"inputSchema", schema()}});
    return answer(success(id, {{"tools", std::move(tools)}}), batch);
  }
  if (method == "tools/call") return take_call(message, batch);
  answer(failure(id, kNoMethod, fmt::format("there is no method '{}'", method)), batch);
}

void McpServer::take_call(const Json& request, const std::shared_ptr<Batch>& batch) {
  const Json parameters = request.value("params", Json::object());
  const auto call = std::make_shared<Call>();
  call->id = request["id"];
  call->batch = batch;
  const Json name = parameters.value("name", Json());
  if (name.is_string()) call->name = name;
  const auto refuse = [&](const std::string& why) { answer(failure(call->id, kInvalidParams, why), batch); };
  if (std::ranges::find(tools_, call->name, &McpTool::name) == tools_.end())
    return refuse(fmt::format("there is no tool '{}'", call->name));
  const Json given = parameters.value("arguments", Json::object());
  const Json list = given.is_object() ? given.value("arguments", Json::array()) : Json();
  // A word ends where the system says so, at its first zero: what lies behind it would hide where a path leads.
  const bool strings = list.is_array() && std::ranges::all_of(list, [](const Json& word) {
                         return word.is_string() && word.get_ref<const std::string&>().find('\0') == std::string::npos;
                       });
  const bool others = given.is_object() && std::ranges::any_of(given.items(), [](const auto& member) {
                        return member.key() != "arguments";
                      });
  if (others) return refuse("expected \"arguments\" and nothing else");
  if (!strings) return refuse("expected \"arguments\": a list of words");
  for (const Json& word : list) call->words.push_back(word.get<std::string>());
  if (const auto word = outside(call->words, folder_)) {
    return answer(success(call->id, tool_result(fmt::format("'{}' lies outside of {}, the folder that this server was "
                                                            "started for",
                                                            *word, folder_.string()),
                                                true)),
                  batch);
  }
  {
    const std::lock_guard lock(mutex_);
    calls_.push_back(call);
  }
  changed_.notify_all();
}

void McpServer::cancel(const Json& parameters) {
  if (!parameters.is_object()) return;
  const Json id = parameters.value("requestId", Json());
  const std::lock_guard lock(mutex_);
  const auto place = std::ranges::find(calls_, id, [](const std::shared_ptr<Call>& call) { return call->id; });
  if (place != calls_.end()) (*place)->cancelled = true;
}

void McpServer::run_calls() {
  while (true) {
    std::shared_ptr<Call> call;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return ending_ || !calls_.empty(); });
      if (ending_) return;
      call = calls_.front();
    }
    const Json result = call->cancelled ? Json() : result_of(*call);
    answer(call->cancelled ? Json() : success(call->id, result), call->batch);
    {
      const std::lock_guard lock(mutex_);
      calls_.pop_front();
    }
    changed_.notify_all();
  }
}

Json McpServer::result_of(const Call& call) {
  Command command;
  command.arguments = {
      context_.program == "/proc/self/exe" ? fs::read_symlink("/proc/self/exe").string() : context_.program, call.name};
  command.arguments.insert(command.arguments.end(), call.words.begin(), call.words.end());
  if (std::ranges::find(call.words, "--json") == call.words.end()) command.arguments.emplace_back("--json");
  command.folder = folder_;
  command.environment["ASSAY_WITHIN"] = folder_.string();  // also what a specification in the folder names
  command.time_limit = std::chrono::hours(2);
  command.output_limit_bytes = size_t{64} << 20;
  const auto outcome = run(command, [&] {
    const std::lock_guard lock(mutex_);
    return ending_ || call.cancelled;
  });
  if (!outcome) return tool_result(to_string(outcome.error()), true);
  if (outcome->timed_out && context_.cancelled())
    return tool_result(fmt::format("the server was ended before assay {} was", call.name), true);
  const bool ended = outcome->signal == 0 && !outcome->timed_out && !outcome->output_cut;
  // Help, and results in the format of another tool, are text.
  const Json document = Json::parse(outcome->output, nullptr, false);
  if (ended && outcome->exit_status == 0 && !document.is_object()) return tool_result(outcome->output, false);
  if (!ended || !document.is_object()) {
    return tool_result(fmt::format("assay {} {}{}\n{}{}", call.name, describe_end(*outcome),
                                   outcome->output_cut ? " and wrote more than an answer holds" : "", outcome->output,
                                   outcome->errors),
                       true);
  }
  // A kernel that is wrong is a result, not a failure of the tool; a command that could not do its work is one.
  const bool no_result = outcome->exit_status == 1 || outcome->exit_status == 2 || outcome->exit_status == 6;
  Json structured = document;
  structured["exit_code"] = outcome->exit_status;
  return tool_result(text_of(structured), no_result, structured);
}

void McpServer::answer(const Json& answer, const std::shared_ptr<Batch>& batch) {
  const std::lock_guard lock(sending_);
  if (batch == nullptr) {
    if (!answer.is_null()) send_(text_of(answer));
    return;
  }
  if (!answer.is_null()) batch->answers.push_back(answer);
  if (--batch->open == 0 && !batch->answers.empty()) send_(text_of(batch->answers));
}

void McpServer::finish(const std::function<bool()>& gone) {
  std::unique_lock lock(mutex_);
  while (!calls_.empty() && !gone() && !context_.cancelled())
    changed_.wait_for(lock, std::chrono::milliseconds(200), [this] { return calls_.empty(); });
}

}  // namespace assay::work
