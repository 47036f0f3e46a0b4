#!/usr/bin/env bash
# pack.sh BUILD_DIR OUT: writes the archive for a machine with a GPU: OUT/day.tar.gz, a folder with the bundle and the
# stages.
set -euo pipefail

build_dir=$1
out=$2
source_dir=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
most_mib=40
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[[ -e $build_dir/bin/ringside-trainer-cuda.so ]] || {
  echo "$build_dir has no module for GPUs; './dev gpu-day pack' builds one" >&2
  exit 1
}
"$source_dir/cmake/dev/bundle.sh" "$build_dir" "$work/bundle"
cp "$source_dir"/tests/gpu/{day,day_stages,loop,peer,rig}.py "$source_dir"/tests/python/{nets,reference}.py "$work"
mkdir -p "$out"
tar -C "$work" -czf "$out/day.tar.gz" .
size_mib=$(($(stat -c %s "$out/day.tar.gz") / 1048576))
((size_mib < most_mib)) || {
  rm "$out/day.tar.gz"
  echo "what travels has $size_mib MiB, at most $most_mib are allowed" >&2
  exit 1
}
echo "$out/day.tar.gz: $size_mib MiB"
