# SPDX-License-Identifier: MIT
# Installs into an empty prefix, builds examples/api against it, and runs it on a sound kernel and on a broken one.
set(scratch ${BUILD}/api-example)
file(REMOVE_RECURSE ${scratch})
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  set(output "${output}" PARENT_SCOPE)
  set(code ${code} PARENT_SCOPE)
endfunction()
macro(must)
  run(${ARGN})
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${output}")
  endif()
endmacro()

must(${CMAKE_COMMAND} --install ${BUILD} --prefix ${scratch}/prefix --component program)
must(${CMAKE_COMMAND} --install ${BUILD} --prefix ${scratch}/prefix --component api)
must(${CMAKE_COMMAND} -S ${SOURCE}/examples/api -B ${scratch}/build -DCMAKE_PREFIX_PATH=${scratch}/prefix
     -DCMAKE_CXX_COMPILER=${COMPILER})
must(${CMAKE_COMMAND} --build ${scratch}/build)

# Every public header compiles alone.
file(GLOB headers RELATIVE ${scratch}/prefix/include ${scratch}/prefix/include/assay/*.hpp)
foreach(header ${headers})
  file(WRITE ${scratch}/alone.cpp "#include <${header}>\n")
  must(${COMPILER} -std=c++20 -Wall -Wextra -Werror -fsyntax-only -I${scratch}/prefix/include
       -I${scratch}/prefix/include/assay/internal ${scratch}/alone.cpp)
endforeach()

set(ENV{ASSAY_NVCC} none)
set(ENV{ASSAY_CUDA_DRIVER} none)
set(ENV{ASSAY_CACHE} ${scratch}/cache)
set(ENV{ASSAY_LEDGER} none)
must(${scratch}/build/findings ${SOURCE}/kernels/softmax)
if(NOT output MATCHES "softmax: clean on vgpu:l4.*softmax: correct in [0-9]+ cases")
  message(FATAL_ERROR "unexpected: ${output}")
endif()
run(${scratch}/build/findings ${SOURCE}/kernels/broken/misaligned_rows)
if(code EQUAL 0 OR NOT output MATCHES "\\.cu:[0-9]+: misaligned: ")
  message(FATAL_ERROR "unexpected (${code}): ${output}")
endif()
