# Dear ImGui, ImPlot and their companions: fetched once as the source archive of imgui-bundle and unpacked into the cache.
#   cmake -DRINGSIDE_CACHE_DIR=<dir> [-DPYTHON=<python3>] [-DARCHIVE=<file>] -P cmake/imgui_parts.cmake     fetches
#   include(imgui_parts)                         only says where it is: RINGSIDE_IMGUI_FETCHED, empty when it is not there
# None of the archive's code runs: pip would run its build to learn its name, so it is given a stub instead.

set(imgui_version 1.93.0)
set(imgui_sha256 10ad1dab8258a6787b4f07bb926b08d0efc648a7906242568c8dd778c5e719bf)
string(SUBSTRING "${imgui_sha256}" 0 12 imgui_short)
set(imgui_root "${RINGSIDE_CACHE_DIR}/imgui-${imgui_version}-${imgui_short}")
set(imgui_folders  # In PATTERNS '*' also matches '/', so folders are named.
  "external/imgui/imgui" "external/implot/implot" "external/imgui_rich_md/imgui_rich_md/external/md4c"
  "external/hello_imgui/hello_imgui/hello_imgui_assets/fonts" "bindings/imgui_bundle/assets/fonts/Roboto")

set(RINGSIDE_IMGUI_FETCHED "")
if(EXISTS "${imgui_root}/complete")
  set(RINGSIDE_IMGUI_FETCHED "${imgui_root}/external")
endif()
# What was fetched before MD4C was wanted, for macOS, is fetched once more.
set(imgui_newest "${imgui_root}/external/imgui_rich_md")
if(NOT CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE OR (RINGSIDE_IMGUI_FETCHED AND EXISTS "${imgui_newest}"))
  return()
endif()
set(help "Fetch imgui_bundle-${imgui_version}.tar.gz on another machine and give it with RINGSIDE_IMGUI_ARCHIVE=<file>, "
  "or name an existing folder 'external' of imgui-bundle with RINGSIDE_IMGUI_DIR=<folder>.")
string(CONCAT help ${help})
set(work "${imgui_root}.part")
file(MAKE_DIRECTORY "${RINGSIDE_CACHE_DIR}")
file(LOCK "${imgui_root}.lock" TIMEOUT 600)
if(EXISTS "${imgui_root}/complete" AND EXISTS "${imgui_newest}")
  return()
endif()
file(REMOVE_RECURSE "${work}")

if(NOT ARCHIVE)
  message("Fetching Dear ImGui and ImPlot (imgui-bundle ${imgui_version}, 54 MB)")
  file(WRITE "${work}/ui.lock" "imgui-bundle==${imgui_version} --hash=sha256:${imgui_sha256}\n")
  file(WRITE "${work}/stub/scikit_build_core/__init__.py" "")
  file(WRITE "${work}/stub/scikit_build_core/build.py" "\
import os


def get_requires_for_build_wheel(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(directory, config_settings=None):
    name = 'imgui_bundle-${imgui_version}.dist-info'
    os.makedirs(os.path.join(directory, name))
    with open(os.path.join(directory, name, 'METADATA'), 'w') as file:
        file.write('Metadata-Version: 2.1\\nName: imgui-bundle\\nVersion: ${imgui_version}\\n')
    return name
")
  if(NOT PYTHON)
    set(PYTHON python3)
  endif()
  # Debian's own Python comes without pip, but an environment has it.
  execute_process(COMMAND "${PYTHON}" -m venv "${work}/venv")
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -E env "PYTHONPATH=${work}/stub"
      "${work}/venv/bin/python" -m pip download -q --disable-pip-version-check --no-deps --no-build-isolation
      --no-binary imgui-bundle --require-hashes -r "${work}/ui.lock" -d "${work}"
    RESULT_VARIABLE failed)
  file(GLOB ARCHIVE "${work}/imgui_bundle-*.tar.gz")
  if(failed OR NOT ARCHIVE)
    message(FATAL_ERROR "imgui-bundle ${imgui_version} could not be fetched from the Python package index. ${help}")
  endif()
endif()

file(SHA256 "${ARCHIVE}" found)
if(NOT found STREQUAL imgui_sha256)
  message(FATAL_ERROR
    "${ARCHIVE} is not imgui-bundle ${imgui_version}: its SHA-256 is ${found}, expected ${imgui_sha256}. ${help}")
endif()
set(patterns "")
foreach(folder IN LISTS imgui_folders)
  list(APPEND patterns "imgui_bundle-${imgui_version}/${folder}/*")
endforeach()
file(ARCHIVE_EXTRACT INPUT "${ARCHIVE}" DESTINATION "${work}/out" PATTERNS ${patterns})
file(REMOVE_RECURSE "${imgui_root}")
file(RENAME "${work}/out/imgui_bundle-${imgui_version}" "${imgui_root}")
file(WRITE "${imgui_root}/complete" "${imgui_sha256}\n")
file(REMOVE_RECURSE "${work}")
