# LibTorch as our own imported targets, without find_package(Torch), which needs a CUDA toolkit and its compiler.
#   ringside::torch_cpu   libtorch_cpu and libc10; enough for every program
#   ringside::torch_cuda  the above plus CUDA and NCCL; for the trainer's CUDA module only
# libtorch.so is never linked: it would bring the whole CUDA stack into every process.

# Lock files torch-*.txt to look for, best first.
set(RINGSIDE_TORCH_SETS "full;lean" CACHE STRING "Sets of packages to look for LibTorch in")

# Finds the folder into which cmake/dev/torch.sh installs packages, named by the hash of the lock file, with the stamp
# `complete`.
function(ringside_find_torch result)
  foreach(set IN LISTS RINGSIDE_TORCH_SETS)
    file(SHA256 "${PROJECT_SOURCE_DIR}/cmake/lock/torch-${set}.txt" hash)
    string(SUBSTRING "${hash}" 0 12 hash)
    set(root "${RINGSIDE_CACHE_DIR}/torch-${set}-${hash}")
    if(EXISTS "${root}/complete")
      file(GLOB found "${root}/lib/python3*/site-packages/torch")
      if(found)
        set(${result} "${found}" PARENT_SCOPE)
        return()
      endif()
    endif()
  endforeach()
  set(${result} "" PARENT_SCOPE)
endfunction()

if(RINGSIDE_TORCH_DIR)
  set(torch_dir "${RINGSIDE_TORCH_DIR}")
else()
  ringside_find_torch(torch_dir)
endif()
if(NOT torch_dir OR NOT EXISTS "${torch_dir}/lib/libtorch_cpu.so")
  message(FATAL_ERROR
    "LibTorch was not found${RINGSIDE_TORCH_DIR}. Run './dev setup' to fetch it, "
    "give an existing one with -DRINGSIDE_TORCH_DIR=<site-packages/torch or LibTorch folder>, "
    "or leave the trainer out with -DRINGSIDE_TRAINER=OFF.")
endif()
set(RINGSIDE_TORCH_FOUND "${torch_dir}")
get_filename_component(site_dir "${torch_dir}" DIRECTORY)
file(READ "${torch_dir}/include/torch/headeronly/version.h" version_header)
string(REGEX MATCH "TORCH_VERSION[ \\\n]+\"([0-9.]+)" ignored "${version_header}")
set(RINGSIDE_TORCH_VERSION "${CMAKE_MATCH_1}")
# Releases of one minor number can stand for each other, others cannot. What is built for one lies here in an installation.
string(REGEX MATCH "^[0-9]+\\.[0-9]+" minor "${RINGSIDE_TORCH_VERSION}")
set(RINGSIDE_TORCH_PROGRAMS "libexec/torch-${minor}" CACHE INTERNAL "")
message(STATUS "LibTorch ${RINGSIDE_TORCH_VERSION}: ${torch_dir}")

add_library(ringside_c10 SHARED IMPORTED GLOBAL)
set_target_properties(ringside_c10 PROPERTIES IMPORTED_LOCATION "${torch_dir}/lib/libc10.so")
add_library(ringside_torch_cpu SHARED IMPORTED GLOBAL)
set_target_properties(ringside_torch_cpu PROPERTIES
  IMPORTED_LOCATION "${torch_dir}/lib/libtorch_cpu.so"
  INTERFACE_INCLUDE_DIRECTORIES "${torch_dir}/include;${torch_dir}/include/torch/csrc/api/include"
  # Without these the c10d headers are silently empty.
  INTERFACE_COMPILE_DEFINITIONS "USE_DISTRIBUTED;USE_C10D_GLOO;USE_RPC;USE_TENSORPIPE"
  INTERFACE_LINK_LIBRARIES "ringside_c10;Threads::Threads")
add_library(ringside::torch_cpu ALIAS ringside_torch_cpu)

set(nvidia_dir "${site_dir}/nvidia")
set(cuda_parts
  "${torch_dir}/lib/libtorch_cuda.so" "${torch_dir}/lib/libc10_cuda.so"
  "${nvidia_dir}/cu13/lib/libcudart.so.13" "${nvidia_dir}/nccl/lib/libnccl.so.2"
  "${nvidia_dir}/cu13/include/crt/host_defines.h" "${nvidia_dir}/cu13/include/nv/target")
set(cuda_missing "")
foreach(part IN LISTS cuda_parts)
  if(NOT EXISTS "${part}")
    list(APPEND cuda_missing "${part}")
  endif()
endforeach()
if(RINGSIDE_CUDA STREQUAL "AUTO")
  if(cuda_missing)
    set(RINGSIDE_WITH_CUDA OFF)
  else()
    set(RINGSIDE_WITH_CUDA ON)
  endif()
else()
  set(RINGSIDE_WITH_CUDA "${RINGSIDE_CUDA}")
endif()
if(RINGSIDE_WITH_CUDA AND cuda_missing)
  list(JOIN cuda_missing "\n  " cuda_missing)
  message(FATAL_ERROR "RINGSIDE_CUDA=ON, but these are missing; './dev setup --cuda' fetches them:\n  ${cuda_missing}")
endif()
message(STATUS "CUDA module: ${RINGSIDE_WITH_CUDA}")

if(RINGSIDE_WITH_CUDA)
  foreach(part IN ITEMS c10_cuda torch_cuda)
    add_library(ringside_lib${part} SHARED IMPORTED GLOBAL)
    set_target_properties(ringside_lib${part} PROPERTIES IMPORTED_LOCATION "${torch_dir}/lib/lib${part}.so")
  endforeach()
  add_library(ringside_cudart SHARED IMPORTED GLOBAL)
  set_target_properties(ringside_cudart PROPERTIES IMPORTED_LOCATION "${nvidia_dir}/cu13/lib/libcudart.so.13")
  add_library(ringside_nccl SHARED IMPORTED GLOBAL)
  set_target_properties(ringside_nccl PROPERTIES IMPORTED_LOCATION "${nvidia_dir}/nccl/lib/libnccl.so.2")
  add_library(ringside_torch_cuda INTERFACE)
  target_link_libraries(ringside_torch_cuda INTERFACE
    ringside_torch_cpu
    # No symbol of libtorch_cuda is referenced, since it registers itself, so it is linked although it looks unused.
    -Wl,--no-as-needed ringside_libtorch_cuda -Wl,--as-needed ringside_libc10_cuda ringside_cudart ringside_nccl)
  target_include_directories(ringside_torch_cuda SYSTEM INTERFACE
    "${nvidia_dir}/cu13/include" "${nvidia_dir}/nccl/include")
  target_compile_definitions(ringside_torch_cuda INTERFACE USE_C10D_NCCL)
  add_library(ringside::torch_cuda ALIAS ringside_torch_cuda)
endif()

# A Python that can `import torch`, for comparing tests and benchmarks; empty with the lean set and a bare LibTorch.
set(RINGSIDE_TORCH_PYTHON "")
if(EXISTS "${site_dir}/../../../bin/python" AND EXISTS "${site_dir}/sympy")
  get_filename_component(RINGSIDE_TORCH_PYTHON "${site_dir}/../../../bin" ABSOLUTE)
  set(RINGSIDE_TORCH_PYTHON "${RINGSIDE_TORCH_PYTHON}/python")
endif()

# libtorch_cpu needs libcudart and libcupti. Its own run path contains them if they are beside it in site-packages; they
# are also added here for wheels without that run path.
set(RINGSIDE_TORCH_RPATH
  "${torch_dir}/lib" "${nvidia_dir}/cu13/lib" "${nvidia_dir}/cuda_runtime/lib" "${nvidia_dir}/cuda_cupti/lib")

# torch/torch.h takes half a minute per file to compile, so it is precompiled once for all targets that use it.
ringside_precompiled(ringside_torch_pch <torch/torch.h>)
target_link_libraries(ringside_torch_pch PRIVATE ringside::torch_cpu)
set_target_properties(ringside_torch_pch PROPERTIES JOB_POOL_COMPILE torch)

# All targets that include LibTorch: programs, libraries and tests.
add_custom_target(with_torch)

# Adds what every target that includes LibTorch needs besides linking.
function(ringside_use_torch name)
  add_dependencies(with_torch ${name})
  ringside_use_precompiled(${name} ringside_torch_pch)
  set_target_properties(${name} PROPERTIES JOB_POOL_COMPILE torch BUILD_RPATH "${RINGSIDE_TORCH_RPATH}")
endfunction()
