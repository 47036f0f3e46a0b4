# Run by ctest: a case whose name begins with promises ("R1, R7: ...") gets each as a label, and the label "promises",
# besides the label of its program. tests/promises.md describes the promises.
foreach(case IN LISTS ${cases})
  if(case MATCHES ":([RS][0-9]+(, [RS][0-9]+)*): ")
    string(REPLACE ", " ";" labels "${CMAKE_MATCH_1}")
    list(APPEND labels promises ${label})
    set_tests_properties("${case}" PROPERTIES LABELS "${labels}")
  endif()
endforeach()
