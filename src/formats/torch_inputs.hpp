// SPDX-License-Identifier: MIT
// What a function of a task's module returns as inputs, read from its text: tensors that PyTorch makes, and numbers.
#pragma once

#include <string>
#include <vector>

#include "formats/foreign.hpp"
#include "formats/python_module.hpp"

namespace assay::formats {

// One for each element; where the text does not tell, dtype or shape stay empty and `lost` says why. Names of
// dimensions that occur in shapes stay names.
std::vector<TaskTensor> torch_inputs(const PythonModule::Returned& returned, const std::vector<std::string>& names,
                                     const std::string& where, std::vector<Lost>& lost);

// "torch.float16" as ours; "": not known.
std::string dtype_from_torch(const std::string& name);

// The parameters of `def NAME(self, ...)` of a class, or of a function; without self.
std::vector<std::string> parameters_of(std::string_view module_text, const std::string& owner,
                                       const std::string& function);

}  // namespace assay::formats
