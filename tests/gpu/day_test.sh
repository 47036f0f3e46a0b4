#!/usr/bin/env bash
# day_test.sh BUILD_DIR PYTHON: packs and rehearses the day on a GPU: a few stages, or all with RINGSIDE_GPU=1.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
packed=$(mktemp -d)
trap 'rm -rf "$packed"' EXIT
"$here/pack.sh" "$1" "$packed"
stages=host,bundle,first,graph,kill
[[ ${RINGSIDE_GPU:-} != 1 ]] || stages=
"$here/rehearse.sh" "$1" "$2" "$packed/day.tar.gz" "$stages"
