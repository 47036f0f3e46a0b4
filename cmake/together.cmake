# Compiles some things once for many files. Reading headers took half of the compile time of a file, and nearly all of it
# with LibTorch.
#   units              the files of a folder are compiled together (RINGSIDE_UNITY; the preset dev has it off, so that an
#                      edit compiles one file). Helpers of a folder therefore have names of their own.
#   precompiled        the standard headers, Result, the ids, fmt and JSON for all; Catch2 for tests; LibTorch (torch.cmake)
#   headers

# The owner of a precompiled header is a library, and a library needs a source. Headers are in <>, since CMake would
# otherwise write the full path, with which ccache reuses nothing from another clone.
function(ringside_precompiled name)
  set(source "${CMAKE_BINARY_DIR}/${name}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "namespace ringside {}\n")
  add_library(${name} STATIC "${source}")
  target_link_libraries(${name} PRIVATE ringside::flags)
  target_precompile_headers(${name} PRIVATE ${ARGN})
endfunction()

set(ringside_common_headers
  <algorithm> <array> <chrono> <cmath> <cstdint> <filesystem> <functional> <map> <memory> <optional> <set> <span> <string>
  <string_view> <utility> <variant> <vector> <protocol/base/ids.h> <protocol/base/result.h>)
ringside_precompiled(ringside_common_pch ${ringside_common_headers} <fmt/format.h> <nlohmann/json.hpp>)

# A precompiled header works only for files compiled with the same options: -fPIC for programs too, where CMake would
# use -fPIE.
function(ringside_use_precompiled name owner)
  target_precompile_headers(${name} REUSE_FROM ${owner})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC)
endfunction()

# ringside_compile_together(NAME [PRECOMPILED <owner>]): after the target's other properties are set.
function(ringside_compile_together name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PRECOMPILED" "")
  get_target_property(uses_torch ${name} RINGSIDE_USES_TORCH)
  set(files 32)
  if(uses_torch)
    set(files 48)
  elseif(arg_PRECOMPILED)
    ringside_use_precompiled(${name} ${arg_PRECOMPILED})
  else()
    ringside_use_precompiled(${name} ringside_common_pch)
    # Units of equal size, since a small last one would read all headers for a few files.
    get_target_property(compiled ${name} SOURCES)
    list(FILTER compiled INCLUDE REGEX "\\.cpp$")
    list(LENGTH compiled count)
    math(EXPR parts "(${count} + ${files} / 2) / ${files}")
    if(parts GREATER 0)
      math(EXPR files "(${count} + ${parts} - 1) / ${parts}")
    endif()
  endif()
  if(RINGSIDE_UNITY)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${files})
  endif()
endfunction()
