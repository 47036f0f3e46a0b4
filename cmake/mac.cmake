# The libraries of the viewer for macOS as imported targets, in place of packages.cmake: headers and link stubs are in the
# folder that cmake/dev/mac.sh makes.
set(RINGSIDE_MAC_PARTS "" CACHE PATH "The folder of headers and libraries that './dev mac' makes")

function(ringside_mac_part name) # <target> [<file to link>]
  add_library(${name} INTERFACE IMPORTED)
  if(ARGN)
    target_link_libraries(${name} INTERFACE "${RINGSIDE_MAC_PARTS}/link/${ARGN}")
  endif()
endfunction()

foreach(name IN ITEMS Threads::Threads CLI11::CLI11 nlohmann_json::nlohmann_json tl::expected tomlplusplus::tomlplusplus
    Fontconfig::Fontconfig)
  ringside_mac_part(${name})
endforeach()
ringside_mac_part(ringside::zmq libzmq.5.dylib)
ringside_mac_part(PNG::PNG libpng16.16.dylib)
ringside_mac_part(ZLIB::ZLIB libz.1.3.1.zlib-ng.dylib)
ringside_mac_part(glfw libglfw.3.dylib)
ringside_mac_part(OpenGL::GL OpenGL.tbd)

add_library(ringside_fmt STATIC "${PROJECT_SOURCE_DIR}/cmake/dev/portable/fmt.cpp")
add_library(fmt::fmt ALIAS ringside_fmt)

include(imgui_parts)
set(md4c "${RINGSIDE_IMGUI_FETCHED}/imgui_rich_md/imgui_rich_md/external/md4c/src")
if(RINGSIDE_IMGUI_DIR)
  set(md4c "${RINGSIDE_IMGUI_DIR}/imgui_rich_md/imgui_rich_md/external/md4c/src")
endif()
add_library(ringside_md4c STATIC "${md4c}/md4c.c")
target_include_directories(ringside_md4c SYSTEM PUBLIC "${md4c}")
add_library(ringside::md4c ALIAS ringside_md4c)

# What `ringside --version` says of the wheels of cmake/lock/mac-libraries.txt.
set(zmq_VERSION 4.3.5)
set(sodium_VERSION 1.0.18)
set(glfw3_VERSION 3.4)
set(PNG_VERSION_STRING 1.6.58)
set(ZLIB_VERSION_STRING "1.3.1 (zlib-ng 2.3.3)")
