// SPDX-License-Identifier: MIT
// assay_attention_forward_objects as the body of a Python builtin function: what ctypes takes to convert eight
// arguments is a tenth of a call. The few functions of Python's stable C interface that it needs are looked up in the
// process, so that the library is linked against no Python. The package makes a function of it with PyCFunction_NewEx
// (library.py).
#include <cstddef>
#include <cstdint>
#include <dlfcn.h>

#include "assay_attention.h"

namespace {

struct Python {
  void* (*capsule_pointer)(void* capsule, const char* name);
  unsigned long (*as_unsigned)(void* object);
  double (*as_double)(void* object);
  void* (*error)();
  void (*set_error)(void* type, const char* text);
  void* (*from_long)(long value);
  void** type_error;
  void* none;

  bool complete() const {
    return capsule_pointer != nullptr && as_unsigned != nullptr && as_double != nullptr && error != nullptr &&
           set_error != nullptr && from_long != nullptr && type_error != nullptr && none != nullptr;
  }
};

template <typename Function>
void find(const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

const Python& python() {
  static const Python found = [] {
    Python functions{};
    find("PyCapsule_GetPointer", functions.capsule_pointer);
    find("PyLong_AsUnsignedLong", functions.as_unsigned);
    find("PyFloat_AsDouble", functions.as_double);
    find("PyErr_Occurred", functions.error);
    find("PyErr_SetString", functions.set_error);
    find("PyLong_FromLong", functions.from_long);
    functions.type_error = static_cast<void**>(::dlsym(RTLD_DEFAULT, "PyExc_TypeError"));
    functions.none = ::dlsym(RTLD_DEFAULT, "_Py_NoneStruct");
    return functions;
  }();
  return found;
}

}  // namespace

extern "C" {

// 1 if this process has all that the function below needs.
ASSAY_ATTENTION_API int assay_attention_python_ready(void) {
  return python().complete() ? 1 : 0;
}

// METH_FASTCALL. self: the capsule with the exchange table; arguments: query, key, value, output, log_sum_exp or None,
// flags, scale. Returns the code as an int; null with an exception set if an argument has no such type.
ASSAY_ATTENTION_API void* assay_attention_python_function(void* self, void* const* arguments, ptrdiff_t count) {
  const Python& py = python();
  if (count != 7) {
    py.set_error(*py.type_error, "seven arguments: query, key, value, output, log_sum_exp, flags, scale");
    return nullptr;
  }
  const void* table = py.capsule_pointer(self, "dlpack_exchange_api");
  if (table == nullptr) return nullptr;
  const auto flags = static_cast<uint32_t>(py.as_unsigned(arguments[5]));
  const auto scale = static_cast<float>(py.as_double(arguments[6]));
  if (py.error() != nullptr) return nullptr;
  void* log_sum_exp = arguments[4] == py.none ? nullptr : arguments[4];
  const int status = assay_attention_forward_objects(table, arguments[0], arguments[1], arguments[2], arguments[3],
                                                     log_sum_exp, flags, scale);
  // A tensor that the framework could not describe has left an exception.
  return py.error() != nullptr ? nullptr : py.from_long(status);
}
}
