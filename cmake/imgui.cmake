# Dear ImGui and the null backend as own targets, compiled from the sources of imgui-bundle:
#   ringside::imgui       core, GLFW and OpenGL 3 backends, std::string fields; what a program links
#   ringside::imgui_null  the backend without a screen, for tests of panels
# The core is built with the hooks of its test engine; ringside::imgui_hooks has four empty ones for programs, and a
# test that watches items defines its own four instead of linking it.

if(RINGSIDE_IMGUI_DIR)
  set(imgui_dir "${RINGSIDE_IMGUI_DIR}")
else()
  include(imgui_parts)
  set(imgui_dir "${RINGSIDE_IMGUI_FETCHED}")
endif()
if(NOT EXISTS "${imgui_dir}/imgui/imgui/imgui.h" OR NOT EXISTS "${imgui_dir}/implot/implot/implot.h")
  message(FATAL_ERROR
    "Dear ImGui was not found. Run './dev setup' to fetch it, give the folder 'external' of an unpacked imgui-bundle with "
    "-DRINGSIDE_IMGUI_DIR=<folder>, or leave the window out with -DRINGSIDE_DASHBOARD=OFF.")
endif()
file(STRINGS "${imgui_dir}/imgui/imgui/imgui.h" version_line REGEX "define IMGUI_VERSION ")
string(REGEX MATCH "[0-9][0-9.]*" RINGSIDE_IMGUI_VERSION "${version_line}")
message(STATUS "Dear ImGui ${RINGSIDE_IMGUI_VERSION}: ${imgui_dir}")

if(NOT APPLE)
  find_package(glfw3 3.3 REQUIRED)
  find_package(OpenGL REQUIRED)
endif()

set(imgui_src "${imgui_dir}/imgui/imgui")
# ImPlot is used only as a peer of the benchmarks (tests/bench).
set(RINGSIDE_IMPLOT_DIR "${imgui_dir}/implot/implot")
add_library(ringside_imgui STATIC
  "${imgui_src}/imgui.cpp" "${imgui_src}/imgui_draw.cpp" "${imgui_src}/imgui_tables.cpp" "${imgui_src}/imgui_widgets.cpp"
  "${imgui_src}/imgui_stacklayout.cpp" "${imgui_src}/misc/cpp/imgui_stdlib.cpp"
  "${imgui_src}/backends/imgui_impl_glfw.cpp" "${imgui_src}/backends/imgui_impl_opengl3.cpp")
target_include_directories(ringside_imgui SYSTEM PUBLIC
  "${imgui_src}" "${imgui_src}/backends" "${imgui_src}/misc/cpp")
target_compile_definitions(ringside_imgui PUBLIC IMGUI_ENABLE_TEST_ENGINE IMGUI_DISABLE_OBSOLETE_FUNCTIONS)
target_link_libraries(ringside_imgui PUBLIC glfw OpenGL::GL ${CMAKE_DL_LIBS})
target_compile_options(ringside_imgui PRIVATE -w)
# The GLFW backend only asks whether this header exists, and without it takes Wayland for X11, where windows are scaled by their program.
file(WRITE "${PROJECT_BINARY_DIR}/wayland/wayland-client.h" "")
set_source_files_properties("${imgui_src}/backends/imgui_impl_glfw.cpp" PROPERTIES INCLUDE_DIRECTORIES "${PROJECT_BINARY_DIR}/wayland")
# ImGui reads arrays and texts that our code passes; checks for threads and overflows are only for our own code.
if(RINGSIDE_SANITIZE MATCHES "address")
  target_compile_options(ringside_imgui PRIVATE -fsanitize=address -fno-omit-frame-pointer)
endif()
add_library(ringside::imgui ALIAS ringside_imgui)

add_library(ringside_imgui_null STATIC "${imgui_src}/backends/imgui_impl_null.cpp")
target_link_libraries(ringside_imgui_null PUBLIC ringside_imgui)
target_compile_options(ringside_imgui_null PRIVATE -w)
add_library(ringside::imgui_null ALIAS ringside_imgui_null)

add_library(ringside_imgui_hooks STATIC "${PROJECT_SOURCE_DIR}/cmake/imgui_hooks.cpp")
target_link_libraries(ringside_imgui_hooks PUBLIC ringside_imgui)
add_library(ringside::imgui_hooks ALIAS ringside_imgui_hooks)
