# The viewer for macOS on Arm, compiled and linked on Linux by the clang of Zig. Sourced by ./dev. Nothing of it is run.

mac_headers=(CLI GL GLFW KHR fmt nlohmann tl toml++ png.h pngconf.h pnglibconf.h zconf.h zlib.h zmq.h)
mac_gl=(Clear ClearColor Disable Enable GetString PixelStorei ReadBuffer ReadPixels Scissor Viewport)

# The compiler, and a folder of the headers of this system's packages that are no system headers, the libraries of wheels (lib), and
# what is linked instead of them (link): the same with the name under which a program finds them beside itself, and OpenGL's symbols.
setup_mac() {
  local python zig parts work tool
  { python=$(find_python) && fetch_environment "$python" mac; } ||
    die "The compiler for macOS could not be fetched. Is the Python package index reachable (see pip's message above)?"
  parts=$(environment_root mac-libraries)
  [[ ! -e $parts/complete ]] || return 0
  work=$parts.part
  rm -rf "$work" "$parts"
  mkdir -p "$work"/{bin,first,include/OpenGL,lib,licences,link}
  "$(environment_root mac)/bin/python" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: \
    --require-hashes --python-version 3.11 --platform macosx_11_0_arm64 --platform macosx_10_15_universal2 \
    -r "$source_dir/cmake/lock/mac-libraries.txt" -d "$work/wheels" || die "Libraries for macOS could not be fetched."
  "$python" -B "$source_dir/cmake/dev/mac_libraries.py" "$work"
  (cd /usr/include && cp -rLp "${mac_headers[@]}" "$work/include")
  echo '#include <GL/gl.h>' >"$work/include/OpenGL/gl.h"
  # Dear ImGui names a few types of the system's framework, whose headers only Apple gives.
  mkdir "$work/include/ApplicationServices"
  echo 'typedef unsigned CGDirectDisplayID;' >"$work/include/ApplicationServices/ApplicationServices.h"
  printf '%s\n' '--- !tapi-tbd' 'tbd-version: 4' 'targets: [ arm64-macos ]' \
    "install-name: '/System/Library/Frameworks/OpenGL.framework/Versions/A/OpenGL'" 'exports:' '  - targets: [ arm64-macos ]' \
    "    symbols: [ $(printf '_gl%s, ' "${mac_gl[@]}" | sed 's/, $//') ]" '...' >"$work/link/OpenGL.tbd"
  zig=$(echo "$(environment_root mac)"/lib/python3*/site-packages/ziglang/zig)
  # macOS's math.h includes a part of float.h, after which the C++ library's float.h gives nothing more, and the other way round.
  printf '%s\n' '#undef _LIBCPP_FLOAT_H' '#include_next <float.h>' >"$work/first/float.h"
  for tool in cc c++; do
    printf '#!/bin/sh\nexec "%s" %s -target aarch64-macos.11.0 -I "%s/first" -isystem "%s/include" "$@"\n' "$zig" "$tool" "$parts" "$parts" \
      >"$work/bin/$tool"
  done
  for tool in ar ranlib; do
    printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$zig" "$tool" >"$work/bin/$tool"
  done
  chmod +x "$work"/bin/*
  touch "$work/complete"
  mv "$work" "$parts"
}

compile_mac() { # <folder>
  local parts log=$log_dir/build-mac.log
  parts=$(environment_root mac-libraries)
  export ZIG_GLOBAL_CACHE_DIR=$cache/zig ZIG_LOCAL_CACHE_DIR=$cache/zig
  cmake -S "$source_dir" -B "$1" -G Ninja -DCMAKE_SYSTEM_NAME=Darwin -DCMAKE_SYSTEM_PROCESSOR=arm64 -DCMAKE_OSX_SYSROOT=/ \
    -DCMAKE_C_COMPILER="$parts/bin/cc" -DCMAKE_CXX_COMPILER="$parts/bin/c++" -DCMAKE_AR="$parts/bin/ar" -DCMAKE_RANLIB="$parts/bin/ranlib" \
    -DCMAKE_INSTALL_NAME_TOOL=false -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS=-w -DCMAKE_CXX_FLAGS_RELEASE="-O2 -DNDEBUG" \
    -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DRINGSIDE_CCACHE=OFF -DRINGSIDE_TRAINER=OFF -DRINGSIDE_TESTS=OFF \
    -DRINGSIDE_MAC_PARTS="$parts" -DRINGSIDE_CACHE_DIR="$cache" -DRINGSIDE_IMGUI_DIR="${RINGSIDE_IMGUI_DIR:-}" >"$log" 2>&1 || {
    cat "$log" >&2
    die "configuring for macOS failed; this is also in $log"
  }
  cmake --build "$1" -j "$(nproc)" --target programs 2>&1 | follow_build "$log" || {
    first_errors "$log"
    die "compiling for macOS failed; the whole output is in $log"
  }
}

mac() { # [<folder>]
  local out=${1:-$source_dir/build/mac} objects=$source_dir/build/mac/objects
  setup
  stage "Setting up the compiler for macOS" setup_mac
  stage "Building the viewer for macOS" compile_mac "$objects"
  rm -rf "$out"/{bin,lib,licences,share}
  mkdir -p "$out"/{bin,share/ringside}
  cp "$objects"/bin/ringside{,-dashboard} "$out/bin"
  cp -r "$source_dir"/{LICENSE,NOTICE} "$(environment_root mac-libraries)/lib" "$out"
  cp -r "$source_dir"/assets/{ask,examples,manual,presets,studies} "$out/share/ringside"
  python3 -B "$source_dir/cmake/dev/portable/link.py" --licences "$objects" "$out/licences"
  cp -r "$(environment_root mac-libraries)"/licences/* "$out/licences"
  stage "Looking at it" python3 -B "$source_dir/tests/python/mac_test.py" "$out"
  note "$out: compiled and linked for macOS; nobody has run it on a Mac"
}
