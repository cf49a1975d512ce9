// SPDX-License-Identifier: MIT
// VALUE(name, dtype, offset, place): what assay new must find in the kernel's structure, and what the compiler says of
// its place. POINTER is the same for a pointer to elements of that dtype, CONST_POINTER for one to constant ones.
#pragma once
#include <cstddef>
#include <cstdint>
#define VALUE(name, dtype, offset, place) static_assert((place) == (offset), #name);
#define POINTER(name, dtype, offset, place) VALUE(name, dtype, offset, place)
#define CONST_POINTER(name, dtype, offset, place) VALUE(name, dtype, offset, place)
