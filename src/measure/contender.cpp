// SPDX-License-Identifier: MIT
#include "measure/contender.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

#include "base/allowed_folder.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "measure/embedded_files.hpp"

namespace assay::measure {
namespace fs = std::filesystem;
namespace {

Result<std::string> python() {
  const char* chosen = std::getenv("ASSAY_PYTHON");
  const fs::path found = find_program(chosen != nullptr ? chosen : "python3");
  if (found.empty())
    return Error{fmt::format("there is no {}", chosen != nullptr ? chosen : "python3"),
                 {},
                 "this provider is a Python program: install Python, or set ASSAY_PYTHON to one that has PyTorch",
                 ExitCode::environment};
  return found.string();
}

Result<std::string> text_option(const spec::Baseline& baseline, const std::string& key) {
  const auto found = baseline.options.find(key);
  if (found != baseline.options.end()) {
    if (const auto* text = std::get_if<std::string>(&found->second)) return *text;
  }
  return Error{fmt::format("baseline '{}': provider '{}' needs {} = \"...\"", baseline.name, baseline.provider, key),
               baseline.place, "docs/providers.md lists the options of each provider"};
}

// Words between blanks; what stands in single or double quotes is one word, as in a shell: paths may hold blanks.
Result<std::vector<std::string>> split_quoted(const std::string& text, const spec::Baseline& baseline) {
  std::vector<std::string> words;
  bool inside = false;  // a word has begun, though it may still be empty
  char quote = 0;
  for (const char c : text) {
    if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
      if (!inside) words.emplace_back();
      inside = true;
    } else if (quote == 0 && c == ' ') {
      inside = false;
    } else {
      if (!inside) words.emplace_back();
      inside = true;
      words.back() += c;
    }
  }
  if (quote == 0) return words;
  return Error{fmt::format("baseline '{}': arguments has an open {} quote", baseline.name, quote), baseline.place,
               "close it, or write the other kind of quote around it"};
}

std::string absolute(const fs::path& folder, const std::string& file) {
  return fs::absolute(folder / file).lexically_normal().string();
}

Error not_allowed(const spec::Baseline& baseline, const fs::path& program) {
  return Error{fmt::format("baseline '{}': '{}' lies outside of {}, which this command may not leave", baseline.name,
                           program.string(), allowed_folder().string()),
               baseline.place};
}

}  // namespace

const std::vector<std::string>& provider_names() {
  static const std::vector<std::string> names{"kernel", "torch_sdpa", "torch_compile", "python", "command"};
  return names;
}

Contender kernel_contender(const std::string& name, const spec::KernelSpec& spec, const build::BuildResult& built) {
  Contender contender{name, "kernel", {"/proc/self/exe", kProviderCommand}, {}, true};
  contender.options["specification"] = fs::absolute(spec.file).string();
  contender.options["configuration"] = spec.tunable.tunables.empty() ? std::string() : built.configuration.id();
  contender.options["ptx"] = built.ptx.string();
  contender.options["cubin"] = built.cubin.string();
  return contender;
}

Result<spec::Baseline> find_baseline(const spec::KernelSpec& spec, const std::string& name) {
  std::vector<std::string> known;
  for (const spec::Baseline& baseline : spec.baselines) {
    if (baseline.name == name) return baseline;
    known.push_back(baseline.name);
  }
  if (name == "sdpa" || name.starts_with("sdpa:")) {
    spec::Baseline baseline{name, {}, "torch_sdpa", {}};
    if (name != "sdpa") baseline.options["backend"] = name.substr(5);
    return baseline;
  }
  if (name == "torch_compile") return spec::Baseline{name, {}, "torch_compile", {}};
  for (const char* each : {"sdpa", "sdpa:BACKEND", "torch_compile", "a kernel folder"}) known.emplace_back(each);
  return Error{fmt::format("there is no baseline '{}'", name), Place{spec.file.string()},
               fmt::format("choose one of {}; or add [baseline.{}] to the file", join(known, ", "), name)};
}

Result<ProviderPrograms> ProviderPrograms::install(const fs::path& cache_folder) {
  Hasher hasher;
  for (const EmbeddedFile& file : provider_files()) hasher.add(file.name).add(file.text);
  const fs::path folder = cache_folder / "providers" / hasher.hex();
  std::error_code failed;
  fs::create_directories(folder, failed);
  for (const EmbeddedFile& file : provider_files()) {
    const fs::path path = folder / file.name;
    const auto there = read_file(path);
    if (there && *there == file.text) continue;
    ASSAY_CHECK(write_file_atomically(path, file.text));
  }
  return ProviderPrograms(folder);
}

Result<Contender> ProviderPrograms::contender(const spec::Baseline& baseline, const fs::path& spec_folder) const {
  Contender contender{baseline.name, baseline.provider, {}, baseline.options, false};
  if (baseline.provider == "command") {
    ASSAY_TRY(const std::string program, text_option(baseline, "program"));
    const fs::path local = spec_folder / program;
    const fs::path found = fs::exists(local) ? fs::path(absolute(spec_folder, program)) : find_program(program);
    if (found.empty())
      return Error{fmt::format("baseline '{}': there is no program '{}'", baseline.name, program), baseline.place,
                   "give a file in the kernel's folder, or a program in PATH", ExitCode::environment};
    if (!is_allowed(found, spec_folder)) return not_allowed(baseline, found);
    contender.arguments.push_back(found.string());
    if (baseline.options.contains("arguments")) {
      ASSAY_TRY(const std::string rest, text_option(baseline, "arguments"));
      ASSAY_TRY(std::vector<std::string> words, split_quoted(rest, baseline));
      std::ranges::move(words, std::back_inserter(contender.arguments));
    }
    return contender;
  }
  std::string script = baseline.provider + ".py";
  if (baseline.provider == "python") {
    script = "python_function.py";
    ASSAY_TRY(const std::string file, text_option(baseline, "file"));
    contender.options["file"] = absolute(spec_folder, file);
    if (!is_allowed(absolute(spec_folder, file), spec_folder)) return not_allowed(baseline, file);
    contender.must_be_own_kernels = true;
  } else if (baseline.provider != "torch_sdpa" && baseline.provider != "torch_compile") {
    return Error{fmt::format("baseline '{}': there is no provider '{}'", baseline.name, baseline.provider),
                 baseline.place, fmt::format("choose one of {}", join(provider_names(), ", "))};
  }
  ASSAY_TRY(const std::string interpreter, python());
  contender.arguments = {interpreter, (folder_ / script).string()};
  contender.warm_folder = folder_;
  contender.preload = baseline.provider == "torch_compile" ? "torch compile_warm" : "torch";
  return contender;
}

}  // namespace assay::measure
