# ringside_test(NAME SOURCES <file>... [DEPENDS <target>...] [LABEL <label>] [TIMEOUT <seconds>] [PROCESSORS <n>] [SERIAL])
# One Catch2 program; every TEST_CASE in it is a test of its own for ctest, so they run side by side. PROCESSORS says how
# many cores a case keeps busy, SERIAL that nothing else may run beside it.

find_package(Catch2 REQUIRED)
include(Catch)

set(ringside_test_options $<$<CONFIG:Release>:-O1>)
ringside_precompiled(ringside_test_pch ${ringside_common_headers} <tests/support/catch.h>)
target_link_libraries(ringside_test_pch PRIVATE Catch2::Catch2)
target_compile_options(ringside_test_pch PRIVATE ${ringside_test_options})
if(Catch2_VERSION VERSION_GREATER_EQUAL 3)
  target_compile_definitions(ringside_test_pch PRIVATE RINGSIDE_CATCH3)
endif()

function(ringside_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SERIAL" "LABEL;TIMEOUT;PROCESSORS" "SOURCES;DEPENDS")
  add_executable(${name} ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${RINGSIDE_TEST_BIN_DIR}")
  target_link_libraries(${name} PRIVATE ringside::flags ${arg_DEPENDS} ringside_catch_main)
  ringside_if_torch(${name} ${arg_DEPENDS})
  # Half of the compiled code is tests, which spend most of their time in the programs that they test. A precompiled
  # header must be compiled with the same optimization level (gcc 14 requires it), and that of LibTorch has the level of
  # programs.
  get_target_property(with_torch ${name} RINGSIDE_USES_TORCH)
  if(NOT with_torch)
    target_compile_options(${name} PRIVATE ${ringside_test_options})
  endif()
  ringside_compile_together(${name} PRECOMPILED ringside_test_pch)
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 180)
  endif()
  # Sanitizers make programs several times slower (tests/support/sanitized.h has the same factor).
  if(RINGSIDE_SANITIZE)
    math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * 5")
  endif()
  set(properties TIMEOUT ${arg_TIMEOUT})
  if(arg_LABEL)
    list(APPEND properties LABELS ${arg_LABEL})
  endif()
  if(arg_PROCESSORS)
    list(APPEND properties PROCESSORS ${arg_PROCESSORS})
  endif()
  if(arg_SERIAL)
    list(APPEND properties RUN_SERIAL TRUE)
  endif()
  file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}/tests" "${CMAKE_CURRENT_SOURCE_DIR}")
  # A name that ctest cannot select (for instance with a ';') must not pass by running nothing; Catch2 3 fails by
  # itself.
  if(Catch2_VERSION VERSION_LESS 3)
    set(strict EXTRA_ARGS --warn NoTests)
  endif()
  catch_discover_tests(${name} TEST_PREFIX "${folder}:" ${strict} PROPERTIES ${properties})
  # ctest reads this after the list of cases that the line above has created.
  set(labels "${CMAKE_CURRENT_BINARY_DIR}/${name}_promises.cmake")
  file(CONFIGURE OUTPUT "${labels}" @ONLY
    CONTENT "set(cases @name@_TESTS)\nset(label @arg_LABEL@)\ninclude(\"@PROJECT_SOURCE_DIR@/cmake/promise_labels.cmake\")\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${labels}")
endfunction()
