#!/usr/bin/env bash
# bundle.sh BUILD_DIR OUT_DIR [PROGRAM...]: fills the empty OUT_DIR with everything to run elsewhere: the programs, the
# libraries they need, the assets. LibTorch is not included; on the other machine bin/ringside-trainer searches for it.
# With names, only those programs and no third-party libraries, since portable/link.py links them again.
set -euo pipefail

build_dir=$1
out=$2
names=" ${*:3} "
source_dir=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)

# Libraries of the machine: the C and C++ run-time, and those that belong to its graphics driver and X server.
left_out='lib(c|m|dl|rt|pthread|resolv|util|anl|nsl|mvec|gcc_s|stdc[+][+]|gomp|GL|GLX|EGL|OpenGL|GLdispatch|drm|gbm|X11|Xau|Xdmcp|Xext|xcb.*|vulkan|wayland-.*)[.]so'

# Paths of the shared libraries that a program needs and a machine does not have, except LibTorch and its dependencies.
libraries() { # <program>
  ldd "$1" | awk -v left_out="/$left_out|/torch/lib/|/nvidia/" '$2 == "=>" && $3 ~ /^\// && $3 !~ left_out { print $3 }'
}

newest_glibc() {
  objdump -T "$out"/bin/* "$out"/lib/* "$out"/libexec/*/* 2>/dev/null |
    grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -n 1 | cut -d_ -f2
}

cmake --install "$build_dir" --prefix "$out" --component bundle --strip >"$build_dir/bundle.log" 2>&1 || {
  cat "$build_dir/bundle.log" >&2
  exit 1
}
mkdir -p "$out/lib"
wanted() { [[ $names == "  " || $names == *" ${1##*/} "* ]]; } # <program>
for program in "$out"/{bin,libexec/*}/*; do
  wanted "$program" || rm -f "$program" "$out/share/man/man1/${program##*/}.1"
done
for program in "$build_dir"/bin/*; do
  [[ -f $program && $names == "  " ]] || continue
  libraries "$program" | while read -r library; do
    cp -L "$library" "$out/lib/"
  done
done
strip --strip-unneeded "$out"/lib/*
cp "$source_dir/LICENSE" "$source_dir/NOTICE" "$out/"
[[ $names == "  " ]] || exit 0
echo "$(du -sh "$out" | cut -f1) in $out; needs glibc $(newest_glibc) or newer"
if [[ -e $out/bin/ringside-trainer ]]; then
  echo "for training torch $(cd "$out/libexec" && echo torch-* | sed s/torch-//), found through RINGSIDE_TORCH_DIR or the Python on the path"
fi
if compgen -G "$out/libexec/*/ringside-trainer-cuda.so" >/dev/null; then
  echo "with the module for GPUs"
else
  echo "without the module for GPUs: with this bundle everything trains on CPU slots"
fi
