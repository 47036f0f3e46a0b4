# Functions for the short CMakeLists.txt files of the folders.

# A folder is built when it has a CMakeLists.txt: ringside_add_folders(<prefix or ""> <folder>...).
function(ringside_add_folders prefix)
  foreach(folder IN LISTS ARGN)
    if(prefix)
      set(folder "${prefix}/${folder}")
    endif()
    if(EXISTS "${PROJECT_SOURCE_DIR}/${folder}/CMakeLists.txt")
      add_subdirectory("${PROJECT_SOURCE_DIR}/${folder}" "${PROJECT_BINARY_DIR}/${folder}")
    endif()
  endforeach()
endfunction()

# ringside_library(NAME [COLD] SOURCES <file>... [DEPENDS <target>...] [PRIVATE_DEPENDS <target>...])
# DEPENDS: targets that a header of the folder includes; a folder with only headers becomes an INTERFACE library. COLD:
# its code runs so rarely that optimization, which takes a third longer to compile, is not worth it.
function(ringside_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "COLD" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS")
  set(compiled ${arg_SOURCES})
  list(FILTER compiled INCLUDE REGEX "\\.(c|cc|cpp)$")
  if(compiled)
    add_library(${name} STATIC ${arg_SOURCES})
    target_link_libraries(${name} PUBLIC ${arg_DEPENDS} PRIVATE ringside::flags ${arg_PRIVATE_DEPENDS})
    target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}")
    if(arg_COLD)
      target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
    endif()
    ringside_if_torch(${name} ${arg_DEPENDS} ${arg_PRIVATE_DEPENDS})
    ringside_compile_together(${name})
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE ${arg_DEPENDS} ${arg_PRIVATE_DEPENDS})
    target_include_directories(${name} INTERFACE "${PROJECT_SOURCE_DIR}")
  endif()
endfunction()

# All programs for people, without tests: `./dev run` builds these.
add_custom_target(programs)

# ringside_program(NAME SOURCES <file>... [DEPENDS <target>...]): a program in build/<preset>/bin, and in the bundle.
function(ringside_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ringside::flags ${arg_DEPENDS})
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)  # main puts libraries together
  ringside_if_torch(${name} ${arg_DEPENDS})
  ringside_compile_together(${name})
  get_target_property(uses_torch ${name} RINGSIDE_USES_TORCH)
  if(uses_torch)
    # A main file uses little of LibTorch, and reading its whole precompiled header would cost more.
    set_target_properties(${name} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
  endif()
  ringside_in_bundle(${name})
  add_dependencies(programs ${name})
endfunction()

# What uses LibTorch goes to a folder of its version: a script in bin finds LibTorch and then starts what fits it (cmake/dev/ringside-trainer.sh).
function(ringside_in_bundle name)
  get_target_property(uses_torch ${name} RINGSIDE_USES_TORCH)
  if(uses_torch)
    set(folder ${RINGSIDE_TORCH_PROGRAMS})
    set(up ../..)
  else()
    set(folder bin)
    set(up ..)
  endif()
  if(APPLE)
    target_link_options(${name} PRIVATE "-Wl,-rpath,@executable_path/${up}/lib")
  else()
    # DT_RPATH instead of DT_RUNPATH, since it must also apply to the dependencies of libraries in the bundle.
    target_link_options(${name} PRIVATE -Wl,--disable-new-dtags)
  endif()
  set_target_properties(${name} PROPERTIES INSTALL_RPATH "$ORIGIN/${up}/lib")
  # CMake would pad a shorter build path with colons, and an empty entry means the current directory.
  if(NOT uses_torch)
    set_target_properties(${name} PROPERTIES BUILD_WITH_INSTALL_RPATH ON)
  endif()
  install(TARGETS ${name}
    RUNTIME DESTINATION ${folder} COMPONENT bundle
    LIBRARY DESTINATION ${folder} COMPONENT bundle)
endfunction()

# Targets that name LibTorch directly share its precompiled header and the job pool that bounds memory.
function(ringside_if_torch name)
  if(NOT RINGSIDE_TRAINER)
    return()
  endif()
  foreach(dependency IN LISTS ARGN)
    if(dependency MATCHES "^(ringside::torch_(cpu|cuda)|trainer_(models|dist|cuda|engine|check))$")
      ringside_use_torch(${name})
      set_target_properties(${name} PROPERTIES RINGSIDE_USES_TORCH TRUE)
      return()
    endif()
  endforeach()
endfunction()
