// SPDX-License-Identifier: MIT
// write_example FOLDER: the example project, for the tests of the page in a browser. Prints the attempts of its parts.
#include <cstdio>
#include <exception>

#include "example_ledger.hpp"

int main(int count, char** values) {
  if (count != 2) return 2;
  try {
    const assay::page::ExampleLedger example{std::filesystem::path(values[1])};
    const nlohmann::json parts = {{"ledger", example.file().string()},
                                  {"first_measure", example.first_measure},
                                  {"last_measure", example.last_measure},
                                  {"first_profile", example.first_profile},
                                  {"last_profile", example.last_profile},
                                  {"run", example.run},
                                  {"broken_run", example.broken_run},
                                  {"suite", example.suite},
                                  {"tuned", example.tuned},
                                  {"many_tuned", example.many_tuned},
                                  {"hostile_tuned", example.hostile_tuned},
                                  {"hostile", example.hostile},
                                  {"hostile_name", assay::page::kHostileName}};
    std::puts(parts.dump().c_str());
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "write_example: %s\n", problem.what());
    return 1;
  }
}
