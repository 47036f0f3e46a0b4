#!/usr/bin/env bash
# bundle_test.sh SOURCE_DIR BUILD_DIR TORCH_DIR: makes a bundle, moves it, and runs its programs with an empty environment.
set -euo pipefail

source_dir=$1
build_dir=$2
torch_dir=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "FAILED: $*" >&2
  exit 1
}

"$source_dir/cmake/dev/bundle.sh" "$build_dir" "$work/made" | tee "$work/told"
mv "$work/made" "$work/moved"
cd /

size_mib=$(du -sm "$work/moved" | cut -f1)
((size_mib < 64)) || fail "the bundle has $size_mib MiB, at most 63 are allowed"
[[ -z $(find "$work/moved" -name 'libtorch*' -o -name 'libc.so*' -o -name 'libstdc++*') ]] ||
  fail "the bundle holds what belongs to the machine"

for program in "$build_dir"/bin/*; do
  name=$(basename "$program")
  [[ -f $program && $name != *.so ]] || continue
  echo "== $name --version"
  env -i RINGSIDE_TORCH_DIR="$torch_dir" "$work/moved/bin/$name" --version || fail "$name --version"
done

# `./dev run` and the bundle build only the target `programs`, so it must contain everything that is used.
ninja -C "$build_dir" -t commands programs >"$work/commands"
for program in "$build_dir"/bin/*; do
  [[ ! -f $program ]] || grep -qF -- "-o bin/$(basename "$program") " "$work/commands" || fail "$(basename "$program") is not among the programs"
done

# No library may be found by accident in the folders of this build.
for program in "$work"/moved/bin/* "$work"/moved/libexec/*/*; do
  missing=$(env -i LD_LIBRARY_PATH="$torch_dir/lib:$torch_dir/../nvidia/cu13/lib:$torch_dir/../nvidia/nccl/lib" ldd "$program" 2>/dev/null | grep 'not found' || true)
  [[ -z $missing ]] || fail "$program lacks: $missing"
done

# The agent looks for files that it provides to other programs in lib and share.
[[ -e $work/moved/lib/libringside_rank.so ]] || fail "the library for other programs is not in the bundle"
# The library is also loaded in containers, which may have no C++ library.
needs=$(readelf -d "$work/moved/lib/libringside_rank.so" | grep NEEDED | grep -vE '\[(libc|libm|ld-linux-x86-64)\.so' || true)
[[ -z $needs ]] || fail "the library for other programs needs more than libc and libm: $needs"
for folder in "$build_dir"/bin/python/*/; do
  [[ ! -d $folder || -d $work/moved/share/ringside/python/$(basename "$folder") ]] ||
    fail "the Python folder $(basename "$folder") is not in the bundle"
done

# Each program has a man page, which man shows without a warning.
for program in "$work"/moved/bin/*; do
  page=$work/moved/share/man/man1/$(basename "$program").1
  [[ -s $page ]] || fail "$(basename "$program") has no page for man"
  ! command -v man >/dev/null || [[ -z $(LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >"$work/shown") && -s $work/shown ]] ||
    fail "man does not like $page"
done

# Files that an installation provides for desktops, shells and man.
cmake --install "$build_dir" --prefix "$work/usr" >/dev/null
for file in bin/ringside share/ringside/{presets/demo.toml,studies/e4_figure.toml,manual/start.md,python/ringside_rank/__init__.py} \
  share/man/man1/ringside.1 share/bash-completion/completions/ringside share/zsh/site-functions/_ringside share/fish/vendor_completions.d/ringside.fish; do
  [[ -s $work/usr/$file ]] || fail "$file is not installed"
done
[[ ! -e $work/usr/bin/ringside-dashboard ]] ||
  [[ -s $work/usr/share/applications/io.ringside.Ringside.desktop && -s $work/usr/share/icons/hicolor/scalable/apps/io.ringside.Ringside.svg ]] ||
  fail "the window is not in the desktop's menu"

# The script that makes a bundle must print whether it can use GPUs.
module=$(compgen -G "$work/moved/libexec/torch-*/ringside-trainer-cuda.so" || true)
with=$([[ -n $module ]] && echo with || echo without)
grep -q "^$with the module for GPUs" "$work/told" || fail "it is not said that the bundle is $with the module for GPUs"

# The trainer looks for its GPU module in its own folder.
if [[ -e $build_dir/bin/ringside-trainer-cuda.so && -z $module ]]; then
  fail "the module for GPUs is not in the bundle"
fi

if [[ -x $work/moved/bin/ringside-trainer ]]; then
  echo "== ringside-trainer without LibTorch"
  if env -i RINGSIDE_TORCH_DIR=/nonexistent "$work/moved/bin/ringside-trainer" --version 2>"$work/said"; then
    fail "it started without LibTorch"
  fi
  grep -q RINGSIDE_TORCH_DIR "$work/said" || fail "it does not say how to name LibTorch: $(cat "$work/said")"
fi
