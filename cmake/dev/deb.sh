#!/usr/bin/env bash
# deb.sh BUILD_DIR OUT_DIR: makes OUT_DIR/ringside_VERSION_ARCHITECTURE.deb of a build, for the system that built it,
# and prints its path. The programs are in a separate folder, /usr/lib/ringside, where they find each other, as in the
# wheel; links, man pages, completion and the desktop entry are in the usual folders. The same build gives the same
# bytes.
set -euo pipefail
umask 022
export LC_ALL=C

build_dir=$(cd -- "$1" && pwd)
out=$(cd -- "$2" && pwd)
source_dir=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
home=$tree/usr/lib/ringside
share=$tree/usr/share
doc=$share/doc/ringside

released=$(sed -n 's/.*<release version="\([^"]*\)" date="\([^"]*\)".*/\1 \2/p' "$source_dir/assets/desktop/io.ringside.Ringside.metainfo.xml" | head -n 1)
SOURCE_DATE_EPOCH=$(date -u -d "${released#* }" +%s)
export SOURCE_DATE_EPOCH
version=$("$build_dir/bin/ringside" --version | cut -d' ' -f2)
maintainer="The Ringside authors <${DEBEMAIL:-authors@ringside.invalid}>"

{
  cmake --install "$build_dir" --prefix "$home" --component bundle --strip
  cmake --install "$build_dir" --prefix "$tree/usr" --component desktop
} >"$work/log" 2>&1 || {
  cat "$work/log" >&2
  exit 1
}
mkdir -p "$doc" "$share/zsh" "$tree/usr/bin" "$tree/DEBIAN" "$work/debian"
mv "$home"/share/{man,bash-completion,fish} "$share"
mv "$home/share/zsh/site-functions" "$share/zsh/vendor-completions" # where Debian's zsh searches
rmdir "$home/share/zsh"
for program in "$home"/bin/*; do
  ln -s "../lib/ringside/bin/${program##*/}" "$tree/usr/bin/"
done
gzip -9n "$share"/man/man1/*
torch=$(ls "$home/libexec" 2>/dev/null | sed s/torch-// || true)
lock=$(grep -lE "^torch==${torch:-none}\." "$source_dir"/cmake/lock/torch-{full,lean}.txt | head -n 1 || true)
python3 -B "$source_dir/cmake/dev/sbom.py" "$build_dir/bin/ringside" ${lock:+"$(basename "$lock" .txt)"} >"$doc/sbom.cdx.json"
python3 -B "$source_dir/cmake/dev/portable/link.py" --licences "$build_dir" "$work/licences"
cp /usr/share/doc/libarchive-dev/copyright "$work/licences/libarchive"
{
  cat "$source_dir/LICENSE"
  printf '\nDebian keeps the texts of Apache-2.0, GPL-2, GPL-3, LGPL-2.1 and LGPL-3 in /usr/share/common-licenses.\n\n'
  cat "$source_dir/NOTICE"
  for part in "$work"/licences/*; do
    printf '\n== %s\n\n' "${part##*/}"
    cat "$part"
  done
} >"$doc/copyright"
printf 'ringside (%s) unstable; urgency=medium\n\n  * Made from the sources of this version.\n\n -- %s  %s\n' \
  "$version" "$maintainer" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.gz"

mapfile -t binaries < <(find "$home"/{bin,lib,libexec} -type f 2>/dev/null | sort | while read -r file; do
  [[ $(head -c 4 "$file" | tail -c 3) != ELF ]] || echo "$file"
done)
touch "$work/debian/control"
# LibTorch is not a Debian package, so dpkg-shlibdeps does not list it.
depends=$(cd "$work" && dpkg-shlibdeps -O --ignore-missing-info "${binaries[@]}" 2>"$work/log" | sed -n 's/^shlibs:Depends=//p') || {
  cat "$work/log" >&2
  exit 1
}
cat >"$tree/DEBIAN/control" <<CONTROL
Package: ringside
Version: $version
Architecture: $(dpkg --print-architecture)
Maintainer: $maintainer
Installed-Size: $(find "$tree/usr" -type f -printf '%s\n' | awk '{ size += $1 } END { printf "%d", size / 1024 }')
Depends: $depends
Recommends: fonts-inter, fonts-jetbrains-mono, libgl1-mesa-dri, python3
Suggests: openssh-client
Section: science
Priority: optional
Description: launches and watches data-parallel training
 Ringside launches PyTorch DistributedDataParallel training and shows, live
 and for every rank, what the ranks do and why they are not N times faster:
 in a window, and with the same figures in the terminal.
 .
 The ranks are scripts of yours with the PyTorch that they have. The trainer
 of the presets uses the torch ${torch:-(not in this package)} of the python3 on the path, or that of
 RINGSIDE_TORCH_DIR.
CONTROL
(cd "$tree" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
find "$tree" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
deb=$out/ringside_${version}_$(dpkg --print-architecture).deb
DPKG_DEB_THREADS_MAX=1 dpkg-deb --root-owner-group -Zxz -z"${DEB_LEVEL:-6}" --build "$tree" "$deb" >"$work/log" || {
  cat "$work/log" >&2
  exit 1
}
echo "$deb"
