// SPDX-License-Identifier: MIT
// Reads what there is to launch with, calls the launch function, writes what it asked for.
#include <assay/launch.h>
#include <cstdio>
#include <fstream>
#include <sstream>

void assay::Launch::finish() {
  std::FILE* file = std::fopen(response_, "wb");
  const bool written = file != nullptr && std::fwrite(answer_.data(), 1, answer_.size(), file) == answer_.size() &&
                       std::fclose(file) == 0;
  std::exit(written ? 0 : 98);
}

int main(int count, char** arguments) {
  if (count != 3) return 97;
  assay::Launch launch;
  launch.response_ = arguments[2];
  std::ifstream request(arguments[1]);
  std::string line;
  while (std::getline(request, line)) {
    std::istringstream words(line);
    std::string kind, name, value;
    words >> kind >> name >> value;
    if (kind == "number") launch.numbers_[name] = std::strtod(value.c_str(), nullptr);
    if (kind == "pointer") launch.pointers_[name] = std::strtoull(value.c_str(), nullptr, 16);
    if (kind == "bytes") {
      std::vector<unsigned char>& bytes = launch.bytes_[name];
      for (size_t i = 0; i + 1 < value.size(); i += 2)
        bytes.push_back(static_cast<unsigned char>(std::strtoul(value.substr(i, 2).c_str(), nullptr, 16)));
    }
  }
  assay_launch(launch);
  launch.answer_ += "done\n";
  launch.finish();
}
