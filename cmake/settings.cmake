# Language, compiler flags, and settings for a fast build. For our own code only: third-party targets are SYSTEM.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo" FORCE)
endif()
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(RINGSIDE_TEST_BIN_DIR "${CMAKE_BINARY_DIR}/tests/bin")

if(NOT RINGSIDE_CACHE_DIR)
  if(DEFINED ENV{XDG_CACHE_HOME} AND NOT "$ENV{XDG_CACHE_HOME}" STREQUAL "")
    set(RINGSIDE_CACHE_DIR "$ENV{XDG_CACHE_HOME}/ringside")
  else()
    set(RINGSIDE_CACHE_DIR "$ENV{HOME}/.cache/ringside")
  endif()
endif()

# Flags of our own code, carried by this target, which no third-party target links.
add_library(ringside_flags INTERFACE)
add_library(ringside::flags ALIAS ringside_flags)
target_compile_options(ringside_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual
  -Wcast-align -Wnull-dereference -Wdouble-promotion -Wformat=2 -Wimplicit-fallthrough -Werror)
if(RINGSIDE_UNITY)
  # Names of one file do not shadow those of another that is compiled with it, and types may be local to the unit.
  target_compile_options(ringside_flags INTERFACE -Wshadow=local -Wno-subobject-linkage)
else()
  target_compile_options(ringside_flags INTERFACE -Wshadow)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(ringside_flags INTERFACE -Wduplicated-cond -Wlogical-op)
  # Its garbage collector took an eighth of the compile time of a unit; with room for a gigabyte it seldom runs.
  target_compile_options(ringside_flags INTERFACE --param=ggc-min-heapsize=1048576)
  # g++ 12 with optimization reports null dereferences, out-of-bounds reads and the like inside its own standard
  # library.
  target_compile_options(ringside_flags INTERFACE
    -Wno-null-dereference -Wno-error=maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow
    -Wno-stringop-overread -Wno-restrict -Wno-free-nonheap-object)
else()
  # g++ decides about warnings; clang is used only for its fuzzer and has other rules for shadowed names.
  target_compile_options(ringside_flags INTERFACE -Wno-error -Wno-shadow)
endif()
target_include_directories(ringside_flags INTERFACE "${PROJECT_SOURCE_DIR}")
# fmt's macro is the same in all files, since its header is precompiled for all.
target_compile_definitions(ringside_flags INTERFACE
  RINGSIDE_VERSION="${PROJECT_VERSION}" $<TARGET_PROPERTY:fmt::fmt,INTERFACE_COMPILE_DEFINITIONS>)

set(RINGSIDE_SANITIZE "" CACHE STRING "Sanitizers for own code, as -fsanitize= takes them, e.g. address,undefined")
if(RINGSIDE_SANITIZE)
  target_compile_options(ringside_flags INTERFACE -fsanitize=${RINGSIDE_SANITIZE} -fno-omit-frame-pointer)
  if(RINGSIDE_SANITIZE MATCHES "undefined")
    # A finding ends the program. vptr would need type information of libraries that are built without it.
    target_compile_options(ringside_flags INTERFACE -fno-sanitize=vptr -fno-sanitize-recover=all)
  endif()
  add_link_options(-fsanitize=${RINGSIDE_SANITIZE})
endif()

find_program(RINGSIDE_CCACHE ccache)
if(RINGSIDE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Time macros and precompiled headers: without this sloppiness ccache refuses every file that uses one. Paths below
  # the tree are made relative, so that another clone of it can use the same objects.
  set(launcher "${CMAKE_COMMAND}" -E env "CCACHE_SLOPPINESS=pch_defines,time_macros" "CCACHE_MAXSIZE=8G"
    "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" "${RINGSIDE_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
endif()

# Sources whose names end with one of these words are for that system. On macOS there is only the viewer.
set(RINGSIDE_SYSTEM linux)
if(APPLE)
  set(RINGSIDE_SYSTEM mac)
else()
  # A program loads all linked libraries at start, so it is linked only to those that it uses.
  add_link_options(-Wl,--as-needed)
  find_program(RINGSIDE_MOLD mold)
  find_program(RINGSIDE_LLD ld.lld)
  if(RINGSIDE_MOLD)
    add_link_options(-fuse-ld=mold)
  elseif(RINGSIDE_LLD)
    add_link_options(-fuse-ld=lld)
  endif()
endif()

# A file that includes LibTorch takes up to 2 GB of memory to compile.
set_property(GLOBAL PROPERTY JOB_POOLS torch=2)
