// SPDX-License-Identifier: MIT
// Reads what there is to launch with, calls the launch function, hands over what it asked for: as a program by files,
// or as a library (ASSAY_LAUNCH_LIBRARY), which exported packages carry, by texts.
#include <assay/launch.h>
#include <cstdio>
#include <exception>
#include <fstream>
#include <sstream>

namespace {

void read(assay::Launch& launch, std::istream& request) {
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
}

}  // namespace

#ifdef ASSAY_LAUNCH_LIBRARY

namespace {
struct Finished {};
}  // namespace

void assay::Launch::finish() {
  throw Finished();
}

// The answer stays until the next call of the same thread.
extern "C" __attribute__((visibility("default"))) const char* assay_plan(const char* request) {
  static thread_local std::string answer;
  assay::Launch launch;
  std::istringstream words(request);
  read(launch, words);
  try {
    assay_launch(launch);
    launch.answer_ += "done\n";
  } catch (const Finished&) {
  } catch (const std::exception& problem) {
    launch.answer_ = std::string("error ") + problem.what() + "\n";
  }
  answer = launch.answer_;
  return answer.c_str();
}

#else

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
  read(launch, request);
  assay_launch(launch);
  launch.answer_ += "done\n";
  launch.finish();
}

#endif
