// SPDX-License-Identifier: MIT
#include "check/work_json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace assay::check {
namespace {

using nlohmann::json;

json sums_json(const gpu::WorkSums& sums) {
  json values = json::object();
  for (size_t i = 0; i < gpu::kWorkCount; ++i) {
    if (sums.values[i] != 0) values[std::string(gpu::to_string(static_cast<gpu::Work>(i)))] = sums.values[i];
  }
  return values;
}

double amount(const json& value) {
  const double number = value.get<double>();
  if (!std::isfinite(number) || number < 0) throw std::invalid_argument("an amount of work is finite and not negative");
  return number;
}

gpu::WorkSums sums_from(const json& value) {
  gpu::WorkSums sums;
  for (const auto& [name, number] : value.items()) {
    const auto work = gpu::work_named(name);
    if (!work) throw std::invalid_argument("unknown kind of work '" + name + "'");
    sums[*work] = amount(number);
  }
  return sums;
}

json dim_json(const gpu::Dim3& dim) {
  return json::array({dim.x, dim.y, dim.z});
}

gpu::Dim3 work_dim_from(const json& value) {
  return {value.at(0).get<uint32_t>(), value.at(1).get<uint32_t>(), value.at(2).get<uint32_t>()};
}

json chain_json(const gpu::ChainCycles& chain) {
  return {{"with_l2", chain.with_l2}, {"with_dram", chain.with_dram}};
}

gpu::ChainCycles chain_from(const json& value) {
  return {amount(value.at("with_l2")), amount(value.at("with_dram"))};
}

const json& listed(const json& object, const char* key) {
  const json& value = object.at(key);
  if (!value.is_array()) throw std::invalid_argument("expected a list");
  return value;
}

}  // namespace

json to_json(const gpu::LaunchWork& work) {
  json buffers = json::array();
  for (const gpu::BufferWork& buffer : work.buffers) {
    buffers.push_back({{"name", buffer.name},
                       {"bytes", buffer.bytes},
                       {"l2_read_sectors", buffer.l2_read_sectors},
                       {"l2_write_sectors", buffer.l2_write_sectors},
                       {"asked_sectors", buffer.asked_sectors},
                       {"unique_read_bytes", buffer.unique_read_bytes},
                       {"fetched_bytes", buffer.fetched_bytes},
                       {"unique_written_bytes", buffer.unique_written_bytes},
                       {"block_fetched_bytes", buffer.block_fetched_bytes},
                       {"read_by_all", buffer.read_by_all}});
  }
  json lines = json::array();
  for (const gpu::LineWork& line : work.lines) {
    lines.push_back({{"file", line.line.file},
                     {"line", line.line.line},
                     {"function", line.line.function},
                     {"work", sums_json(line.sums)},
                     {"tensor_multiply_adds", line.tensor_multiply_adds}});
  }
  return {{"grid", dim_json(work.grid)},
          {"block", dim_json(work.block)},
          {"blocks", work.blocks},
          {"counted_blocks", work.counted_blocks},
          {"warps_per_block", work.warps_per_block},
          {"judges_barriers", work.judges_barriers},
          {"total", sums_json(work.total)},
          {"tensor_multiply_adds", work.tensor_multiply_adds},
          {"mean_chain", chain_json(work.mean_chain)},
          {"longest_chain", chain_json(work.longest_chain)},
          {"hottest_atomics", work.hottest_atomics},
          {"buffers", std::move(buffers)},
          {"lines", std::move(lines)}};
}

gpu::LaunchWork launch_work_from_json(const json& value) {
  gpu::LaunchWork work;
  work.grid = work_dim_from(value.at("grid"));
  work.block = work_dim_from(value.at("block"));
  work.blocks = value.at("blocks").get<uint64_t>();
  work.counted_blocks = value.at("counted_blocks").get<uint64_t>();
  work.warps_per_block = value.at("warps_per_block").get<int>();
  work.judges_barriers = value.at("judges_barriers").get<bool>();
  work.total = sums_from(value.at("total"));
  for (const auto& [kind, number] : value.at("tensor_multiply_adds").items())
    work.tensor_multiply_adds[kind] = amount(number);
  work.mean_chain = chain_from(value.at("mean_chain"));
  work.longest_chain = chain_from(value.at("longest_chain"));
  work.hottest_atomics = amount(value.at("hottest_atomics"));
  for (const json& buffer : listed(value, "buffers")) {
    work.buffers.push_back({buffer.at("name").get<std::string>(), buffer.at("bytes").get<uint64_t>(),
                            amount(buffer.at("l2_read_sectors")), amount(buffer.at("l2_write_sectors")),
                            amount(buffer.at("asked_sectors")), amount(buffer.at("unique_read_bytes")),
                            amount(buffer.at("fetched_bytes")), amount(buffer.at("unique_written_bytes")),
                            amount(buffer.at("block_fetched_bytes")), buffer.at("read_by_all").get<bool>()});
  }
  for (const json& line : listed(value, "lines")) {
    gpu::LineWork entry;
    entry.line.file = line.at("file").get<std::string>();
    entry.line.line = line.at("line").get<int>();
    entry.line.function = line.at("function").get<std::string>();
    entry.sums = sums_from(line.at("work"));
    entry.tensor_multiply_adds = amount(line.at("tensor_multiply_adds"));
    work.lines.push_back(std::move(entry));
  }
  return work;
}

}  // namespace assay::check
