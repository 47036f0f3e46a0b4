# A folder that runs elsewhere: the programs, the libraries they need, the assets. Sourced by ./dev.

# These belong to the machine: the C and C++ run-time, and what goes with its graphics driver and X server.
bundle_left_out='^(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util|anl|nsl|mvec|gcc_s|stdc\+\+|gomp)|lib(GL|GLX|EGL|OpenGL|GLdispatch|drm|gbm|X11|Xau|Xdmcp|Xext|xcb.*|vulkan|wayland-.*)|lib(torch.*|c10.*|cud.*|cupti|nccl))\.so'

# The shared libraries of a program that the machine does not bring: file names with their paths.
bundle_libraries() { # <program>
  ldd "$1" | awk '$2 == "=>" && $3 ~ /^\// { print $1, $3 }' | grep -vE "$bundle_left_out" | awk '{ print $2 }'
}

bundle_fill() { # <empty folder>
  local out=$1 program library
  cmake --install "$source_dir/build/release" --prefix "$out" --component bundle >"$log_dir/bundle.log" ||
    { cat "$log_dir/bundle.log" >&2; die "installing into $out failed"; }
  mkdir -p "$out/lib"
  for program in "$source_dir"/build/release/bin/*; do
    [[ -x $program && -f $program ]] || continue
    while read -r library; do
      cp -Lu "$library" "$out/lib/"
    done < <(bundle_libraries "$program")
  done
  strip --strip-unneeded "$out"/lib/*.so* 2>/dev/null || true
  cp "$source_dir/LICENSE" "$source_dir/NOTICE" "$out/"
}

bundle() { # <folder>
  [[ ! -e $1 || -z $(ls -A "$1") ]] || die "$1 exists and is not empty"
  mkdir -p "$1"
  stage "Bundling" bundle_fill "$(cd "$1" && pwd)"
  note "$(du -sh "$1" | cut -f1) in $1; needs glibc $(bundle_glibc "$1") or newer, and for training torch 2.11.0, found" \
    "through RINGSIDE_TORCH_DIR or the Python on the path"
}

bundle_glibc() { # <folder>
  find "$1" -type f \( -perm -u+x -o -name '*.so*' \) -exec objdump -T {} + 2>/dev/null |
    grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -n 1 | cut -d_ -f2
}
