// SPDX-License-Identifier: MIT
#include "ledger/machine.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/utsname.h>
#include <thread>
#include <unistd.h>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"

namespace assay::ledger {
namespace {

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const size_t colon = line.find(':');
    if (colon != std::string::npos) return std::string(trim(std::string_view(line).substr(colon + 1)));
  }
  return "unknown";
}

int64_t memory_bytes() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<int64_t>(pages) * page : 0;
}

Machine describe() {
  utsname system{};
  const bool known = ::uname(&system) == 0;
  const std::string host = known ? system.nodename : "unknown";
  const std::string cpu = processor();
  const unsigned cores = std::thread::hardware_concurrency();
  const auto machine_id = read_file("/etc/machine-id", 1024);
  const std::string name = machine_id.ok() ? std::string(trim(*machine_id)) : std::string();
  Hasher hasher;
  hasher.add(name.empty() ? host : name).add(cpu);
  const nlohmann::json description = {
      {"host", host},
      {"processor", cpu},
      {"cores", cores},
      {"memory_bytes", memory_bytes()},
      {"system", known ? std::string(system.sysname) + " " + system.release : "unknown"}};
  return {hasher.hex().substr(0, 16), description.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)};
}

}  // namespace

const Machine& this_machine() {
  static const Machine machine = describe();
  return machine;
}

}  // namespace assay::ledger
