// SPDX-License-Identifier: MIT
#include "work/import_folder.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <set>

#include "base/escape.hpp"
#include "base/text.hpp"
#include "spec/kernel_spec.hpp"

namespace assay::work {
namespace {

using formats::ReferenceStyle;
using formats::Task;
using formats::TaskShape;
using formats::TaskTensor;

constexpr size_t kMostName = 60;

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string folder_name(const std::string& text) {
  std::string name;
  for (const char c : text) name += is_word(c) || c == '-' ? c : '_';
  while (name.starts_with('-')) name.erase(0, 1);
  return name.empty() ? "task" : name.substr(0, kMostName);
}

std::string identifier(const std::string& text) {
  std::string name;
  for (const char c : text) name += is_word(c) ? c : '_';
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) name.insert(name.begin(), '_');
  return name;
}

// A basic string of TOML.
std::string toml_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : escape_terminal(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string toml_list(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ", ") + toml_text(item);
  return "[" + text + "]";
}

class FolderText {
 public:
  FolderText(const Task& task, std::string origin) : task_(task), origin_(std::move(origin)) {}

  TaskFolder make() {
    folder_.name = folder_name(task_.name);
    folder_.lost = task_.lost;
    rename_all();
    compare_tolerance();
    folder_.files.push_back({"kernel.toml", specification()});
    if (!task_.kernel) folder_.files.push_back({"kernel.cu", kernel_source()});
    if (task_.kernel && find_file(task_.files, task_.kernel->source) == nullptr)
      folder_.files.push_back({safe(task_.kernel->source) ? task_.kernel->source : "kernel.cu",
                               "// The task names this file and does not bring it along.\n"});
    folder_.files.push_back({"reference.py", reference()});
    for (const formats::TextFile& file : task_.files) {
      const std::string path = task_.kernel ? file.path : "task/" + file.path;
      if (is_safe_path(path) &&
          !std::ranges::any_of(folder_.files, [&](const auto& each) { return each.path == path; })) {
        folder_.files.push_back({path, file.content});
      } else {
        lose(file.path, "a file of this name is not written");
      }
    }
    return std::move(folder_);
  }

 private:
  static bool safe(const std::string& path) { return is_safe_path(path); }

  void lose(const std::string& where, const std::string& why) {
    folder_.lost.push_back({escape_terminal(task_.name) + ": " + escape_terminal(where), why});
  }

  // Theirs is taken; that it allows more than ours would is worth knowing.
  void compare_tolerance() {
    for (const TaskTensor& tensor : task_.tensors) {
      const std::optional<spec::DType> type = spec::dtype_from_name(tensor.dtype);
      if (!tensor.output || !type) continue;
      const spec::Tolerance ours = spec::tolerance(spec::KernelSpec(), tensor.name, *type);
      const double theirs = std::max(task_.atol.value_or(0), task_.rtol.value_or(0));
      if (theirs > std::max(ours.atol, ours.rtol))
        lose(tensor.name, fmt::format("the task allows {}; without it {} would have to be within {}", theirs,
                                      tensor.dtype, std::max(ours.atol, ours.rtol)));
    }
  }

  // Names of dimensions and arguments that kernel.toml cannot have.
  void rename_all() {
    std::set<std::string> all;
    for (const auto& [name, value] : task_.constants) all.insert(name);
    for (const auto& [name, value] : task_.derived) all.insert(name);
    for (const std::vector<TaskShape>* list : {&task_.measured, &task_.tested}) {
      for (const TaskShape& shape : *list) {
        for (const auto& [name, value] : shape.dimensions) all.insert(name);
      }
    }
    for (const std::string& name : all) {
      renamed_[name] = identifier(name);
      if (renamed_[name] != name) lose(name, fmt::format("a dimension is called {} here", renamed_[name]));
    }
  }
  std::string dimension(const std::string& text) const {
    const auto found = renamed_.find(text);
    return found == renamed_.end() ? text : found->second;
  }

  std::string specification() {
    std::string text = fmt::format(
        "# Imported: {}. What it does not say is marked \"open\": answer it and remove the comment.\n"
        "# docs/kernel_toml.md describes the format; \"guessed\" marks what is likely and may be wrong.\n"
        "[kernel]\nname    = {}\n",
        escape_terminal(origin_), toml_text(folder_.name));
    if (task_.kernel) {
      text += fmt::format("source  = {}\nentry   = {}\n",
                          toml_text(safe(task_.kernel->source) ? task_.kernel->source : "kernel.cu"),
                          toml_text(task_.kernel->entry));
    } else {
      text += fmt::format("source  = \"kernel.cu\"   # open: write the kernel; the task brings none\nentry   = {}\n",
                          toml_text(identifier(folder_.name)));
    }
    text += "targets = [\"sm_80\", \"sm_89\", \"sm_90\"]   # guessed\n";
    if (!task_.description.empty()) text += fmt::format("description = {}\n", toml_text(task_.description));
    if (task_.kernel && !task_.kernel->flags.empty())
      text += fmt::format("flags   = {}\n", toml_list(task_.kernel->flags));
    text += "\n[problem]\nreference = \"reference.py\"\n\n";
    return text + arguments() + launch() + tunables() + lets() + shapes() + tolerance();
  }

  std::string arguments() {
    std::string text;
    bool any_output = false;
    std::set<std::string> names;
    for (const TaskTensor& tensor : task_.tensors) {
      std::string name = identifier(tensor.name);
      while (!names.insert(name).second) name += "_";
      if (name != tensor.name) lose(tensor.name, fmt::format("an argument is called {} here", name));
      text += fmt::format("[[argument]]\nname   = \"{}\"\n{}\n", name,
                          tensor.scalar ? scalar(tensor) : tensor_line(tensor));
      any_output = any_output || tensor.output;
    }
    if (task_.tensors.empty())
      text += "# open: the task does not say its arguments: an [[argument]] for each parameter of the kernel\n";
    if (!any_output)
      text +=
          "[[argument]]\nname   = \"output\"\ntensor = { dtype = \"f32\", shape = [1], output = true }   "
          "# open: the task names no output\n\n";
    return text;
  }

  static std::string scalar(const TaskTensor& tensor) {
    const bool known = !tensor.value.empty();
    return fmt::format("scalar = {{ type = \"{}\", value = {} }}{}\n", tensor.dtype.empty() ? "i32" : tensor.dtype,
                       known ? tensor.value : "1",
                       !known                 ? "   # open: which value?"
                       : tensor.dtype.empty() ? "   # open: of which type?"
                                              : "");
  }

  std::string tensor_line(const TaskTensor& tensor) const {
    std::vector<std::string> shape;
    for (const std::string& each : tensor.shape) shape.push_back(dimension(each));
    const bool sized = !shape.empty();
    std::string line =
        fmt::format("tensor = {{ dtype = \"{}\", shape = {}", tensor.dtype.empty() ? "f32" : tensor.dtype,
                    toml_list(sized ? shape : std::vector<std::string>{"1"}));
    if (tensor.output) line += tensor.inout ? ", inout = true" : ", output = true";
    if (!tensor.fill.empty() && (!tensor.output || tensor.inout)) line += ", fill = " + tensor.fill;
    line += " }";
    if (tensor.dtype.empty() || !sized)
      line += fmt::format("   # open: the task does not say its {}", sized                  ? "type"
                                                                     : tensor.dtype.empty() ? "type and shape"
                                                                                            : "shape");
    return line + "\n";
  }

  std::string launch() const {
    if (!task_.kernel) return "[launch]   # open: grid and block of your kernel\ngrid  = [1]\nblock = [256]\n\n";
    const formats::TaskKernel& kernel = *task_.kernel;
    const auto whole = [](const std::vector<std::string>& list) {
      return !list.empty() && std::ranges::none_of(list, [](const std::string& each) { return each.empty(); });
    };
    std::string text =
        fmt::format("[launch]\ngrid  = {}{}\nblock = {}{}\n", whole(kernel.grid) ? toml_list(kernel.grid) : "[1]",
                    whole(kernel.grid) ? "" : "   # open: how many blocks?",
                    whole(kernel.block) ? toml_list(kernel.block) : "[256]",
                    whole(kernel.block) ? "" : "   # open: how many threads?");
    if (!kernel.shared_bytes.empty()) text += fmt::format("shared_bytes = {}\n", toml_text(kernel.shared_bytes));
    return text + "\n";
  }

  std::string tunables() const {
    std::string text;
    for (const auto& [name, value] : task_.constants) text += fmt::format("{} = [{}]\n", dimension(name), value);
    if (task_.kernel) {
      for (const auto& [name, values] : task_.kernel->tunables)
        text += fmt::format("{} = [{}]\n", identifier(name), join(values, ", "));
      if (!task_.kernel->constraints.empty())
        text += fmt::format("constraints = {}\n", toml_list(task_.kernel->constraints));
    }
    if (text.empty()) return "";
    text = "[tunable]   # each becomes -DNAME=value\n" + text + "\n";
    if (!task_.kernel || task_.kernel->defaults.empty()) return text;
    text += "[defaults]\n";
    for (const auto& [name, value] : task_.kernel->defaults) text += fmt::format("{} = {}\n", identifier(name), value);
    return text + "\n";
  }

  std::string lets() const {
    if (task_.derived.empty()) return "";
    std::string text = "[let]\n";
    for (const auto& [name, expression] : task_.derived)
      text += fmt::format("{} = {}\n", dimension(name), toml_text(expression));
    return text + "\n";
  }

  std::string shape_list(const std::vector<TaskShape>& list) const {
    std::string text;
    std::set<std::string> seen;
    for (const TaskShape& shape : list) {
      std::string values;
      for (const auto& [name, value] : shape.dimensions)
        values += fmt::format("{}{} = {}", values.empty() ? "" : ", ", dimension(name), value);
      if (!seen.insert(values).second) continue;
      text += fmt::format("  {{ {} }},{}\n", values, shape.name.empty() ? "" : "   # " + escape_terminal(shape.name));
    }
    return "[\n" + text + "]";
  }

  // "rows = 64, columns = 64": dimensions that tensors have and no case of the task gives a size.
  std::string sizes_not_given() const {
    std::set<std::string> known;
    for (const auto& [name, value] : task_.constants) known.insert(name);
    for (const auto& [name, expression] : task_.derived) known.insert(name);
    std::string text;
    const auto take = [&](const std::string& expression) {
      for (size_t i = 0; i < expression.size();) {
        size_t end = i;
        while (end < expression.size() &&
               (std::isalnum(static_cast<unsigned char>(expression[end])) != 0 || expression[end] == '_'))
          ++end;
        const std::string word = expression.substr(i, end - i);
        const bool name = !word.empty() && std::isdigit(static_cast<unsigned char>(word[0])) == 0 &&
                          (end == expression.size() || expression[end] != '(');
        if (name && known.insert(word).second)
          text += fmt::format("{}{} = 64", text.empty() ? "" : ", ", dimension(word));
        i = std::max(end, i + 1);
      }
    };
    for (const TaskTensor& tensor : task_.tensors) std::ranges::for_each(tensor.shape, take);
    for (const auto& [name, expression] : task_.derived) take(expression);
    return text;
  }

  std::string shapes() const {
    const bool any =
        std::ranges::any_of(task_.measured, [](const TaskShape& shape) { return !shape.dimensions.empty(); });
    if (!any) {
      // Every specification has a shape; this one has no dimension that anything depends on.
      const bool fixed = task_.kernel.has_value() && !task_.measured.empty();
      if (const std::string sizes = sizes_not_given(); !sizes.empty())
        return fmt::format("[shapes]\ncanonical = [{{ {} }}]   # open: the task gives no case; which sizes matter?\n",
                           sizes);
      return fmt::format("[shapes]\ncanonical = [{{ SIZE = 1 }}]{}\n",
                         fixed ? "" : "   # open: the sizes that matter to you");
    }
    std::string text = fmt::format("[shapes]\ncanonical = {}\n", shape_list(task_.measured));
    if (!task_.tested.empty()) text += fmt::format("tests = {}\n", shape_list(task_.tested));
    if (!task_.constraints.empty()) text += fmt::format("constraints = {}\n", toml_list(task_.constraints));
    return text;
  }

  std::string tolerance() const {
    if (!task_.atol && !task_.rtol) return "";
    // One that the task does not give counts as none: the other alone decides there too.
    return fmt::format("\n[tolerance]\natol = {}\nrtol = {}\n", task_.atol.value_or(0), task_.rtol.value_or(0));
  }

  std::string kernel_source() const {
    return fmt::format(
        "// The kernel of the task {}.\n// To be written: the task brings none.\nextern \"C\" __global__ void {}() "
        "{{}}\n",
        escape_terminal(task_.name), identifier(folder_.name));
  }

  // --- the reference

  std::string load_task() const {
    return fmt::format(
        "import importlib.util\nimport os\n\nimport numpy as np\nimport torch\n\n\ndef load_task():\n"
        "    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), \"task\", \"{}\")\n"
        "    spec = importlib.util.spec_from_file_location(\"imported_task\", path)\n"
        "    module = importlib.util.module_from_spec(spec)\n    spec.loader.exec_module(module)\n    return "
        "module\n\n\n",
        task_.reference);
  }

  // Arrays come in float64; what the task has as integers or truths is that again.
  static std::string as_torch(const TaskTensor& tensor, const std::string& name) {
    if (tensor.scalar) return name;
    const std::string kind = tensor.dtype.starts_with('i') || tensor.dtype.starts_with('u') ? "np.int64"
                             : tensor.dtype == "bool"                                       ? "np.bool_"
                                                                                            : "np.float64";
    return fmt::format("torch.from_numpy(np.array({}, dtype={}))", name, kind);
  }

  std::string reference() const {
    std::vector<std::string> names;
    std::vector<std::string> values;
    std::vector<std::string> outputs;
    for (const TaskTensor& tensor : task_.tensors) {
      const std::string name = identifier(tensor.name);
      if (tensor.output) outputs.push_back(name);
      if (tensor.output && !tensor.inout) continue;
      names.push_back(name);
      values.push_back(as_torch(tensor, name));
    }
    const std::string parameters = join(names, ", ");
    const bool written = find_file(task_.files, task_.reference) != nullptr && safe(task_.reference);
    std::string text = "\"\"\"What the task computes, in float64";
    if (!written || task_.style == ReferenceStyle::none)
      return text + fmt::format(
                        ": inputs are NumPy arrays.\"\"\"\nimport numpy as np\n\n\ndef reference({}):\n"
                        "    # open: compute {} in float64; the task brings no reference\n"
                        "    raise NotImplementedError(\"write the reference\")\n",
                        parameters, outputs.empty() ? "the outputs" : join(outputs, " and "));
    text += ", by its own reference: needs PyTorch beside NumPy.\"\"\"\n" + load_task();
    if (task_.style == ReferenceStyle::ref_kernel)
      return text + fmt::format(
                        "def reference({}):\n    task = load_task()\n"
                        "    # open: put the arguments together as task.generate_input does, and return\n"
                        "    # np.asarray(task.ref_kernel(data).double())\n"
                        "    raise NotImplementedError(\"write the reference\")\n",
                        parameters);
    text += fmt::format("def reference({}):\n    task = load_task()\n    with torch.no_grad():\n", parameters);
    const std::string arguments = join(values, ", ");
    if (task_.style == ReferenceStyle::run) {
      text += fmt::format("        result = task.run({})\n", arguments);
    } else {
      text += "        torch.manual_seed(0)  # a model draws its weights when it is made\n";
      text += task_.style == ReferenceStyle::model
                  ? fmt::format(
                        "        model = task.Model(*task.get_init_inputs()).double()\n        result = model({})\n",
                        arguments)
                  : fmt::format("        model = task.Model().double()\n        result = model({})\n", arguments);
    }
    if (outputs.size() <= 1)
      return text +
             "    if isinstance(result, (list, tuple)):\n        result = result[0]\n"
             "    return np.asarray(result.double())\n";
    text +=
        "    if isinstance(result, dict):\n        return {name: np.asarray(value.double()) for name, value in "
        "result.items()}\n";
    return text +
           fmt::format("    return {{name: np.asarray(value.double()) for name, value in zip([{}], result)}}\n", [&] {
             std::string list;
             for (const std::string& each : outputs) list += (list.empty() ? "\"" : ", \"") + each + "\"";
             return list;
           }());
  }

  const Task& task_;
  std::string origin_;
  std::map<std::string, std::string> renamed_;
  TaskFolder folder_;
};

}  // namespace

bool is_safe_path(const std::string& path) {
  constexpr size_t kMostPath = 300;
  if (path.empty() || path.size() > kMostPath || path.starts_with('/') || path.ends_with('/')) return false;
  if (path.find('\\') != std::string::npos || valid_utf8(path) != path) return false;
  if (std::ranges::any_of(path, [](char c) { return (c >= 0 && c < 0x20) || c == 0x7f || c == '"'; })) return false;
  for (const std::filesystem::path& part : std::filesystem::path(path)) {
    if (part == ".." || part == "." || part.string().starts_with(".git") || part.string().size() > 120) return false;
  }
  return true;
}

TaskFolder task_folder(const Task& task, const std::string& origin) {
  return FolderText(task, origin).make();
}

}  // namespace assay::work
