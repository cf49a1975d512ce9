// SPDX-License-Identifier: MIT
// A server of the Model Context Protocol (revision 2025-06-18): the commands as tools, their JSON as results. One
// JSON-RPC message a line. A tool runs this program again, in the folder that the server was started for; words that
// name something outside of that folder are refused.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/context.hpp"

namespace assay::work {

struct McpTool {
  std::string name;         // of the command
  std::string description;  // what it does, and its words
};

class McpServer {
 public:
  McpServer(std::filesystem::path folder, std::vector<McpTool> tools, Context context)
      : folder_(std::move(folder)), tools_(std::move(tools)), context_(std::move(context)) {}

  // The answer to one message; nothing to a notification.
  std::optional<std::string> answer(const std::string& message) const;

 private:
  std::filesystem::path folder_;  // canonical
  std::vector<McpTool> tools_;
  Context context_;
};

}  // namespace assay::work
