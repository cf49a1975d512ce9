// SPDX-License-Identifier: MIT
// A server of the Model Context Protocol (revision 2025-06-18): the commands as tools, their JSON as results. One
// JSON-RPC message a line. A tool runs this program again, in the folder that the server was started for; words that
// name something outside of that folder are refused.
//
// Tools run one after the other, so that none disturbs the measurements of another. Meanwhile everything else is
// answered at once, and notifications/cancelled ends the tool that runs, or takes one that waits out of the queue.
#pragma once

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <thread>
#include <vector>

#include "assay/context.hpp"

namespace assay::work {

struct McpTool {
  std::string name;         // of the command
  std::string description;  // what it does, and its words
};

class McpServer {
 public:
  using Send = std::function<void(const std::string&)>;  // one message; never called by two threads at once

  McpServer(std::filesystem::path folder, std::vector<McpTool> tools, Context context, Send send);
  ~McpServer();  // ends the tool that runs
  McpServer(const McpServer&) = delete;
  McpServer& operator=(const McpServer&) = delete;

  // One message of the client, or a batch of them.
  void take(const std::string& message);
  // Waits until all tools that were called have answered, or until `gone` says that nobody listens; it is asked
  // several times a second.
  void finish(const std::function<bool()>& gone);

 private:
  struct Call;
  struct Batch;

  void take_one(const nlohmann::ordered_json& message, const std::shared_ptr<Batch>& batch);
  void take_call(const nlohmann::ordered_json& request, const std::shared_ptr<Batch>& batch);
  void cancel(const nlohmann::ordered_json& parameters);
  void run_calls();
  nlohmann::ordered_json result_of(const Call& call);
  // The answer to one message, sent at once or with the rest of its batch; nothing, if there is none.
  void answer(const nlohmann::ordered_json& answer, const std::shared_ptr<Batch>& batch);

  const std::filesystem::path folder_;  // canonical
  const std::vector<McpTool> tools_;
  const Context context_;
  const Send send_;
  std::mutex sending_;
  std::mutex mutex_;  // of all that follows
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Call>> calls_;  // the first one runs
  bool ending_ = false;
  std::thread worker_;
};

}  // namespace assay::work
