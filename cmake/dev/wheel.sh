#!/usr/bin/env bash
# wheel.sh PYTHON OUT_DIR: builds the wheel of ringside_rank in OUT_DIR, by a Python with pip and flit_core. The same
# sources give the same bytes.
set -euo pipefail

python=$1
out=$2
source_dir=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cp -r "$source_dir/trainer/python/"{pyproject.toml,PACKAGE.md,ringside_rank} "$source_dir/LICENSE" "$work"
find "$work" -name __pycache__ -prune -exec rm -r {} +
export SOURCE_DATE_EPOCH=315532800  # the earliest time that a zip file can store
"$python" -m pip wheel --quiet --disable-pip-version-check --no-deps --no-index --no-build-isolation --wheel-dir "$out" "$work"
