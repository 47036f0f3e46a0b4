#!/usr/bin/env bash
# appimage.sh BUILD_DIR TREE OUT_DIR: makes OUT_DIR/Ringside-VERSION-x86_64.AppImage of a tree that bundle.sh and portable/link.py have
# filled, and prints its path. The tree becomes its folder usr. The same tree gives the same bytes.
set -euo pipefail
umask 022
export LC_ALL=C

build_dir=$1
tree=$2
out=$(cd -- "$3" && pwd)
source_dir=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
app=$work/app
id=io.ringside.Ringside

mkdir "$app"
cp -rL "$tree" "$app/usr"
cmake --install "$build_dir" --prefix "$app/usr" --component desktop >"$work/log" || {
  cat "$work/log" >&2
  exit 1
}
cp "$app/usr/share/applications/$id.desktop" "$app"
cp "$app/usr/share/icons/hicolor/scalable/apps/$id.svg" "$app"
cp "$app/$id.svg" "$app/.DirIcon"
cp "$source_dir/cmake/dev/portable/AppRun" "$app"
for part in squashfuse:libsquashfuse-dev glibc:libc6-dev; do
  cp "/usr/share/doc/${part#*:}/copyright" "$app/usr/licences/${part%:*}"
done
find "$app" -type d -empty -delete
chmod -R u=rwX,go=rX "$app"
mksquashfs "$app" "$work/image" -quiet -no-progress -all-root -no-xattrs -mkfs-time 0 -all-time 0 -b 1M -comp gzip -Xcompression-level 9 \
  >"$work/log"

# squashfuse can read images of other compressions, whose libraries are left out.
absent=(lzma_stream_buffer_decode lzo1x_decompress_safe LZ4_decompress_safe ZSTD_decompress ZSTD_isError)
absent=("${absent[@]/#/-Wl,--defsym=}")
gcc -Os -s -static -Wall -Wextra -Werror -DCONTENT="\"$(sha256sum <"$work/image" | cut -c1-16)\"" -o "$work/made" \
  "$source_dir/cmake/dev/portable/appimage.c" -lsquashfuse -lz -Wl,--build-id=none "${absent[@]/%/=0}"
printf 'AI\2' | dd of="$work/made" bs=1 seek=8 conv=notrunc status=none # the mark of the second type of AppImage
cat "$work/image" >>"$work/made"
version=$("$tree/bin/ringside" --version | cut -d' ' -f2)
file=$out/Ringside-$version-x86_64.AppImage
install -m 755 "$work/made" "$file"
echo "$file"
