#!/usr/bin/env bash
# wheel.sh PYTHON OUT_DIR: makes the wheel of ringside_rank there, with a Python that has pip and flit_core. The same sources give the
# same bytes.
set -euo pipefail

python=$1
out=$2
source_dir=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cp -r "$source_dir/trainer/python/"{pyproject.toml,PACKAGE.md,ringside_rank} "$source_dir/LICENSE" "$work"
find "$work" -name __pycache__ -prune -exec rm -r {} +
export SOURCE_DATE_EPOCH=315532800  # the first that a zip file can hold
"$python" -m pip wheel --quiet --disable-pip-version-check --no-deps --no-index --no-build-isolation --wheel-dir "$out" "$work"
